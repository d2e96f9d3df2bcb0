// SPDX-License-Identifier: BSD-3-Clause
// layernorm_test.c - LayerNorm, RMSNorm over one to all innermost axes of every rank.
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const bool rms = !strcmp(c->type, "RMSNorm"), affine = case_param(c, 2, 1);
    const double eps = (float)case_param(c, 1, 1e-3);
    size_t n = 1;
    int axis = in[0].rank;
    do n *= (size_t)in[0].dim[--axis];
    while (axis > 0 && n != (size_t)case_param(c, 0, 0));
    if (n != (size_t)case_param(c, 0, 0)) {  // fits nothing
        n = (size_t)in[0].dim[in[0].rank - 1];
        for (int i = 1; i < in[0].rank - 1 && in[0].rank > 2; i++) n *= (size_t)in[0].dim[i];
    }
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t set = 0; n && set < tensor_count(&in[0]) / n; set++) {
        const double *x = in[0].v + set * n;
        double mean = 0, var = 0;
        for (size_t i = 0; i < n && !rms; i++) mean += x[i] / (double)n;
        for (size_t i = 0; i < n; i++) var += (x[i] - mean) * (x[i] - mean) / (double)n;
        for (size_t i = 0; i < n; i++)
            out[0].v[set * n + i] =
                (x[i] - mean) / sqrt(var + eps) * (affine ? w[0].v[i] : 1) + (affine && !rms ? w[1].v[i] : 0);
    }
}

static layer_case make(const char *type, const char *params, int rank, const int *dim)
{
    layer_case c = {.type = type,
                    .params = params,
                    .n_in = 1,
                    .n_out = 1,
                    .tol = 1e-5,
                    .reference = reference,
                    .in = {{.rank = rank, .lo = -2, .hi = 3}}};
    memcpy(c.in[0].dim, dim, (size_t)rank * sizeof *dim);
    const bool affine = case_param(&c, 2, 1);
    for (int i = 0; affine && i < (!strcmp(type, "RMSNorm") ? 1 : 2); i++)
        c.weights[i].kind = W_RAW, c.weights[i].n = (size_t)case_param(&c, 0, 0);
    return c;
}

static const char *const types[] = {"LayerNorm", "RMSNorm"};

START_TEST(every_number_of_axes)
{
    static const struct {
        int rank, dim[4];
    } shapes[] = {{1, {33}}, {2, {5, 17}}, {3, {5, 3, 7}}, {4, {3, 2, 4, 5}}, {3, {17, 5, 1}}, {2, {70, 2}}};
    char params[64];
    for (int s = 0; s < 6; s++) {
        int n = 1;
        for (int axis = shapes[s].rank - 1; axis >= 0; axis--) {
            n *= shapes[s].dim[axis];
            for (int t = 0; t < 4; t++) {
                snprintf(params, sizeof params, "0=%d 1=0.01 2=%d", n, t & 1);
                const layer_case c = make(types[t >> 1], params, shapes[s].rank, shapes[s].dim);
                layer_check(&c);
            }
        }
    }
}
END_TEST

START_TEST(no_size_without_gamma)
{
    static const struct {
        int rank, dim[4];
    } shapes[] = {{1, {33}}, {2, {5, 17}}, {3, {5, 3, 7}}, {4, {3, 2, 4, 5}}, {2, {0, 4}}, {2, {3, 0}}};
    for (int s = 0; s < 6; s++)
        for (int t = 0; t < 2; t++) {
            const layer_case c = make(types[t], "2=0", shapes[s].rank, shapes[s].dim);
            layer_check(&c);
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
    in->v[3] = NAN;
}

START_TEST(large_means_and_nan)
{
    layer_case c = make("LayerNorm", "0=101", 2, (const int[]){3, 101});
    c.fill = far_away, c.tol = 1e-3;
    layer_check(&c);
    c.fill = one_nan;
    layer_check(&c);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    for (int t = 0; t < 2; t++) {
        layer_case c = make(types[t], "0=6", 3, (const int[]){5, 3, 7});
        c.reference = NULL;
        layer_refuses(&c, EBB_E_SHAPE,
                      "no innermost axes of the input 5x3x7 have affine_size=6 elements together");
        c.params = "0=0", c.weights[0].kind = W_END;
        layer_refuses(&c, EBB_E_PARAM, "needs an affine_size");
        c.params = "0=-3";
        layer_refuses(&c, EBB_E_PARAM, "affine_size");
    }
}
END_TEST

int main(void)
{
    return run_tests("layernorm", (const test_entry[]){{"axes", every_number_of_axes},
                                                       {"no_size", no_size_without_gamma},
                                                       {"extremes", large_means_and_nan},
                                                       {"errors", errors_say_what_is_wrong},
                                                       {0}});
}
