// SPDX-License-Identifier: BSD-3-Clause
// pooling_test.c - Pooling, Pooling1D, Pooling3D: windows, padding, counting, global and adaptive sizes, NaN.
#include "harness.h"
#include <float.h>
#include <math.h>
#include <string.h>

// Axes are d, h, w; types with fewer have sizes of 1 in front.
static const int kernel_id[] = {21, 11, 1}, stride_id[] = {22, 12, 2}, before_id[] = {23, 13, 3},
                 after_id[] = {16, 15, 14}, out_id[] = {28, 18, 8};

typedef struct axis {
    int size, kernel, stride, before, out;
    bool adaptive;
} axis;

static int param(const layer_case *c, int id, int otherwise) { return (int)case_param(c, id, otherwise); }

static axis make_axis(const layer_case *c, int a, int size)
{
    const int kernel = param(c, kernel_id[a], param(c, 1, 0)),
              stride = param(c, stride_id[a], param(c, 2, 1));
    const int before = param(c, before_id[a], param(c, 3, 0)), after = param(c, after_id[a], before),
              mode = param(c, 5, 0);
    if (param(c, 4, 0)) return (axis){size, size, 1, 0, 1, false};
    if (param(c, 7, 0)) {
        const int out = param(c, out_id[a], param(c, 8, 0));
        return (axis){size, 0, 0, 0, out == -233 ? size : out, true};
    }
    axis x = {size, kernel, stride, before, 0, false};
    if (mode >= 2) {
        x.out = (size + stride - 1) / stride;
        const int pad = (x.out - 1) * stride + kernel - size;
        x.before = pad > 0 ? mode == 2 || a == 0 ? pad / 2 : (pad + 1) / 2 : 0;
    } else {
        const double places = (double)(size + before + after - kernel) / stride;
        x.out = (int)(mode ? floor(places) : ceil(places)) + 1;
        if (x.out < 1) x.out = 1;
    }
    return x;
}

static void bounds(const axis *x, int i, int *from, int *to)
{
    *from = x->adaptive ? i * x->size / x->out : i * x->stride - x->before;
    *to = x->adaptive ? (int)ceil((double)(i + 1) * x->size / x->out) : *from + x->kernel;
}

static double pooled(const layer_case *c, const double *plane, const axis x[3], const int at[3])
{
    int from[3], to[3], n = 0, all = 1;
    double sum = 0, top = -FLT_MAX;
    for (int a = 0; a < 3; a++) bounds(&x[a], at[a], &from[a], &to[a]), all *= to[a] - from[a];
    for (int z = from[0]; z < to[0]; z++)
        for (int y = from[1]; y < to[1]; y++)
            for (int w = from[2]; w < to[2]; w++) {
                if (z < 0 || y < 0 || w < 0 || z >= x[0].size || y >= x[1].size || w >= x[2].size) continue;
                const double v = plane[(z * x[1].size + y) * x[2].size + w];
                top = n == 0 || v > top || isnan(v) ? isnan(top) ? top : v : top;
                sum += v;
                n++;
            }
    return param(c, 0, 0) == 0 ? top : n == 0 ? 0 : sum / (param(c, 6, 0) && !x[2].adaptive ? all : n);
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int axes = in[0].rank - 1;
    axis x[3] = {{1, 1, 1, 0, 1, false}, {1, 1, 1, 0, 1, false}};
    int dim[4] = {in[0].dim[0]}, plane = 1;
    for (int i = 0; i < axes; i++) {
        x[3 - axes + i] = make_axis(c, 3 - axes + i, in[0].dim[1 + i]);
        dim[1 + i] = x[3 - axes + i].out;
        plane *= in[0].dim[1 + i];
    }
    out[0] = tensor_new(param(c, 4, 0) ? 1 : axes + 1, dim);
    double *v = out[0].v;
    for (int q = 0; q < dim[0]; q++)
        for (int z = 0; z < x[0].out; z++)
            for (int y = 0; y < x[1].out; y++)
                for (int i = 0; i < x[2].out; i++)
                    *v++ = pooled(c, in[0].v + q * plane, x, (const int[]){z, y, i});
}

static layer_case make(const char *type, const char *params, int a, int b, int d, int e)
{
    return (layer_case){.type = type,
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 1e-6,
                        .reference = reference,
                        .in = {{.rank = !strcmp(type, "Pooling")     ? 3
                                        : !strcmp(type, "Pooling1D") ? 2
                                                                     : 4,
                                .dim = {a, b, d, e}}}};
}

