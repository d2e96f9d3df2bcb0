// SPDX-License-Identifier: BSD-3-Clause
// collect_test.c - sums and extremes over sets, with every kernel table: any number of sets, near or apart.
#include "parts/collect.h"
#include "cpu.h"
#include "harness.h"
#include "kernels/kernels.h"
#include <math.h>

enum { ROWS = 5, COLS = 70 };

static double of_set(int op, const float *x, ptrdiff_t step, int n)
{
    double acc = op == EBB_PRODUCT ? 1 : op == EBB_LARGEST ? -INFINITY : op == EBB_SMALLEST ? INFINITY : 0;
    for (int i = 0; i < n; i++) {
        const double v = x[i * step];
        if (op == EBB_SUM)
            acc += v;
        else if (op == EBB_SUM_ABS)
            acc += fabs(v);
        else if (op == EBB_SUM_SQUARE)
            acc += v * v;
        else if (op == EBB_PRODUCT)
            acc *= v;
        else if (op == EBB_LARGEST)
            acc = fmax(acc, v);
        else
            acc = fmin(acc, v);
    }
    return acc;
}

static void check(const ebb_kernels *k, int op, const float *x, const ebb_desc *within, int m, ptrdiff_t step)
{
    float acc[EBB_SETS + 1];
    ebb_loop l;
    ebb_loop_init(&l, 1, &within);
    acc[m] = 77;
    ebb_collect(k, op, &l, 0, acc, x, (size_t)m, step, NULL);
    ck_assert_msg(acc[m] == 77, "%s: op %d wrote behind %d sets", k->isa, op, m);
    for (int j = 0; j < m; j++) {
        const double want = of_set(op, x + j * step, within->stride[0], within->dim[0]);
        ck_assert_msg(acc[j] == want || fabs(acc[j] - want) <= 1e-5 * fabs(want),
                      "%s: op %d, set %d of %d is %g, want %g", k->isa, op, j, m, acc[j], want);
    }
}

START_TEST(sets_near_and_apart)
{
    static const int ops[] = {EBB_SUM, EBB_SUM_ABS, EBB_SUM_SQUARE, EBB_PRODUCT, EBB_LARGEST, EBB_SMALLEST};
    float x[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++) x[i] = (float)((i * 37 + 11) % 17 - 8) / 8 + 0.25f;
    const ebb_desc rows = {EBB_F32, 1, {COLS}, {1}}, columns = {EBB_F32, 1, {ROWS}, {COLS}},
                   none = {EBB_F32, 1, {0}, {1}};
    for (int t = 0; ebb_cpu_table(t); t++)
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            for (int m = 1; m <= ROWS; m++) check(ebb_cpu_table(t), ops[i], x, &rows, m, COLS);
            for (int m = 1; m <= EBB_SETS; m += m < 20 ? 1 : 11)
                check(ebb_cpu_table(t), ops[i], x, &columns, m, 1);
            check(ebb_cpu_table(t), ops[i], x, &none, 3, 1);
        }
}
END_TEST

START_TEST(axes_come_off)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){3, 5, 7});
    const ebb_desc off = ebb_axes_off(&d, 5u), only = ebb_axes_only(&d, 5u);
    ck_assert(off.dim[0] == 1 && off.dim[1] == 5 && off.dim[2] == 1 && off.stride[1] == d.stride[1]);
    ck_assert(only.dim[0] == 3 && only.dim[1] == 1 && only.dim[2] == 7 && only.stride[0] == d.stride[0]);
}
END_TEST

START_TEST(pieces_of_sets)
{
    ck_assert_int_eq(ebb_sets_piece(0, 1), EBB_SETS);
    ck_assert_int_eq(ebb_sets_piece(1, 7), EBB_SETS);
    ck_assert_int_eq(ebb_sets_piece(1 << 20, 7), 1);
    ck_assert_int_eq(ebb_sets_piece(1 << 20, 1), 16);
}
END_TEST

int main(void)
{
    return run_tests("collect", (const test_entry[]){{"sets near and apart", sets_near_and_apart},
                                                     {"axes come off", axes_come_off},
                                                     {"pieces of sets", pieces_of_sets},
                                                     {0}});
}
