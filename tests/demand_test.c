// SPDX-License-Identifier: BSD-3-Clause
// demand_test.c - what a request makes run, once or again.
#include "small_layers.h"
#include <string.h>

static const char *const four = "Input in 0 1 x\nFork f 1 1 x f\nSplit s 1 3 f f0 f1 f2\nReLU a 1 1 f0 "
                                "a\nFork b 1 2 f1 b c\nBinaryOp d 2 1 f2 b d\n";

START_TEST(a_branch_that_nobody_declared_is_not_computed)
{
    const ebb_desc d = vec(4);
    const char *text = "Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\nFork c 1 1 a c\n";
    ck_assert_str_eq(
        trace_of(text, &d, (const char *const[]){"b", "a"}, 2),
        "alloc a 16 32\nread x 0\nrelease x 16 16\nalloc b 16 32\nread a 1\nread b 0\nrelease b 16 16\n"
        "read a 0\nrelease a 16 0\n");
    // One name: every layer is in scope, so `a` waits for `c`.
    ck_assert_str_eq(trace_of(text, &d, ONE("b"), 1),
                     "alloc a 16 32\nread x 0\nrelease x 16 16\nalloc b 16 32\nread a 1\n");
}
END_TEST

START_TEST(any_order_of_extracts_gives_the_same_values)
{
    const char *const names[] = {"a", "c", "d", "f"};
    const float want[] = {2, 4, 5, 2};
    ebb_net *net = small_net(four, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(3);
    int seen = 0;
    for (int p = 0; p < 256; p++) {
        const int at[] = {p & 3, p >> 2 & 3, p >> 4 & 3, p >> 6};
        int set = 0;
        for (int i = 0; i < 4; i++) set |= 1 << at[i];
        if (set != 15) continue;
        seen++;
        ebb_error e = {0};
        const float data[] = {1, 2, 3};
        ck_assert(ebb_extractor_copy(x, "x", &d, data, &e) == EBB_OK);
        for (int i = 0; i < 4; i++) ck_assert_float_eq(first_of(x, names[at[i]]), want[at[i]]);
        ebb_extractor_reset(x);
    }
    ck_assert_int_eq(seen, 24);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(a_released_blob_is_made_again_or_explained)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\nFork c 1 1 b c\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(2);
    const float data[] = {10, 20};
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert(ebb_extractor_borrow(x, "x", &d, data, &e) == EBB_OK);
    ck_assert_float_eq(first_of(x, "c"), 13);
    ck_assert_float_eq(first_of(x, "a"), 11);
    ebb_extractor_reset(x);

    give(x, "x", &d, 10);
    ck_assert_float_eq(first_of(x, "c"), 13);
    ck_assert_int_eq(ebb_extractor_extract(x, "a", EBB_TAKE_PLANAR, &b, &e), EBB_E_STATE);
    ck_assert_str_eq(
        e.msg, "making 'a' needs input 'x', which was given and is gone: declare the outputs that you want, "
               "keep 'a', or borrow the input");
    ck_assert_float_eq(first_of(x, "c"), 13);  // still good
    ebb_extractor_reset(x);

    give(x, "x", &d, 10);
    ck_assert(ebb_extractor_keep(x, "a", &e) == EBB_OK);
    ck_assert_float_eq(first_of(x, "c"), 13);
    ck_assert_float_eq(first_of(x, "a"), 11);
    ebb_extractor_reset(x);

    ck_assert_int_eq(ebb_extractor_extract(x, "c", EBB_TAKE_PLANAR, &b, &e), EBB_E_STATE);
    ck_assert_str_eq(e.msg, "input 'x' was not set: copy, borrow or give it before extracting 'c'");
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(any_blob_can_be_set)
{
    ebb_net *net = small_net("Input in 0 1 x\nFail a 1 1 x a\nFork b 1 1 a b\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(2);
    give(x, "a", &d, 5);
    ck_assert_float_eq(first_of(x, "#2"), 6);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(an_input_that_nobody_reads_goes_at_once)
{
    static walk_text log;
    ebb_net *net = small_net("Input in 0 1 x\nInput other 0 1 z\nFork a 1 1 x a\nFork c 1 1 z c\n", NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    ebb_error e = {0};
    const ebb_desc d = vec(100), one = vec(1);
    give(x, "x", &d, 1);
    give(x, "z", &one, 1);
    ck_assert(ebb_extractor_declare(x, ONE("c"), 1, &e) == EBB_OK);
    walk_text_clear(&log);
    ck_assert_float_eq(first_of(x, "c"), 2);
    ck_assert_str_eq(log.text, "release x 400 4\nalloc c 4 8\nread z 0\nrelease z 4 4\nread c 0\nrelease c 4 0\n");
    // What was not declared is made all the same while its inputs are there.
    ebb_extractor_reset(x);
    give(x, "x", &d, 1);
    give(x, "z", &one, 1);
    ck_assert(ebb_extractor_declare(x, ONE("c"), 1, &e) == EBB_OK);
    ck_assert_float_eq(first_of(x, "a"), 2);
    ck_assert_float_eq(first_of(x, "c"), 2);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests("demand", (const test_entry[]){T(a_branch_that_nobody_declared_is_not_computed),
                                                    T(any_order_of_extracts_gives_the_same_values),
                                                    T(a_released_blob_is_made_again_or_explained),
                                                    T(any_blob_can_be_set),
                                                    T(an_input_that_nobody_reads_goes_at_once),
                                                    {0}});
}
