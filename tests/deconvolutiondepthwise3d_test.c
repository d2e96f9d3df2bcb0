// SPDX-License-Identifier: BSD-3-Clause
// deconvolutiondepthwise3d_test.c - DeconvolutionDepthWise3D against its definition.
#include "conv_reference.h"

static const char type[] = "DeconvolutionDepthWise3D";

static const conv_row rows[] = {
    {"0=5 1=2 3=2 5=1 6=40 7=5", 4, {5, 2, 2, 2}, 40, 5},
    {"0=4 1=2 6=96 7=2 4=1 19=1", 4, {6, 2, 2, 3}, 96, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=4 1=1 6=4 7=3", 4, {4, 1, 1, 1}, 4, 0}, EBB_E_PARAM,
                 "num_output 4 is not a multiple of group 3");
}
END_TEST

int main(void)
{
    return run_tests("deconvolutiondepthwise3d",
                     (const test_entry[]){{"f32", f32}, {"f16", f16}, {"refusals", refusals}, {0}});
}
