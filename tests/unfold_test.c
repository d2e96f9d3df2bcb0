// SPDX-License-Identifier: BSD-3-Clause
// unfold_test.c - Unfold: kernels, dilations, strides, pads of all kinds, against a walk by position.
#include "harness.h"

// Windows along an axis and where the first one begins.
static int axis(const layer_case *c, int size, int k, int d, int s, int p0, int p1, int *before)
{
    (void)c;
    const int extent = d * (k - 1) + 1;
    int all = size + p0 + p1;
    *before = p0;
    if (p0 < 0) {
        int more = extent + (size - 1) / s * s - size;
        if (more < 0) more = 0;
        *before = p0 == -233 ? more / 2 : more - more / 2;
        all = size + more;
    }
    return (all - extent) / s + 1;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int kw = (int)case_param(c, 1, 0), kh = (int)case_param(c, 11, kw), dw = (int)case_param(c, 2, 1);
    const int dh = (int)case_param(c, 12, dw), sw = (int)case_param(c, 3, 1), sh = (int)case_param(c, 13, sw);
    const int l = (int)case_param(c, 4, 0), t = (int)case_param(c, 14, l);
    int x0, y0;
    const int nx = axis(c, in->dim[2], kw, dw, sw, l, (int)case_param(c, 15, l), &x0);
    const int ny = axis(c, in->dim[1], kh, dh, sh, t, (int)case_param(c, 16, t), &y0);
    out[0] = tensor_new(2, (const int[]){in->dim[0] * kw * kh, nx * ny});
    for (int ch = 0; ch < in->dim[0]; ch++)
        for (int u = 0; u < kh; u++)
            for (int v = 0; v < kw; v++)
                for (int i = 0; i < nx * ny; i++) {
                    const int y = i / nx * sh + u * dh - y0, x = i % nx * sw + v * dw - x0;
                    const bool inside = y >= 0 && y < in->dim[1] && x >= 0 && x < in->dim[2];
                    tensor_at(out, (ch * kh + u) * kw + v, i) =
                        inside ? tensor_at(in, ch, y, x) : case_param(c, 18, 0);
                }
}

static layer_case make(const char *params, int ch, int h, int w)
{
    return (layer_case){.type = "Unfold", .params = params, .n_in = 1, .n_out = 1, .reference = reference,
                        .in = {{.rank = 3, .dim = {ch, h, w}}}};
}

START_TEST(windows)
{
    static const struct { const char *params; int c, h, w;
    } rows[] = {{"1=1", 1, 1, 1},
                {"1=3", 3, 5, 7},
                {"1=3 11=2 2=2 12=1 3=2 13=1 4=4 14=2 18=2.0", 5, 9, 8},
                {"1=2 3=3 4=-233", 3, 7, 8},
                {"1=4 2=2 3=2 4=-234", 3, 9, 7},
                {"1=3 4=1 15=0 14=2 16=3 18=-1.5", 2, 3, 17},
                {"1=1 3=4 4=-233", 2, 9, 9},
                {"1=3", 0, 5, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = make(rows[i].params, rows[i].c, rows[i].h, rows[i].w);
        layer_check(&c);
    }
}
END_TEST

START_TEST(refusals)
{
    layer_case c = make("1=0", 1, 5, 5);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "must be at least 1");
    c.params = "1=3 4=-1";
    layer_refuses(&c, EBB_E_PARAM, "must not be negative");
    c.params = "1=6";
    layer_refuses(&c, EBB_E_SHAPE, "no window of 6x6 fits into the input 1x5x5");
    c.params = "1=50000 4=50000";
    layer_refuses(&c, EBB_E_SHAPE, "the output would be 2500000000x");
    c.params = "1=1 4=25000";
    layer_refuses(&c, EBB_E_SHAPE, "the output would be 1x2500500025, sizes end at 2147483647");
    c.params = "1=3 11=6";
    layer_refuses(&c, EBB_E_SHAPE, "no window of 6x3 fits into the input 1x5x5");
    c.params = "1=2147483647 2=2147483647 4=2147483647";
    layer_refuses(&c, EBB_E_SHAPE, "no window");
    c.params = "1=3";
    c.in[0].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "must be channels x height x width");
}
END_TEST

int main(void)
{
    return run_tests("unfold", (const test_entry[]){{"windows", windows}, {"refusals", refusals}, {0}});
}
