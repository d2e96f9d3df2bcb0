// SPDX-License-Identifier: BSD-3-Clause
// conv_geometry_test.c - sizes against the definition of a window, and the tables of pointers against coordinates.
#include "parts/conv_geometry.h"
#include "cpu.h"
#include "harness.h"
#include <limits.h>
#include <string.h>

static int size_of(int in, ebb_axis_params p, int *before)
{
    ebb_axis a;
    ebb_error e;
    ck_assert_int_eq(ebb_axis_conv(&a, in, &p, "width", &e), EBB_OK);
    *before = a.before;
    return a.out;
}

START_TEST(sizes)
{
    int b;
    ck_assert_int_eq(size_of(7, (ebb_axis_params){3, 1, 1, 0, 0, 0, 0}, &b), 5);
    ck_assert_int_eq(size_of(7, (ebb_axis_params){3, 2, 1, 1, 1, 0, 0}, &b), 5);
    ck_assert_int_eq(size_of(8, (ebb_axis_params){3, 1, 2, 1, 0, 0, 0}, &b), 4);
    ck_assert_int_eq(size_of(0, (ebb_axis_params){3, 1, 1, 2, 2, 0, 0}, &b), 2);  // padding alone
    for (int in = 1; in < 20; in++) {  // "same": ceil(in / stride) outputs; the odd pixel goes to one side
        for (int k = 1; k < 6; k++) {
            for (int s = 1; s < 4; s++) {
                int upper, lower;
                ck_assert_int_eq(size_of(in, (ebb_axis_params){k, 1, s, -233, -233, 0, 0}, &upper),
                                 (in + s - 1) / s);
                ck_assert_int_eq(size_of(in, (ebb_axis_params){k, 1, s, -234, -234, 0, 0}, &lower),
                                 (in + s - 1) / s);
                const int all = k + (in - 1) / s * s - in;
                ck_assert_int_eq(upper + lower, all > 0 ? all : 0);
                ck_assert(lower == upper || lower == upper + 1);
            }
        }
    }
}
END_TEST

START_TEST(transposed_sizes)
{
    ebb_axis a;
    ebb_error e;
    ck_assert_int_eq(ebb_axis_deconv(&a, 4, &(ebb_axis_params){3, 1, 2, 1, 1, 1, 0}, "width", &e), EBB_OK);
    ck_assert_int_eq(a.out, 8);
    ck_assert_int_eq(ebb_axis_deconv(&a, 4, &(ebb_axis_params){4, 1, 2, -233, -233, 0, 7}, "width", &e),
                     EBB_OK);
    ck_assert_int_eq(a.out, 7);
    ck_assert_int_eq(a.before, 1);
    ck_assert_int_eq(ebb_axis_deconv(&a, 4, &(ebb_axis_params){4, 1, 2, -234, -234, 0, 7}, "width", &e),
                     EBB_OK);
    ck_assert_int_eq(a.before, 2);
    ck_assert_int_eq(ebb_axis_deconv(&a, 4, &(ebb_axis_params){4, 1, 2, -233, -233, 0, 0}, "width", &e),
                     EBB_OK);
    ck_assert_int_eq(a.out, 10);
}
END_TEST

START_TEST(refusals)
{
    ebb_axis a;
    ebb_error e;
    ck_assert_int_eq(ebb_axis_conv(&a, 2, &(ebb_axis_params){3, 1, 1, 0, 0, 0, 0}, "height", &e),
                     EBB_E_SHAPE);
    ck_assert_ptr_nonnull(
        strstr(e.msg, "height of the input, 2 with padding 0 and 0, is smaller than the kernel"));
    ck_assert_int_eq(ebb_axis_conv(&a, 5, &(ebb_axis_params){3, INT_MAX, 1, 1, 1, 0, 0}, "width", &e),
                     EBB_E_SHAPE);
    ck_assert_int_eq(ebb_axis_conv(&a, 5, &(ebb_axis_params){1, 1, 1, INT_MAX, INT_MAX, 0, 0}, "width", &e),
                     EBB_E_SHAPE);
    ck_assert_int_eq(ebb_axis_conv(&a, 5, &(ebb_axis_params){3, 1, 0, 1, 1, 0, 0}, "width", &e), EBB_E_PARAM);
    ck_assert_int_eq(ebb_axis_deconv(&a, 4, &(ebb_axis_params){4, 1, 2, -233, -233, 0, 11}, "width", &e),
                     EBB_E_SHAPE);
    ck_assert_int_eq(ebb_axis_deconv(&a, 2, &(ebb_axis_params){3, 1, 1, 2, 2, 0, 0}, "width", &e),
                     EBB_E_SHAPE);
    ck_assert_int_eq(ebb_axis_deconv(&a, INT_MAX, &(ebb_axis_params){3, 1, 9, 0, 0, 0, 0}, "width", &e),
                     EBB_E_SHAPE);
}
END_TEST

