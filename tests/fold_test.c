// SPDX-License-Identifier: BSD-3-Clause
// fold_test.c - Fold: kernels, dilations, strides and pads, against sums by position.
#include "harness.h"

static void reference(const layer_case *c, const tensor *in, const tensor *wt, tensor *out)
{
    (void)wt;
    const int kw = (int)case_param(c, 1, 0), kh = (int)case_param(c, 11, kw), dw = (int)case_param(c, 2, 1);
    const int dh = (int)case_param(c, 12, dw), sw = (int)case_param(c, 3, 1), sh = (int)case_param(c, 13, sw);
    const int l = (int)case_param(c, 4, 0), t = (int)case_param(c, 14, l), w = (int)case_param(c, 20, 0);
    const int h = (int)case_param(c, 21, w),
              nx = (w + l + (int)case_param(c, 15, l) - dw * (kw - 1) - 1) / sw + 1;
    out[0] = tensor_new(3, (const int[]){in->dim[0] / (kw * kh), h, w});
    for (int r = 0; r < in->dim[0]; r++)
        for (int i = 0; i < in->dim[1]; i++) {
            const int y = i / nx * sh + r / kw % kh * dh - t, x = i % nx * sw + r % kw * dw - l;
            if (y >= 0 && y < h && x >= 0 && x < w)
                tensor_at(out, r / (kw * kh), y, x) += tensor_at(in, r, i);
        }
}

static layer_case make(const char *params, int rows, int cols)
{
    return (layer_case){.type = "Fold",
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 1e-5,
                        .reference = reference,
                        .in = {{.rank = 2, .dim = {rows, cols}}}};
}

START_TEST(windows)
{
    static const struct { const char *params; int rows, cols;
    } rows[] = {{"1=1 20=1", 1, 1},
                {"1=3 20=7 21=5", 27, 15},
                {"1=3 11=2 2=2 12=1 3=1 13=1 4=4 14=2 20=11 21=5", 36, 120},
                {"1=2 3=2 20=8", 20, 16},
                {"1=3 4=1 15=0 20=5 21=4", 18, 16},
                {"1=3 20=5", 0, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = make(rows[i].params, rows[i].rows, rows[i].cols);
        layer_check(&c);
    }
}
END_TEST

START_TEST(refusals)
{
    layer_case c = make("1=3 20=5", 9, 8);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 9x8, must be channels * 9 x 9 windows");
    c.params = "1=3 20=2";
    layer_refuses(&c, EBB_E_PARAM, "no window of 3x3 fits into the output of 2x2");
    c.params = "1=3 11=6 20=5 21=5";
    layer_refuses(&c, EBB_E_PARAM, "no window of 6x3 fits into the output of 5x5");
    c.params = "1=3 20=5";
    c.in[0].dim[0] = 8, c.in[0].dim[1] = 9;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 8x9, must be channels * 9 x 9 windows");
    c.in[0].rank = 1;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 8, must be");
    c.in[0].rank = 2;
    c.params = "1=3 4=-233 20=5";
    layer_refuses(&c, EBB_E_PARAM, "must not be negative");
}
END_TEST

int main(void)
{
    return run_tests("fold", (const test_entry[]){{"windows", windows}, {"refusals", refusals}, {0}});
}
