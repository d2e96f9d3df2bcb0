// SPDX-License-Identifier: BSD-3-Clause
// conv_gemm_test.c - panels of weights: several for each group, shared out when pixels are few.
#include "conv_reference.h"

START_TEST(panels)
{
    static const conv_row rows[] = {
        {"0=130 1=1 6=390", 3, {3, 2, 9}, 390, 0},
        {"0=67 1=3 4=1 5=1 6=3015", 3, {5, 3, 3}, 3015, 67},
        {"0=1 1=1 6=17", 3, {17, 1, 1}, 17, 0},
        {0},
    };
    conv_check("Convolution", W_F32, rows);
    conv_check("Convolution", W_F16, rows);
}
END_TEST

START_TEST(panels_of_groups)
{
    static const conv_row rows[] = {
        {"0=140 1=1 6=280 7=2", 3, {4, 2, 3}, 280, 0},
        {"0=9 1=3 4=1 6=162 7=3", 3, {6, 4, 5}, 162, 0},
        {0},
    };
    conv_check("ConvolutionDepthWise", W_F32, rows);
}
END_TEST

int main(void)
{
    return run_tests("conv_gemm",
                     (const test_entry[]){{"panels", panels}, {"panels_of_groups", panels_of_groups}, {0}});
}
