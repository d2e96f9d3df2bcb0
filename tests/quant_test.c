// SPDX-License-Identifier: BSD-3-Clause
// quant_test.c - 8-bit copies of matrices with every kernel table, row by row and column by column.
#include "parts/quant.h"
#include "cpu.h"
#include "quant_ref.h"
#include "harness.h"

static void check(const ebb_kernels *k, int rows, int cols, ptrdiff_t row, ptrdiff_t col)
{
    float x[40 * 40];
    int8_t q[40 * 40];
    float most = 0;
    for (int i = 0; i < 40 * 40; i++) x[i] = (float)((i * 37 + 11) % 129 - 64) / 16;
    const ebb_floats_at m = {x, rows, cols, row, col};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) most = fmaxf(most, fabsf(x[r * row + c * col]));
    const float scale = ebb_quant_scale(k, &m);
    ck_assert_float_eq(scale, most == 0 ? 1.f : 127.f / most);
    ebb_quant_fill(k, q, &m, scale);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            ck_assert_int_eq(q[r * cols + c], (int)eight(x[r * row + c * col], scale));
}

START_TEST(all_strides)
{
    for (int t = 0; ebb_cpu_table(t); t++) {
        check(ebb_cpu_table(t), 1, 33, 0, 1);
        check(ebb_cpu_table(t), 5, 17, 20, 1);
        check(ebb_cpu_table(t), 17, 5, 1, 20);
        check(ebb_cpu_table(t), 3, 5, 11, 2);
        check(ebb_cpu_table(t), 0, 5, 5, 1);
        check(ebb_cpu_table(t), 5, 0, 5, 1);
    }
}
END_TEST

START_TEST(zeros_have_a_scale_of_one)
{
    const float x[3] = {0};
    int8_t q[3] = {1, 1, 1};
    const ebb_floats_at m = {x, 1, 3, 0, 1};
    ck_assert_float_eq(ebb_quant_scale(ebb_cpu_table(0), &m), 1);
    ebb_quant_fill(ebb_cpu_table(0), q, &m, 1);
    ck_assert(q[0] == 0 && q[1] == 0 && q[2] == 0);
}
END_TEST

int main(void)
{
    return run_tests(
        "eight", (const test_entry[]){{"strides", all_strides}, {"zeros", zeros_have_a_scale_of_one}, {0}});
}
