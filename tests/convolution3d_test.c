// SPDX-License-Identifier: BSD-3-Clause
// convolution3d_test.c - Convolution3D against its definition.
#include "conv_reference.h"

static const char type[] = "Convolution3D";

static const conv_row rows[] = {
    {"0=5 1=1 5=1 6=15", 4, {3, 2, 3, 4}, 15, 5},
    {"0=3 1=3 6=162 4=1 9=1", 4, {2, 3, 4, 3}, 162, 0},
    {"0=17 1=2 11=1 21=3 5=1 6=306 3=2 13=1 23=1 4=0 24=1 14=1 17=0 18=0.5", 4, {3, 3, 2, 4}, 306, 17},
    {"0=2 1=2 2=2 6=80 4=-233", 4, {5, 2, 3, 4}, 80, 0},
    {"0=2 1=2 3=2 6=16 4=-234", 3, {3, 4, 5}, 16, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=2 1=3 6=54", 4, {1, 2, 5, 5}, 54, 0}, EBB_E_SHAPE,
                 "the depth of the input, 2 with padding 0 and 0, is smaller");
}
END_TEST

int main(void)
{
    return run_tests("convolution3d",
                     (const test_entry[]){{"f32", f32}, {"f16", f16}, {"refusals", refusals}, {0}});
}
