// SPDX-License-Identifier: BSD-3-Clause
// normalize_test.c - Normalize over planes, over channels, over both; shared scales; the three uses of eps.
#include "harness.h"
#include <math.h>
#include <stdio.h>

static double length(const layer_case *c, double squares)
{
    const double eps = (float)case_param(c, 2, 1e-4);
    const int mode = (int)case_param(c, 9, 0);
    return mode == 0 ? sqrt(squares + eps) : mode == 1 ? fmax(sqrt(squares), eps) : sqrt(fmax(squares, eps));
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const size_t all = tensor_count(&in[0]), channels = in[0].rank < 3 ? 1 : (size_t)in[0].dim[0],
                 plane = channels ? all / channels : 0;
    const bool spatial = case_param(c, 0, 0), across = case_param(c, 4, 1),
               shared = case_param(c, 1, 0) || case_param(c, 3, 0) == 1;
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < all; i++) {
        double squares = 0;
        for (size_t j = 0; j < all; j++)
            if ((spatial || i % plane == j % plane) && (across || i / plane == j / plane))
                squares += in[0].v[j] * in[0].v[j];
        out[0].v[i] = in[0].v[i] / length(c, squares) * w[0].v[shared ? 0 : i / plane];
    }
}

static layer_case make(const char *params, int rank, int a, int b, int d, int e)
{
    layer_case c = {.type = "Normalize",
                    .params = params,
                    .n_in = 1,
                    .n_out = 1,
                    .tol = 2e-6,
                    .reference = reference,
                    .in = {{.rank = rank, .dim = {a, b, d, e}}}};
    c.weights[0].kind = W_RAW, c.weights[0].n = (size_t)case_param(&c, 3, 0);
    return c;
}

START_TEST(all_ways)
{
    static const struct {
        int rank, a, b, d, e;
    } shapes[] = {{3, 17, 3, 5, 0}, {4, 5, 2, 3, 2}, {3, 3, 1, 33, 0}, {3, 1, 4, 3, 0}, {3, 4, 0, 2, 0}};
    char params[96];
    for (int s = 0; s < 5; s++)
        for (int way = 1; way < 4; way++)
            for (int eps = 0; eps < 3; eps++)
                for (int shared = 0; shared < 2; shared++) {
                    snprintf(params, sizeof params, "0=%d 4=%d 1=%d 2=0.25 3=%d 9=%d", way & 1, way >> 1,
                             shared, shared ? 1 : shapes[s].a, eps);
                    const layer_case c =
                        make(params, shapes[s].rank, shapes[s].a, shapes[s].b, shapes[s].d, shapes[s].e);
                    layer_check(&c);
                }
}
END_TEST

START_TEST(vectors_and_matrices_have_one_channel)
{
    static const char *const params[] = {"0=1 3=1", "0=1 1=1 3=1 4=0", "0=0 3=1"};
    for (int p = 0; p < 3; p++) {
        const layer_case a = make(params[p], 1, 65, 0, 0, 0), b = make(params[p], 2, 5, 9, 0, 0);
        layer_check(&a);
        layer_check(&b);
    }
}
END_TEST

static void zero_or_nan(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (int y = 0; y < in->dim[1]; y++)
        for (int q = 0; q < in->dim[0]; q++)
            tensor_at(in, q, y, 0) = 0, tensor_at(in, q, y, 1) = q == 2 ? NAN : 1;
}

START_TEST(zero_pixels_and_nan)
{
    layer_case c = make("0=0 3=5 2=0.01", 3, 5, 3, 4, 0);
    c.fill = zero_or_nan;
    layer_check(&c);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    static const struct { const char *params, *words; ebb_status s;
    } rows[] = {{"0=0 4=0 3=5", "nothing to normalise over", EBB_E_PARAM},
                {"0=1 3=0", "scale_data_size must be at least 1", EBB_E_PARAM},
                {"0=1 3=4", "the input has 5 channels, there are scales for 4", EBB_E_SHAPE},
                {"0=1 3=5 9=3", "eps_mode", EBB_E_PARAM}};
    for (int i = 0; i < 4; i++) {
        layer_case c = make(rows[i].params, 3, 5, 3, 4, 0);
        c.reference = NULL;
        layer_refuses(&c, rows[i].s, rows[i].words);
    }
}
END_TEST

int main(void)
{
    return run_tests("normalize", (const test_entry[]){{"all_ways", all_ways},
                                                       {"one_channel", vectors_and_matrices_have_one_channel},
                                                       {"extremes", zero_pixels_and_nan},
                                                       {"errors", errors_say_what_is_wrong},
                                                       {0}});
}
