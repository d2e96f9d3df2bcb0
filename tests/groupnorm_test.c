// SPDX-License-Identifier: BSD-3-Clause
// groupnorm_test.c - GroupNorm, InstanceNorm, MVN on all ranks, with group sizes that fit no vector, and
// large means.
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const bool mvn = !strcmp(c->type, "MVN"), by_group = !strcmp(c->type, "GroupNorm");
    const int channels = in[0].dim[0];
    const double eps = (float)case_param(c, by_group || mvn ? 2 : 1, mvn ? 1e-4 : 1e-3);
    const bool affine = !mvn && case_param(c, by_group ? 3 : 2, 1);
    const int groups = by_group                                         ? (int)case_param(c, 0, 1)
                       : mvn && (case_param(c, 1, 0) || in[0].rank < 3) ? 1
                                                                        : channels;
    out[0] = tensor_new(in[0].rank, in[0].dim);
    const size_t all = tensor_count(&in[0]), n = groups ? all / (size_t)groups : 0,
                 plane = channels ? all / (size_t)channels : 0;
    for (int g = 0; g < groups; g++) {
        const double *x = in[0].v + (size_t)g * n;
        double mean = 0, var = 0;
        for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
        for (size_t i = 0; i < n; i++) var += (x[i] - mean) * (x[i] - mean) / (double)n;
        for (size_t i = 0; i < n; i++) {
            const size_t q = ((size_t)g * n + i) / plane;
            const double scale = mvn ? case_param(c, 0, 0) ? 1 / (sqrt(var) + eps) : 1 : 1 / sqrt(var + eps);
            out[0].v[(size_t)g * n + i] =
                (x[i] - mean) * scale * (affine ? w[0].v[q] : 1) + (affine ? w[1].v[q] : 0);
        }
    }
}

static layer_case make(const char *type, const char *params, int rank, int a, int b, int d, int e,
                       int weights)
{
    layer_case c = {.type = type,
                    .params = params,
                    .n_in = 1,
                    .n_out = 1,
                    .tol = 1e-5,
                    .reference = reference,
                    .in = {{.rank = rank, .dim = {a, b, d, e}, .lo = -2, .hi = 3}}};
    for (int i = 0; i < weights; i++) c.weights[i].kind = W_RAW, c.weights[i].n = (size_t)a;
    return c;
}

static const struct { int rank, a, b, d, e;
} shapes[] = {{1, 12, 0, 0, 0}, {2, 12, 5, 0, 0}, {3, 12, 3, 5, 0}, {4, 12, 2, 3, 2},
              {3, 36, 1, 1, 0}, {3, 66, 7, 3, 0}, {3, 6, 0, 2, 0}};

START_TEST(groups)
{
    char params[64];
    for (int s = 0; s < 7; s++)
        for (int g = 1; g <= 6; g++) {
            if (shapes[s].a % g || g == 4 || (g == 2 && s % 2)) continue;
            snprintf(params, sizeof params, "0=%d 1=%d 2=0.01", g, shapes[s].a);
            const layer_case c = make("GroupNorm", params, shapes[s].rank, shapes[s].a, shapes[s].b,
                                      shapes[s].d, shapes[s].e, 2);
            layer_check(&c);
        }
    const layer_case plain = make("GroupNorm", "0=3 1=12 3=0", 3, 12, 3, 5, 0, 0);
    layer_check(&plain);
}
END_TEST

START_TEST(channels_by_themselves)
{
    char params[64];
    for (int s = 1; s < 7; s++) {
        snprintf(params, sizeof params, "0=%d", shapes[s].a);
        layer_case c = make("InstanceNorm", params, shapes[s].rank, shapes[s].a, shapes[s].b, shapes[s].d,
                            shapes[s].e, 2);
        layer_check(&c);
        c = make("InstanceNorm", "1=0.1 2=0", shapes[s].rank, shapes[s].a, shapes[s].b, shapes[s].d,
                 shapes[s].e, 0);
        layer_check(&c);
        for (int m = s % 2; m < 4; m += 2) {
            const int across = (m >> 1) * (const int[]){1, -1, 2}[s % 3];  // a flag, not a count
            snprintf(params, sizeof params, "0=%d 1=%d 2=0.01", m & 1, across);
            c = make("MVN", params, shapes[s].rank, shapes[s].a, shapes[s].b, shapes[s].d, shapes[s].e, 0);
            layer_check(&c);
        }
    }
}
END_TEST

static void far_away(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] += 4096;
}

static void one_nan(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    in->v[0] = NAN;
}

START_TEST(large_means_and_nan)
{
    layer_case c = make("GroupNorm", "0=2 1=12", 3, 12, 5, 7, 0, 2);
    c.fill = far_away, c.tol = 1e-3;
    layer_check(&c);
    c.fill = one_nan;
    layer_check(&c);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    static const struct { const char *type, *params, *words; ebb_status s;
    } rows[] = {{"GroupNorm", "0=0 1=12", "group", EBB_E_PARAM},
                {"GroupNorm", "0=-1 1=12", "group", EBB_E_PARAM},
                {"GroupNorm", "0=5 1=12", "12 channels do not make 5 groups", EBB_E_PARAM},
                {"GroupNorm", "0=1 1=0", "affine=1 needs", EBB_E_PARAM},
                {"GroupNorm", "0=5 1=10 3=0", "12 channels do not make 5 groups", EBB_E_SHAPE},
                {"GroupNorm", "0=2 1=8", "the input has 12 channels, there are constants for 8", EBB_E_SHAPE},
                {"InstanceNorm", "", "affine=1 needs", EBB_E_PARAM}};
    for (int i = 0; i < 7; i++) {
        layer_case c = make(rows[i].type, rows[i].params, 3, 12, 2, 3, 0, i == 5 ? 2 : 0);
        c.reference = NULL;
        c.weights[0].n = c.weights[1].n = 8;
        layer_refuses(&c, rows[i].s, rows[i].words);
    }
}
END_TEST

int main(void)
{
    return run_tests("groupnorm", (const test_entry[]){{"groups", groups},
                                                       {"channels", channels_by_themselves},
                                                       {"extremes", large_means_and_nan},
                                                       {"errors", errors_say_what_is_wrong},
                                                       {0}});
}
