// SPDX-License-Identifier: BSD-3-Clause
// interp_test.c - Interp: nearest, bilinear, bicubic; by scale, size, second input and expression; vectors,
// rows, pictures.
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double cubic(double t)
{
    const double a = -0.75, x = fabs(t);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// The weight of pixel j of n for result i of m.
static double weight(const layer_case *c, int j, int i, int n, int m, double scale)
{
    const int type = (int)case_param(c, 0, 0), align = (int)case_param(c, 6, 0);
    const double step = align   ? m > 1 ? (double)(n - 1) / (m - 1) : 0
                        : scale ? 1 / (double)(float)scale
                                : (double)n / m;
    const double at = align ? i * step : (i + 0.5) * step - 0.5;
    if (type == 1)
        return j == fmin(n - 1, floor(scale ? i / scale : (double)((float)i * ((float)n / (float)m))));
    double sum = 0;
    for (int k = (int)floor(at) - 1; k <= (int)floor(at) + 2; k++)
        if ((k < 0 ? 0 : k >= n ? n - 1 : k) == j)
            sum += type == 2 ? fmax(0, 1 - fabs(at - k)) : cubic(at - k);
    return sum;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int rank = in[0].rank, h = rank > 2 ? in[0].dim[1] : 1, wide = rank > 1 ? in[0].dim[rank - 1] : 1;
    const bool sized = c->n_in > 1 || strstr(c->params, "9=") || (case_param(c, 3, 0) && case_param(c, 4, 0));
    const double sy = sized ? 0 : case_param(c, 1, 1), sx = sized ? 0 : case_param(c, 2, 1);
    int oh = sized ? (int)case_param(c, 3, 0) : (int)((float)h * (float)sy),
        ow = sized ? (int)case_param(c, 4, 0) : (int)((float)wide * (float)sx);
    if (strstr(c->params, "9=")) oh = h / 2 + 1, ow = wide * 2;  // as the one expression below
    if (c->n_in > 1) oh = in[1].dim[in[1].rank - 2], ow = in[1].dim[in[1].rank - 1];
    const int dim[] = {in[0].dim[0], oh, ow}, rows[] = {in[0].dim[0], ow};
    out[0] = tensor_new(rank == 2 ? 2 : 3, rank == 2 ? rows : dim);
    double *v = out[0].v;
    for (int q = 0; q < in[0].dim[0]; q++)
        for (int y = 0; y < (rank == 2 ? 1 : oh); y++)
            for (int x = 0; x < ow; x++, v++)
                for (int i = 0; i < h; i++)
                    for (int j = 0; j < wide; j++)
                        *v += in[0].v[(q * h + i) * wide + j] *
                              weight(c, i, rank == 2 ? 0 : y, h, rank == 2 ? 1 : oh, sy) *
                              weight(c, j, x, wide, ow, sx);
}

static layer_case make(const char *params, int rank, int a, int b, int d)
{
    return (layer_case){.type = "Interp",
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 2e-6,
                        .reference = reference,
                        .in = {{.rank = rank, .dim = {a, b, d}}}};
}

START_TEST(sizes_and_scales)
{
    static const char *const sizes[] = {"1=2.0 2=2.0", "1=0.5 2=0.5",         "1=1.5 2=2.5", "3=4 4=9",
                                        "3=1 4=1",     "3=0 4=7 1=2.0 2=1.0", "3=11 4=3",    "1=0.8 2=1.2",
                                        "1=1.3 2=0.4", "1=2.9 2=0.9"};
    char params[64];
    for (int type = 1; type <= 3; type++)
        for (int s = 0; s < 10; s++)
            for (int align = 0; align < (type == 1 ? 1 : 2); align++) {
                snprintf(params, sizeof params, "0=%d %s 6=%d", type, sizes[s], align);
                const layer_case a = make(params, 3, s % 2 ? 17 : 3, 5, 6);
                layer_check(&a);
                if (s == 4) continue;
                const layer_case b = make(params, 2, 17, 6, 0);
                layer_check(&b);
            }
}
END_TEST

START_TEST(vectors_and_small_pictures)
{
    static const char *const params[] = {"0=1 3=3 4=4", "0=2 1=2.0 2=3.0", "0=3 3=2 4=2", "0=2 3=5 4=5 6=1"};
    for (int p = 0; p < 4; p++) {
        const layer_case a = make(params[p], 1, 33, 0, 0), b = make(params[p], 3, 5, 1, 1),
                         c = make(params[p], 3, 5, 2, 3);
        layer_check(&a);
        layer_check(&b);
        layer_check(&c);
    }
}
END_TEST

START_TEST(size_of_another_blob_or_an_expression)
{
    char params[64];
    for (int type = 1; type <= 3; type++) {
        snprintf(params, sizeof params, "0=%d 5=1", type);
        layer_case c = make(params, 3, 9, 5, 6);
        c.n_in = 2, c.in[1].rank = 3, c.in[1].dim[0] = 2, c.in[1].dim[1] = 7, c.in[1].dim[2] = 4;
        layer_check(&c);
        c.in[1].dim[1] = 10, c.in[1].dim[2] = 12;  // of a feature pyramid
        layer_check(&c);
        c.in[1].dim[1] = 3, c.in[1].dim[2] = 2;
        layer_check(&c);
        snprintf(params, sizeof params, "0=%d 5=1 9=\"*(0w,2),+(//(0h,2),1)\"", type);
        c = make(params, 3, 9, 5, 6);
        layer_check(&c);
    }
}
END_TEST

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = j % 3 == 0 ? NAN : j % 3 == 1 ? INFINITY : 1;
}

