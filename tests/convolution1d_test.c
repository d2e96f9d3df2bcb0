// SPDX-License-Identifier: BSD-3-Clause
// convolution1d_test.c - Convolution1D against its definition.
#include "conv_reference.h"

static const char type[] = "Convolution1D";

static const conv_row rows[] = {
    {"0=5 1=1 5=1 6=15", 2, {3, 7}, 15, 5},
    {"0=18 1=3 4=1 6=270 9=1", 2, {5, 9}, 270, 0},
    {"0=3 1=5 2=2 3=2 4=-233 5=1 6=255 9=2 -23310=1,0.25", 2, {17, 13}, 255, 3},
    {"0=2 1=4 3=3 4=-234 6=8 18=-1", 2, {1, 11}, 8, 0},
    {"0=3 1=3 6=9 4=2 15=0", 1, {6}, 9, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "19=1 5=1 4=1", 2, (int[]){5, 6}, (int[]){4, 5, 3}, 4);
    conv_check_dynamic(type, "19=1 3=2", 2, (int[]){3, 5}, (int[]){17, 3, 2}, 0);
}
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=3 1=3 6=36", 3, {1, 4, 16}, 36, 0}, EBB_E_SHAPE,
                 "rank 3, at most 2 fits");
    conv_refuses(type, &(conv_row){"0=3 1=3 6=36", 2, {4, 2}, 36, 0}, EBB_E_SHAPE,
                 "is smaller than the kernel");
    conv_refuses(type, &(conv_row){"0=3 1=3 6=36", 2, {5, 9}, 36, 0}, EBB_E_SHAPE,
                 "has 5 channels, the weights are for 4");
}
END_TEST

int main(void)
{
    return run_tests(
        "convolution1d",
        (const test_entry[]){
            {"f32", f32}, {"f16", f16}, {"dynamic_weights", dynamic_weights}, {"refusals", refusals}, {0}});
}
