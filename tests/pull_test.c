// SPDX-License-Identifier: BSD-3-Clause
// pull_test.c - the order of work and of releases, asserted through exact traces.
#include "small_layers.h"

START_TEST(a_diamond_without_split)
{
    const ebb_desc d = vec(6);
    ck_assert_str_eq(
        trace_of("Input in 0 1 x\nFork a 1 1 x a\nReLU l 1 1 a l\nReLU r 1 1 a r\nBinaryOp s 2 1 l r s\n", &d,
                 ONE("s"), 1),
        "alloc a 24 48\nread x 0\nrelease x 24 24\n"
        "alloc l 24 48\nread a 1\n"
        "steal r from a 48\nread a 0\nrelease a 0 48\n"
        "steal s from l 48\nread l 0\nrelease l 0 48\nread r 0\nrelease r 24 24\n");
}
END_TEST

START_TEST(a_diamond_with_split_peaks_alike)
{
    const ebb_desc d = vec(6);
    ck_assert_str_eq(
        trace_of("Input in 0 1 x\nFork a 1 1 x a\nSplit p 1 2 a a0 a1\nReLU l 1 1 a0 l\nReLU r 1 1 a1 r\n"
                 "BinaryOp s 2 1 l r s\n",
                 &d, ONE("s"), 1),
        "alloc a 24 48\nread x 0\nrelease x 24 24\n"
        "view a0 of a 24\nview a1 of a 24\nread a 0\nrelease a 0 24 kept by a0\n"
        "alloc l 24 48\nread a0 0\nrelease a0 0 48 kept by a1\n"
        "steal r from a1 48\nread a1 0\nrelease a1 0 48\n"
        "steal s from l 48\nread l 0\nrelease l 0 48\nread r 0\nrelease r 24 24\n");
}
END_TEST

START_TEST(after_a_failure_only_reset_helps)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\nFail bad 1 1 a b\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = vec(3);
    ebb_blob *b;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_extract(x, "b", EBB_TAKE_PLANAR, &b, &e), EBB_E_UNSUPPORTED);
    ck_assert_str_eq(e.msg, "layer 2 'bad' (Fail): the test wants it so");
    ck_assert_int_eq(ebb_extractor_extract(x, "a", EBB_TAKE_PLANAR, &b, &e), EBB_E_STATE);
    ebb_extractor_reset(x);
    give(x, "x", &d, 1);
    ck_assert_float_eq(first_of(x, "a"), 2);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests(
        "pull", (const test_entry[]){T(a_diamond_without_split),
                                     T(a_diamond_with_split_peaks_alike),
                                     T(after_a_failure_only_reset_helps),
                                     {0}});
}
