// SPDX-License-Identifier: BSD-3-Clause
// deconvolutiondepthwise1d_test.c - DeconvolutionDepthWise1D against its definition.
#include "conv_reference.h"

static const char type[] = "DeconvolutionDepthWise1D";

static const conv_row rows[] = {
    {"0=5 1=3 3=2 4=1 5=1 6=15 7=5", 2, {5, 4}, 15, 5},
    {"0=4 1=4 3=2 6=48 7=2 18=1", 2, {6, 3}, 48, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "28=1 5=1 3=2 7=3", 2, (int[]){6, 3}, (int[]){6, 2, 3}, 6);
}
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=5 1=1 6=5 7=2", 2, {5, 3}, 5, 0}, EBB_E_PARAM,
                 "num_output 5 is not a multiple of group 2");
}
END_TEST

int main(void)
{
    return run_tests(
        "deconvolutiondepthwise1d",
        (const test_entry[]){
            {"f32", f32}, {"f16", f16}, {"dynamic_weights", dynamic_weights}, {"refusals", refusals}, {0}});
}