START_TEST(inside)
{
    for (int s = 1; s < 4; s++) {
        for (int before = -4; before < 8; before++) {
            for (int dilation = -2; dilation <= 2; dilation++) {
                const ebb_axis a = {
                    .in = 5, .out = 9, .kernel = 3, .dilation = dilation, .stride = s, .before = before};
                for (int k = 0; k < 3; k++) {
                    int from, to;
                    ebb_axis_inside(&a, k, a.out, &from, &to);
                    for (int o = 0; o < a.out; o++) {
                        const int i = o * s + k * dilation - before;
                        ck_assert_int_eq(o >= from && o < to, i >= 0 && i < a.in);
                    }
                }
            }
        }
    }
}
END_TEST

// Every pointer of a table, taken apart again; what is gathered stands where they point.
static void check_points(const ebb_axis axis[3], const ebb_region *r, int first, int n)
{
    static float data[4096], values[4096];
    enum { Z = 500, Y = 50, X = 4, ORIGIN = 16, CHANNELS = 2 };
    for (int i = 0; i < 4096; i++) data[i] = (float)i;
    const ebb_volume in = {
        .data = (char *)(data + ORIGIN), .origin = 4 * ORIGIN, .channel = 4, .stride = {4 * Z, 4 * Y, 4 * X}};
    const void *table[2048];
    void *out[64];
    const int row = n + 1;
    const float pad = -1;
    ebb_points_in(table, row, axis, r, first, n, &in, &pad);
    const ebb_volume to = {.data = (char *)data, .channel = 1, .stride = {4000, 300, 20}};
    ebb_points_out(out, r, first, n, &to);
    ebb_points_gather(ebb_cpu_table(0), values, row, axis, r, first, n, &in, CHANNELS, pad);
    const int taps = axis[0].kernel * axis[1].kernel * axis[2].kernel;
    for (int t = 0; t < taps; t++)
        for (int i = 0; i < n; i++) {
            const int w = r->x1 - r->x0, h = r->y1 - r->y0, at = first + i;
            const int k[] = {t / axis[2].kernel / axis[1].kernel, t / axis[2].kernel % axis[1].kernel,
                             t % axis[2].kernel};
            const int o[] = {at / w / h, r->y0 + at / w % h, r->x0 + at % w};
            int in_at = 0;
            bool hit = true;
            for (int a = 0; a < 3; a++) {
                const int j = o[a] * axis[a].stride + k[a] * axis[a].dilation - axis[a].before;
                hit &= j >= 0 && j < axis[a].in;
                in_at += j * (const int[]){Z, Y, X}[a];
            }
            ck_assert_ptr_eq(out[i], (char *)data + o[0] * 4000 + o[1] * 300 + o[2] * 20);
            ck_assert_ptr_eq(table[t * row + i], hit ? &data[in_at] : &pad);
            for (int c = 0; c < CHANNELS; c++)
                ck_assert_float_eq(values[(t * CHANNELS + c) * row + i], hit ? (float)(in_at + c) : pad);
        }
}

START_TEST(points)
{
    for (int s = 1; s < 4; s++)
        for (int d = -1; d < 3; d++)
            for (int pad = 1; pad < 3; pad++) {
                const ebb_axis axis[3] = {
                    {.in = 3, .out = 3, .kernel = 2, .dilation = 1, .stride = 1, .before = 1},
                    {.in = 4, .out = 6, .kernel = 3, .dilation = d, .stride = s, .before = pad},
                    {.in = 5, .out = 7, .kernel = 3, .dilation = d, .stride = s, .before = pad}};
                const ebb_region all = {3, 0, 6, 0, 7}, part = {3, 2, 5, 1, 4};
                check_points(axis, &all, 0, 40);
                check_points(axis, &all, 33, 60);
                check_points(axis, &part, 5, 13);
            }
}
END_TEST

int main(void)
{
    return run_tests("conv_geometry", (const test_entry[]){{"sizes", sizes},
                                                           {"transposed_sizes", transposed_sizes},
                                                           {"refusals", refusals},
                                                           {"inside", inside},
                                                           {"points", points},
                                                           {0}});
}
