// SPDX-License-Identifier: BSD-3-Clause
// gemm_i8_test.c - Gemm with 8-bit products: constants in bytes and in floats, transposes, C, transposed
// outputs.
#include "gemm_ref.h"

START_TEST(forms)
{
    static const gemm_row rows[] = {
        {1, 1, 1, 0, 0, 0, 0, 2},     {5, 7, 3, 0, 0, 0, 0, 2},     {5, 70, 33, 2, 0, 5, 0, 2},
        {6, 7, 9, 1, 0, 2, 0, 2},     {5, 7, 3, 7, 0, 6, 0, 2},     {5, 7, 33, 2, 2, 6, W_I8, 2},
        {5, 7, 33, 0, 2, 4, W_I8, 1}, {9, 7, 5, 0, 1, 0, W_I8, 2},  {9, 7, 5, 5, 1, 3, W_I8, 2},
        {9, 7, 5, 13, 7, 5, W_I8, 2}, {9, 7, 5, 2, 3, 1, W_F32, 2}, {9, 7, 5, 5, 7, 2, W_F16, 2},
        {3, 130, 17, 4, 0, 4, 0, 2},  {0, 4, 3, 0, 0, 0, 0, 2},     {5, 7, 3, 24, 0, 0, 0, 2}};
    char params[160];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = gemm_case(&rows[i], params);
        layer_check(&c);
    }
}
END_TEST

int main(void) { return run_tests("gemm_i8", (const test_entry[]){{"forms", forms}, {0}}); }
