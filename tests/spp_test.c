// SPDX-License-Identifier: BSD-3-Clause
// spp_test.c - SPP against pooling of a map that is padded for each level.
#include "harness.h"
#include <math.h>

static double value(const tensor *in, int q, int y, int x)
{
    const bool inside = y >= 0 && x >= 0 && y < in->dim[1] && x < in->dim[2];
    return inside ? tensor_at(in, q, y, x) : 0;
}

static double pool(bool average, const tensor *in, int q, int y0, int x0, int kh, int kw)
{
    double sum = 0, max = -INFINITY;
    for (int y = y0; y < y0 + kh; y++)
        for (int x = x0; x < x0 + kw; x++) {
            const double v = value(in, q, y, x);
            sum += v;
            if (v > max || isnan(v)) max = v;
        }
    return average ? sum / (kh * kw) : max;
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int levels = (int)case_param(c, 1, 1), channels = in->dim[0];
    int bins = 0;
    for (int p = 0; p < levels; p++) bins += (1 << p) * (1 << p);
    out[0] = tensor_new(1, (const int[]){bins * channels});
    double *to = out[0].v;
    for (int p = 0; p < levels; p++) {
        const int n = 1 << p, kh = (int)ceil(in->dim[1] / (double)n), kw = (int)ceil(in->dim[2] / (double)n);
        const int pad_h = (kh * n - in->dim[1] + 1) / 2, pad_w = (kw * n - in->dim[2] + 1) / 2;
        for (int q = 0; q < channels; q++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    *to++ = pool(case_param(c, 0, 0) != 0, in, q, i * kh - pad_h, j * kw - pad_w, kh, kw);
    }
}

static void fill_nan(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    in->v[3] = NAN;
}

START_TEST(pyramids)
{
    static const char *const params[] = {"", "1=3", "0=1 1=2", "0=1 1=4"};
    static const int maps[][3] = {{1, 1, 1}, {3, 5, 7}, {5, 8, 8}, {2, 17, 3}, {0, 4, 4}};
    for (size_t p = 0; p < sizeof params / sizeof *params; p++)
        for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
            layer_check(&(layer_case){.type = "SPP",
                                      .params = params[p],
                                      .n_in = 1,
                                      .n_out = 1,
                                      .tol = 1e-6,
                                      .reference = reference,
                                      .in = {{.rank = 3, .dim = {maps[m][0], maps[m][1], maps[m][2]}}}});
    // A maximum of negative values is not the zero of a padding that is not there.
    layer_check(&(layer_case){.type = "SPP", .params = "1=2", .n_in = 1, .n_out = 1, .reference = reference,
                              .in = {{.rank = 3, .dim = {3, 4, 4}, .lo = -2, .hi = -1}}});
    layer_check(&(layer_case){.type = "SPP",
                              .params = "1=2",
                              .n_in = 1,
                              .n_out = 1,
                              .reference = reference,
                              .fill = fill_nan,
                              .in = {{.rank = 3, .dim = {3, 4, 4}}}});
}
END_TEST

START_TEST(mistakes_are_explained)
{
    layer_case c = {.type = "SPP", .params = "1=15", .n_in = 1, .n_out = 1, .in = {{.rank = 3,
    .dim = {9, 2, 2}}}};
    layer_refuses(&c, EBB_E_SHAPE, "15 levels of 9 channels");
    c.params = "1=2", c.in[0].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 9x2");
    c.in[0].rank = 3, c.in[0].dim[1] = 0;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 9x0x2");
    c.in[0].dim[1] = 2, c.in[0].dim[2] = 0;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 9x2x0");
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"pyramids", pyramids}, {"mistakes_are_explained", mistakes_are_explained}, {0}};
    return run_tests("spp", tests);
}
