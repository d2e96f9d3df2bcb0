// SPDX-License-Identifier: BSD-3-Clause
// convolutiondepthwise3d_test.c - ConvolutionDepthWise3D against its definition.
#include "conv_reference.h"

static const char type[] = "ConvolutionDepthWise3D";

static const conv_row rows[] = {
    {"0=5 1=3 5=1 6=135 7=5 4=1", 4, {5, 2, 3, 3}, 135, 5},
    {"0=17 1=2 6=136 7=17 3=2 4=-234 9=1", 4, {17, 3, 2, 3}, 136, 0},
    {"0=4 1=2 11=1 21=1 5=1 6=24 7=2", 4, {6, 2, 2, 3}, 24, 4},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=8 1=1 6=8 7=-8", 4, {8, 1, 1, 1}, 8, 0}, EBB_E_PARAM,
                 "group is -8");
}
END_TEST

int main(void)
{
    return run_tests("convolutiondepthwise3d",
                     (const test_entry[]){{"f32", f32}, {"f16", f16}, {"refusals", refusals}, {0}});
}
