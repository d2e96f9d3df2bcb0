// SPDX-License-Identifier: BSD-3-Clause
// conv_depthwise_test.c - a channel by itself, in images of many blocks, with and without neighbours that
// share columns.
#include "conv_reference.h"

START_TEST(many_blocks_depthwise)
{
    static const conv_row rows[] = {
        {"0=9 1=3 4=1 5=1 6=81 7=9", 3, {9, 15, 29}, 81, 9},
        {"0=17 1=5 4=2 6=425 7=17", 3, {17, 9, 23}, 425, 0},
        {"0=5 1=3 2=2 3=2 6=45 7=5", 3, {5, 31, 17}, 45, 0},
        {0},
    };
    conv_check("ConvolutionDepthWise", W_F32, rows);
}
END_TEST

int main(void)
{
    return run_tests("conv_depthwise",
                     (const test_entry[]){{"many_blocks_depthwise", many_blocks_depthwise}, {0}});
}
