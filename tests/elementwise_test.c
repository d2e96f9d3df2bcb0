// SPDX-License-Identifier: BSD-3-Clause
// elementwise_test.c - axes as files write them.
#include "parts/elementwise.h"
#include "harness.h"

START_TEST(axes_are_found)
{
    int at;
    ck_assert(ebb_find_axis(0, 3, &at, NULL) == EBB_OK && at == 0);
    ck_assert(ebb_find_axis(2, 3, &at, NULL) == EBB_OK && at == 2);
    ck_assert(ebb_find_axis(-1, 3, &at, NULL) == EBB_OK && at == 2);
    ck_assert(ebb_find_axis(-3, 3, &at, NULL) == EBB_OK && at == 0);
    ck_assert(ebb_find_axis(-2, 1, &at, NULL) == EBB_OK && at == 0);
    ck_assert_int_eq(ebb_find_axis(3, 3, NULL, NULL), EBB_E_SHAPE);
    ck_assert_int_eq(ebb_find_axis(-4, 3, NULL, NULL), EBB_E_SHAPE);
}
END_TEST

int main(void) { return run_tests("elementwise", (const test_entry[]){{"axes", axes_are_found}, {0}}); }
