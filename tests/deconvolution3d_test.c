// SPDX-License-Identifier: BSD-3-Clause
// deconvolution3d_test.c - Deconvolution3D against its definition.
#include "conv_reference.h"

static const char type[] = "Deconvolution3D";

static const conv_row rows[] = {
    {"0=3 1=2 3=2 5=1 6=48 18=1 4=1", 4, {2, 2, 2, 3}, 48, 3},
    {"0=18 1=1 11=2 21=3 6=324 23=2 13=1 9=1", 4, {3, 2, 2, 2}, 324, 0},
    {"0=2 1=3 3=2 4=-233 6=54 25=4 26=5 27=3", 4, {1, 2, 2, 2}, 54, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=2 1=3 4=-234 6=54 25=9 26=4 27=3", 4, {1, 2, 2, 2}, 54, 0}, EBB_E_SHAPE,
                 "the width of the output is at most 4, 9 is wanted");
}
END_TEST

int main(void)
{
    return run_tests("deconvolution3d",
                     (const test_entry[]){{"f32", f32}, {"f16", f16}, {"refusals", refusals}, {0}});
}
