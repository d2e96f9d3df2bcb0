// SPDX-License-Identifier: BSD-3-Clause
// deconvolution_test.c - Deconvolution against its definition.
#include "conv_reference.h"

static const char type[] = "Deconvolution";

static const conv_row rows[] = {
    {"0=3 1=3 3=2 4=1 5=1 6=54 18=1", 3, {2, 3, 4}, 54, 3},
    {"0=5 1=1 6=15 3=2", 3, {3, 2, 3}, 15, 0},
    {"0=17 1=4 11=2 5=1 6=680 3=2 13=3 9=1", 3, {5, 2, 3}, 680, 17},
    {"0=2 1=3 2=2 3=3 4=2 15=0 6=54 19=2", 3, {3, 3, 2}, 54, 0},
    {"0=3 1=4 3=2 4=-233 5=1 6=48 20=7 21=5", 3, {1, 3, 4}, 48, 3},
    {"0=3 1=4 2=3 3=2 4=-234 6=144 20=9 21=8", 3, {3, 3, 3}, 144, 0},
    {"0=2 1=2 3=2 4=-233 6=16 18=2", 3, {2, 2, 3}, 16, 0},
    {"0=3 1=1 11=5 13=4 6=15 9=4", 3, {1, 2, 3}, 15, 0},
    {"0=2 1=3 3=2 4=1 6=18", 2, {4, 5}, 18, 0},
    {0},
};

START_TEST(f32) { conv_check(type, W_F32, rows); }
END_TEST

START_TEST(f16) { conv_check(type, W_F16, rows); }
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "28=1 5=1 3=2 4=1", 3, (int[]){5, 3, 4}, (int[]){5, 7, 3, 2}, 7);
    conv_check_dynamic(type, "28=1 2=2", 3, (int[]){2, 3, 3}, (int[]){2, 18, 2, 2}, 0);
}
END_TEST

START_TEST(refusals)
{
    conv_refuses(type, &(conv_row){"0=2 1=1 4=1 6=4", 3, {2, 2, 2}, 4, 0}, EBB_E_SHAPE,
                 "nothing is left");
    conv_refuses(type, &(conv_row){"0=2 1=3 4=-233 6=36 20=9 21=3", 3, {2, 3, 3}, 36, 0}, EBB_E_SHAPE,
                 "the width of the output is at most 5, 9 is wanted");
    conv_refuses(type, &(conv_row){"0=2 1=3 6=36", 3, {3, 3, 3}, 36, 0}, EBB_E_SHAPE,
                 "has 3 channels, the weights are for 2");
}
END_TEST

int main(void)
{
    return run_tests(
        "deconvolution",
        (const test_entry[]){
            {"f32", f32}, {"f16", f16}, {"dynamic_weights", dynamic_weights}, {"refusals", refusals}, {0}});
}
