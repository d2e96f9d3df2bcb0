// SPDX-License-Identifier: BSD-3-Clause
// deconvolution1d_test.c - Deconvolution1D against its definition.
#include "conv_reference.h"

static const char type[] = "Deconvolution1D";

static const conv_row rows[] = {
    {"0=3 1=3 3=2 4=1 5=1 6=18 18=1", 2, {2, 4}, 18, 3},
    {"0=17 1=5 2=2 6=255 9=1", 2, {3, 4}, 255, 0},
    {"0=2 1=4 3=3 4=-233 6=16 20=8", 2, {2, 3}, 16, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "28=1 5=1 3=2", 2, (int[]){5, 4}, (int[]){5, 3, 4}, 3);
}
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=3 1=3 6=18", 3, {2, 3, 4}, 18, 0}, EBB_E_SHAPE,
                 "rank 3, at most 2 fits");
}
END_TEST

int main(void)
{
    return run_tests(
        "deconvolution1d",
        (const test_entry[]){
            {"f32", f32}, {"f16", f16}, {"dynamic_weights", dynamic_weights}, {"refusals", refusals}, {0}});
}