// Pixels that are met exactly are copied, whatever stands beside them.
static void same(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)c, (void)w;
    out[0] = tensor_new(3, in[0].dim);
    memcpy(out[0].v, in[0].v, tensor_count(&in[0]) * sizeof *in[0].v);
}

START_TEST(nothing_to_do_keeps_nan_and_infinity_apart)
{
    static const char *const params[] = {"0=1", "0=2 3=4 4=5", "0=3 3=4 4=5 6=1"};
    for (int p = 0; p < 3; p++) {
        layer_case c = make(params[p], 3, 17, 4, 5);
        c.fill = extremes, c.reference = same;
        layer_check(&c);
    }
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    static const struct { const char *params, *words; ebb_status s;
    } rows[] = {{"0=0 1=2.0", "resize_type must be 1, 2 or 3", EBB_E_PARAM},
                {"0=4", "resize_type", EBB_E_PARAM},
                {"0=1 1=0.1 2=1.0", "0 high and 6 wide", EBB_E_SHAPE},
                {"0=1 1=-1.0 2=1.0", "is none", EBB_E_SHAPE},
                {"0=1 1=1.0 2=nan", "is none", EBB_E_SHAPE},
                {"0=1 1=1e20 2=1.0", "-1 high and 6 wide is none", EBB_E_SHAPE},
                {"0=1 1=0.1 3=7", "0 high and 6 wide", EBB_E_SHAPE},  // one size alone: the scales decide
                {"0=1 9=\"(\"", "", EBB_E_PARAM},
                {"0=2 5=1", "needs a second input", EBB_E_PARAM},
                {"0=2 9=\"1,2,3\"", "size_expr has 3 values", EBB_E_PARAM},
                {"0=2 9=\"-(0w,6),1\"", "1 high and 0 wide", EBB_E_SHAPE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layer_case c = make(rows[i].params, 3, 3, 5, 6);
        c.reference = NULL;
        layer_refuses(&c, rows[i].s, rows[i].words);
    }
    layer_case c = make("0=1 3=4 4=4", 3, 3, 0, 6);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 3x0x6");
    c.in[0].rank = 4, c.in[0].dim[1] = 2, c.in[0].dim[3] = 2;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 3x2x6x2");
    c = make("0=1", 3, 3, 5, 6);
    c.reference = NULL;
    c.n_in = 2;
    c.in[1].rank = 1;  // of a row the width alone counts
    layer_refuses(&c, EBB_E_SHAPE, "a result 1 high and 0 wide is none");
    c.params = "0=1 9=\"0\"";
    layer_refuses(&c, EBB_E_SHAPE, "a result 5 high and 0 wide is none");
    c.params = "0=1 9=\"//(0w,0)\"";
    layer_refuses(&c, EBB_E_SHAPE, "divides by zero in a shape expression");
}
END_TEST

int main(void)
{
    return run_tests("interp", (const test_entry[]){{"sizes_and_scales", sizes_and_scales},
                                                    {"small", vectors_and_small_pictures},
                                                    {"reference", size_of_another_blob_or_an_expression},
                                                    {"extremes", nothing_to_do_keeps_nan_and_infinity_apart},
                                                    {"errors", errors_say_what_is_wrong},
                                                    {0}});
}
