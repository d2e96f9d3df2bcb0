// SPDX-License-Identifier: BSD-3-Clause
// windows_test.c - how many windows fit, and where the first one begins.
#include "harness.h"
#include "parts/windows.h"
#include <string.h>

static void check(int kernel, int dilation, int stride, int before, int after, int size, int n, int first)
{
    const ebb_windows p = {.kernel_w = kernel,
                           .kernel_h = kernel,
                           .dilation_w = dilation,
                           .dilation_h = dilation,
                           .stride_w = stride,
                           .stride_h = stride,
                           .pad_left = before,
                           .pad_right = after,
                           .pad_top = before,
                           .pad_bottom = after};
    ebb_axis x = {0}, y = {0};
    const bool fits = ebb_windows_x(&p, size, &x);
    ck_assert_int_eq(fits, ebb_windows_y(&p, size, &y));
    ck_assert_int_eq(fits, n > 0);
    ck_assert_int_eq(x.out, n);
    ck_assert_int_eq(y.out, n);
    if (fits) ck_assert_int_eq(x.before, first);
}

START_TEST(counts)
{
    check(1, 1, 1, 0, 0, 5, 5, 0);
    check(3, 1, 1, 0, 0, 5, 3, 0);
    check(3, 2, 2, 1, 2, 5, 2, 1);
    check(3, 1, 1, 0, 0, 2, 0, 0);
    check(2, 1, 1, 0, 0, 0, 0, 0);
    check(4, 1, 2, -233, -233, 5, 3, 1);
    check(4, 1, 2, -234, -234, 5, 3, 2);
    check(2147483647, 2147483647, 1, 2147483647, 2147483647, 2147483647, 0, 0);
}
END_TEST

// Each number on its own is refused; automatic pads only where all four say so, and where they are allowed.
START_TEST(each_number_counts)
{
    enum { NUMBERS = 10, PADS = 6 };
    ebb_error e;
    for (int i = 0; i < NUMBERS; i++) {
        ebb_windows p = {0};
        int *const at[NUMBERS] = {&p.kernel_w, &p.kernel_h, &p.dilation_w, &p.dilation_h, &p.stride_w,
                                  &p.stride_h, &p.pad_left, &p.pad_right, &p.pad_top, &p.pad_bottom};
        for (int k = 0; k < NUMBERS; k++) *at[k] = k < PADS ? 1 : 0;
        ck_assert_int_eq(ebb_windows_init(&p, true, &e), EBB_OK);
        *at[i] = i < PADS ? 0 : -1;
        ck_assert_int_eq(ebb_windows_init(&p, true, &e), EBB_E_PARAM);
        ck_assert_msg(strstr(e.msg, i < PADS ? "must be at least 1" : "must not be negative") != NULL, "%s",
                      e.msg);
        *at[i] = 1;
        for (int same = -234; same <= -233; same++) {
            for (int k = PADS; k < NUMBERS; k++) *at[k] = same;
            ck_assert_int_eq(ebb_windows_init(&p, true, &e), EBB_OK);
            ck_assert_int_eq(ebb_windows_init(&p, false, &e), EBB_E_PARAM);
            *at[i] = 1;
            ck_assert_int_eq(ebb_windows_init(&p, true, &e), i < PADS ? EBB_OK : EBB_E_PARAM);
        }
    }
}
END_TEST

int main(void)
{
    return run_tests("windows", (const test_entry[]){{"counts", counts},
                                                     {"each_number_counts", each_number_counts}, {0}});
}
