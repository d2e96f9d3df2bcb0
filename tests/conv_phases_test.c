// SPDX-License-Identifier: BSD-3-Clause
// conv_phases_test.c - transposed convolutions: phases of many blocks, strides that share a factor with the
// dilation, and phases without a tap.
#include "conv_reference.h"

START_TEST(many_blocks_transposed)
{
    static const conv_row rows[] = {
        {"0=3 1=5 3=2 4=2 5=1 6=150 18=1", 3, {2, 11, 13}, 150, 3},
        {"0=2 1=3 2=2 3=4 6=54", 3, {3, 5, 7}, 54, 0},
        {"0=2 1=2 3=3 6=24", 3, {3, 4, 5}, 24, 0},
        {"0=2 1=2 3=2147483647 6=24", 3, {3, 1, 1}, 24, 0},  // a stride that nothing is added to
        {0},
    };
    conv_check("Deconvolution", W_F32, rows);
}
END_TEST

int main(void)
{
    return run_tests("conv_phases",
                     (const test_entry[]){{"many_blocks_transposed", many_blocks_transposed}, {0}});
}
