// SPDX-License-Identifier: BSD-3-Clause
// axis_test.c - sizes against the definition of a window.
#include "parts/axis.h"
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

START_TEST(windows_want_sizes)
{
    ebb_axis a;
    ebb_error e;
    static const struct {
        int in;
        ebb_axis_params p;
    } t[] = {{-1, {3, 1, 1, 0, 0, 0, 0}}, {5, {0, 1, 1, 0, 0, 0, 0}}, {5, {3, 0, 1, 0, 0, 0, 0}},
             {5, {3, 1, 0, 0, 0, 0, 0}}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ck_assert_int_eq(ebb_axis_conv(&a, t[i].in, &t[i].p, "width", &e), EBB_E_PARAM);
        ck_assert_int_eq(ebb_axis_deconv(&a, t[i].in, &t[i].p, "width", &e), EBB_E_PARAM);
        ck_assert_ptr_nonnull(strstr(e.msg, "of the width must be at least 1"));
    }
    ck_assert_int_eq(ebb_axis_conv(&a, 0, &(ebb_axis_params){3, 1, 1, -233, -233, 0, 0}, "width", &e),
                     EBB_E_SHAPE);
    ck_assert_int_eq(ebb_axis_deconv(&a, 0, &(ebb_axis_params){3, 1, 2, 0, 0, 0, 0}, "width", &e), EBB_OK);
    ck_assert_int_eq(a.out, 0);
}
END_TEST

// Pads and extents of windows that leave int, although the size would not.
START_TEST(more_than_int)
{
    ebb_axis a;
    ebb_error e;
    static const ebb_axis_params pad = {5, INT_MAX, 1, -233, -233, 0, 0},
                                 wide = {2, INT_MAX, 1, INT_MAX, INT_MAX, 0, 0};
    ck_assert_int_eq(ebb_axis_conv(&a, 5, &pad, "width", &e), EBB_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(e.msg, "more than this machine can count"));
    ck_assert_int_eq(ebb_axis_conv(&a, 5, &wide, "width", &e), EBB_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(e.msg, "more than this machine can count"));
    ck_assert_int_eq(ebb_axis_deconv(&a, 2, &(ebb_axis_params){3, 1, 1, 3, 3, 0, 0}, "width", &e),
                     EBB_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(e.msg, "4, is cut by 3 and 3: nothing is left"));
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

int main(void)
{
    return run_tests("axis", (const test_entry[]){{"sizes", sizes},
                                                  {"transposed_sizes", transposed_sizes},
                                                  {"refusals", refusals},
                                                  {"windows_want_sizes", windows_want_sizes},
                                                  {"more_than_int", more_than_int},
                                                  {"inside", inside},
                                                  {0}});
}
