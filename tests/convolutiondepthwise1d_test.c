// SPDX-License-Identifier: BSD-3-Clause
// convolutiondepthwise1d_test.c - ConvolutionDepthWise1D against its definition.
#include "conv_reference.h"

static const char type[] = "ConvolutionDepthWise1D";

static const conv_row rows[] = {
    {"0=5 1=3 5=1 6=15 7=5 4=1", 2, {5, 7}, 15, 5},
    {"0=17 1=5 6=85 7=17 2=2 4=4 9=1", 2, {17, 6}, 85, 0},
    {"0=6 1=2 5=1 6=60 7=2 3=2 4=-233", 2, {10, 7}, 60, 6},
    {"0=4 1=3 6=36 7=4 4=1", 2, {4, 5}, 36, 0},
    {"0=6 1=2 5=1 6=48 7=3 4=-234", 2, {12, 5}, 48, 6},
    {"0=6 1=2 6=48 7=3", 2, {6, 5}, 48, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "19=1 5=1 4=1 7=3", 2, (int[]){6, 5}, (int[]){9, 2, 3}, 9);
    conv_check_dynamic(type, "19=1 7=4", 2, (int[]){4, 5}, (int[]){4, 1, 2}, 0);
}
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=8 1=3 6=24 7=3", 2, {8, 9}, 24, 0}, EBB_E_PARAM,
                 "num_output 8 is not a multiple of group 3");
    conv_refuses(type, &(conv_row){"0=4 1=3 6=36 7=4", 2, {7, 9}, 36, 0}, EBB_E_SHAPE,
                 "has 7 channels, the weights are for 12");
}
END_TEST

int main(void)
{
    return run_tests(
        "convolutiondepthwise1d",
        (const test_entry[]){
            {"f32", f32}, {"f16", f16}, {"dynamic_weights", dynamic_weights}, {"refusals", refusals}, {0}});
}
