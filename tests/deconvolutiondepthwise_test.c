// SPDX-License-Identifier: BSD-3-Clause
// deconvolutiondepthwise_test.c - DeconvolutionDepthWise against its definition.
#include "conv_reference.h"

static const char type[] = "DeconvolutionDepthWise";

static const conv_row rows[] = {
    {"0=5 1=3 3=2 4=1 5=1 6=45 7=5 18=1", 3, {5, 2, 3}, 45, 5},
    {"0=33 1=4 3=2 4=1 6=528 7=33 9=1", 3, {33, 2, 2}, 528, 0},
    {"0=6 1=3 5=1 6=108 7=2 3=2", 3, {4, 2, 3}, 108, 6},
    {"0=6 1=2 6=24 7=3 4=-234 3=3 20=5 21=4", 3, {3, 2, 2}, 24, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "28=1 5=1 3=2 7=2", 3, (int[]){6, 2, 3}, (int[]){6, 2, 2, 3}, 4);
    conv_check_dynamic(type, "28=1 7=5 4=1", 3, (int[]){5, 3, 3}, (int[]){5, 1, 3, 3}, 0);
}
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=8 1=1 6=8 7=0", 3, {8, 1, 1}, 8, 0}, EBB_E_PARAM,
                 "group is 0");
}
END_TEST

int main(void)
{
    return run_tests(
        "deconvolutiondepthwise",
        (const test_entry[]){
            {"f32", f32}, {"f16", f16}, {"dynamic_weights", dynamic_weights}, {"refusals", refusals}, {0}});
}
