// SPDX-License-Identifier: BSD-3-Clause
// nearest_test.c - the names that are proposed.
#include "harness.h"
#include "nearest.h"
#include <string.h>

static const char *near(const char *wanted)
{
    static const char *const names[] = {"Convolution", "ConvolutionDepthWise", "ReLU", "PReLU",
                                        "data",        "conv1_relu",           "x"};
    ebb_nearest n = ebb_nearest_to(wanted);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) ebb_nearest_offer(&n, names[i]);
    return n.name ? n.name : "";
}

START_TEST(close_names_are_proposed)
{
    ck_assert_str_eq(near("Convoluton"), "Convolution");
    ck_assert_str_eq(near("convolution"), "Convolution");
    ck_assert_str_eq(near("Relu"), "ReLU");
    ck_assert_str_eq(near("date"), "data");
    ck_assert_str_eq(near("conv1relu"), "conv1_relu");
    ck_assert_str_eq(near("ConvolutionDepthwise1"), "ConvolutionDepthWise");
}
END_TEST

START_TEST(far_names_are_not)
{
    ck_assert_str_eq(near("q"), "");
    ck_assert_str_eq(near("softmax"), "");
    ck_assert_str_eq(near(""), "");
}
END_TEST

START_TEST(long_names_do_no_harm)
{
    char a[500], b[500];
    memset(a, 'a', sizeof a);
    memset(b, 'a', sizeof b);
    a[499] = b[499] = 0;
    b[3] = 'b';
    ebb_nearest n = ebb_nearest_to(a);
    ebb_nearest_offer(&n, b);
    ck_assert_ptr_eq(n.name, b);
}
END_TEST

int main(void)
{
    return run_tests("nearest", (const test_entry[]){{"close_names_are_proposed", close_names_are_proposed},
                                                     {"far_names_are_not", far_names_are_not},
                                                     {"long_names_do_no_harm", long_names_do_no_harm},
                                                     {0}});
}