START_TEST(windows)
{
    static const char *const params[] = {"0=0 1=2 2=2",
                                         "0=0 1=3 2=2 3=1",
                                         "0=0 1=3 2=2 5=1",
                                         "0=0 1=3 2=1 5=2",
                                         "0=0 1=2 2=2 5=3",
                                         "0=0 1=4 2=3 5=3",
                                         "0=1 1=3 2=2 3=1",
                                         "0=1 1=3 2=2 3=1 6=1",
                                         "0=1 1=3 2=2 3=1 5=1 6=1",
                                         "0=1 1=2 2=1 5=2",
                                         "0=1 1=2 2=1 5=3 6=1",
                                         "0=0 1=3 11=2 2=1 12=3 3=0 13=1 14=2 15=0",
                                         "0=1 1=2 11=5 2=3 12=2 5=1",
                                         "0=1 1=3 2=1 3=1 14=0 13=0 15=1 6=0",
                                         "0=0 1=1 2=3",
                                         "0=0 1=1 2=2 3=1",
                                         "0=1 1=9 2=9 3=4"};
    for (size_t p = 0; p < sizeof params / sizeof *params; p++) {
        const layer_case a = make("Pooling", params[p], 17, 5, 7, 0),
                         b = make("Pooling", params[p], 3, 5, 6, 0);
        layer_check(&a);
        layer_check(&b);
    }
}
END_TEST

START_TEST(whole_and_adaptive)
{
    static const char *const params[] = {
        "0=0 4=1", "0=1 4=1", "0=0 7=1 8=3", "0=1 7=1 8=2 18=5", "0=1 7=1 8=-233 18=1", "0=1 7=1 8=9 6=1"};
    for (int p = 0; p < 6; p++) {
        const layer_case a = make("Pooling", params[p], 130, 5, 7, 0),
                         b = make("Pooling", params[p], 1, 1, 1, 0);
        layer_check(&a);
        layer_check(&b);
    }
}
END_TEST

START_TEST(other_ranks)
{
    static const char *const params[] = {"0=0 1=3 2=2 3=1", "0=1 1=2 2=2",     "0=1 1=3 2=2 3=1 6=1",
                                         "0=0 1=2 2=2 5=3", "0=1 1=2 2=1 5=2", "0=1 4=1",
                                         "0=0 7=1 8=3",     "0=1 7=1 8=2"};
    for (int p = 0; p < 8; p++) {
        const layer_case a = make("Pooling1D", params[p], 9, 7, 0, 0),
                         b = make("Pooling3D", params[p], 5, 3, 4, 5);
        layer_check(&a);
        layer_check(&b);
    }
    const layer_case c =
        make("Pooling3D", "0=0 1=1 11=2 21=3 2=1 12=2 22=1 3=0 13=1 14=1 15=0 16=0 23=2 5=1", 9, 2, 4, 3);
    layer_check(&c);
    const layer_case d = make("Pooling3D", "0=1 7=1 8=1 18=2 28=3", 9, 2, 4, 3);
    layer_check(&d);
}
END_TEST

START_TEST(full_mode_makes_one_window_of_a_small_input)
{
    const layer_case a = make("Pooling", "0=1 1=3 2=2", 5, 1, 2, 0),
                     b = make("Pooling", "0=0 1=7 2=3", 5, 2, 9, 0);
    layer_check(&a);
    layer_check(&b);
}
END_TEST

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++)
        in->v[j] = j % 11 == 3 ? NAN : j % 7 == 2 ? -INFINITY : j % 13 == 5 ? INFINITY : in->v[j];
}

static void all_nan(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = NAN;
}

START_TEST(nan_and_infinity_travel)
{
    static const char *const params[] = {"0=0 1=3 2=1 5=1", "0=0 1=2 2=2 3=1", "0=1 1=2 2=1", "0=0 4=1"};
    for (int p = 0; p < 4; p++) {
        layer_case c = make("Pooling", params[p], 17, 3, 11, 0);
        c.fill = extremes;
        layer_check(&c);
        c.fill = all_nan;
        layer_check(&c);
    }
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    static const struct { const char *params, *words; ebb_status s;
    } rows[] = {{"0=2 1=2", "pooling_type", EBB_E_PARAM},
                {"0=0 1=0", "kernel_h and stride_h must be at least 1, they are 0 and 1", EBB_E_PARAM},
                {"0=0 1=2 2=0", "stride_h", EBB_E_PARAM},
                {"0=0 1=2 11=-3", "kernel_h", EBB_E_PARAM},
                {"0=0 1=2 3=-1", "padding of axis h", EBB_E_PARAM},
                {"0=0 1=2 5=4", "pad_mode", EBB_E_PARAM},
                {"0=0 7=1", "out_h", EBB_E_PARAM},
                {"0=0 1=8 5=1", "window of 8 does not fit axis h: 5 with padding 0 and 0", EBB_E_SHAPE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layer_case c = make("Pooling", rows[i].params, 3, 5, 7, 0);
        c.reference = NULL;
        layer_refuses(&c, rows[i].s, rows[i].words);
    }
    layer_case c = make("Pooling", "0=0 1=2", 3, 5, 7, 0);
    c.reference = NULL, c.in[0].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 3x5, a blob with 3 axes is needed");
}
END_TEST

int main(void)
{
    return run_tests("pool",
                     (const test_entry[]){{"windows", windows},
                                          {"whole_and_adaptive", whole_and_adaptive},
                                          {"other_ranks", other_ranks},
                                          {"small_input", full_mode_makes_one_window_of_a_small_input},
                                          {"nan_and_infinity", nan_and_infinity_travel},
                                          {"errors", errors_say_what_is_wrong},
                                          {0}});
}
