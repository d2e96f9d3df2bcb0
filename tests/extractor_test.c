// SPDX-License-Identifier: BSD-3-Clause
// extractor_test.c - inputs, limits and failures as callers meet them.
#include "small_layers.h"
#include <string.h>

START_TEST(borrowed_input_is_never_written)
{
    ebb_net *net = small_net("Input in 0 1 x\nReLU a 1 1 x a\nReLU b 1 1 a b\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(3);
    const float data[] = {-1, 2, -3};
    ebb_error e = {0};
    ck_assert(ebb_extractor_borrow(x, "x", &d, data, &e) == EBB_OK);
    ck_assert_float_eq(first_of(x, "b"), 0);
    ck_assert_float_eq(data[0], -1);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 12);  // the borrowed bytes cost nothing
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(given_twice_is_shared_not_written)
{
    ebb_net *net = small_net("Input in 0 1 x\nReLU a 1 1 x a\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(2);
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert(ebb_extractor_make(x, &d, &b, &e) == EBB_OK);
    ebb_f32(b)[0] = -4, ebb_f32(b)[1] = 4;
    ebb_blob *mine = ebb_blob_hold(b);
    ck_assert(ebb_extractor_give(x, "x", b, &e) == EBB_OK);
    ck_assert_float_eq(first_of(x, "a"), 0);
    ck_assert_float_eq(ebb_f32(mine)[0], -4);
    ebb_extractor_destroy(x);
    ebb_blob_drop(mine);
    walk_net_end(net);
}
END_TEST

START_TEST(what_the_caller_holds_outlives_everything)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(2);
    ebb_error e = {0};
    ebb_blob *b;
    give(x, "x", &d, 1);
    ck_assert(ebb_extractor_extract(x, "a", EBB_TAKE_PLANAR, &b, &e) == EBB_OK);
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
    ck_assert_float_eq(ebb_f32(b)[1], 3);
    ebb_blob_drop(b);
    walk_nothing_left();
}
END_TEST

START_TEST(inputs_of_another_size_need_only_a_reset)
{
    ebb_net *net = small_net("Input in 0 1 x 0=3\nFork a 1 1 x a\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    for (int n = 1; n < 40; n += 7) {
        const ebb_desc d = vec(n);
        give(x, "x", &d, (float)n);
        ck_assert_float_eq(first_of(x, "a"), (float)n + 1);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(the_limit_holds_to_the_byte)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\n", NULL, 0);
    const ebb_desc d = vec(100);
    for (int fits = 0; fits < 2; fits++) {
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.memory_limit = 800 - !fits});
        ebb_error e = {0};
        ebb_blob *b = NULL;
        give(x, "x", &d, 1);
        const ebb_status s = ebb_extractor_extract(x, "b", EBB_TAKE_PLANAR, &b, &e);
        ck_assert_int_eq(s, fits ? EBB_OK : EBB_E_LIMIT);
        if (!fits)
            ck_assert_str_eq(e.msg,
                             "blobs and scratch would take 800 bytes at their peak, in layer 1 'a' (Fork): "
                             "that is over the memory limit of 799 bytes");
        ebb_blob_drop(b);
        ebb_extractor_destroy(x);
    }
    walk_net_end(net);
}
END_TEST

START_TEST(an_input_over_the_limit_is_refused)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\n", NULL, 0);
    const ebb_desc d = vec(100);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.memory_limit = 399});
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert_int_eq(ebb_extractor_make(x, &d, &b, &e), EBB_E_LIMIT);
    ck_assert_ptr_null(b);
    ebb_extractor *free_of_limits = open_on(net, NULL);
    ck_assert(ebb_extractor_make(free_of_limits, &d, &b, &e) == EBB_OK);
    ck_assert_int_eq(ebb_extractor_give(x, "x", b, &e), EBB_E_LIMIT);
    ck_assert_str_eq(e.msg, "an input of 400 bytes on top of 0 held is over the memory limit of 399 bytes");
    ebb_blob_drop(b);  // still the caller's
    const float data[100] = {0};
    ck_assert_int_eq(ebb_extractor_copy(x, "x", &d, data, &e), EBB_E_LIMIT);
    ck_assert_int_eq(ebb_extractor_expect(x, "x", &d, &e), EBB_E_LIMIT);
    const uint8_t pixel = 1;
    const ebb_picture p = {.pixel = EBB_GRAY, .width = 1, .height = 1, .data = &pixel};
    const ebb_picture_fit fit = {.to_width = 10, .to_height = 10, .to = EBB_GRAY};
    ebb_mem_count before[EBB_MEM_KINDS], after[EBB_MEM_KINDS];
    ebb_net_memory(net, before);
    ck_assert_int_eq(ebb_extractor_picture(x, "x", &p, &fit, &e), EBB_E_LIMIT);
    ck_assert_int_eq(ebb_extractor_picture(free_of_limits, "no such blob", &p, &fit, &e), EBB_E_NAME);
    ebb_net_memory(net, after);
    ck_assert_uint_eq(before[EBB_MEM_BLOB].count, after[EBB_MEM_BLOB].count);  // asked before memory was taken
    ebb_extractor_destroy(x);
    ebb_extractor_destroy(free_of_limits);
    walk_net_end(net);
}
END_TEST

START_TEST(an_input_that_is_set_twice_counts_twice_while_there_are_two)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\n", NULL, 0);
    const ebb_desc d = vec(100), less = vec(50);
    const float data[100] = {1};
    ebb_error e = {0};
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor *x = open_on(net, NULL);
    for (int given = 0; given < 2; given++, ebb_extractor_reset(x)) {
        ck_assert(ebb_extractor_copy(x, "x", &d, data, &e) == EBB_OK);
        if (given) give(x, "x", &less, 1);
        else ck_assert(ebb_extractor_copy(x, "x", &less, data, &e) == EBB_OK);
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 600);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 200);
        ck_assert_float_eq(first_of(x, "a"), 2);
    }
    ebb_extractor_destroy(x);
    x = open_on(net, &(ebb_extractor_options){.memory_limit = 799});
    ck_assert(ebb_extractor_copy(x, "x", &d, data, &e) == EBB_OK);
    ck_assert_int_eq(ebb_extractor_copy(x, "x", &d, data, &e), EBB_E_LIMIT);
    ebb_blob *b;
    ck_assert(ebb_extractor_extract(x, "x", EBB_TAKE_AS_IS, &b, &e) == EBB_OK);  // the first one stayed
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(weights_that_are_given_cost_what_they_show)
{
    float w[1004] = {0};
    ebb_net *net =
        small_net("MemoryData m 0 1 m 0=4\nMemoryData n 0 1 n 0=1000\nBinaryOp b 2 1 m m y\n", w, sizeof w);
    ebb_error e = {0};
    ebb_extractor *x = open_on(net, NULL),
                  *tight = open_on(net, &(ebb_extractor_options){.memory_limit = 40});
    ebb_blob *b;
    ck_assert(ebb_extractor_extract(x, "m", EBB_TAKE_AS_IS, &b, &e) == EBB_OK);
    ck_assert_msg(ebb_extractor_give(tight, "m", b, &e) == EBB_OK, "%s", e.msg);
    ck_assert_float_eq(first_of(tight, "y"), 0);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(tight, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 32);  // m, which is a copy of lent memory, and y; not the whole file
    ebb_extractor_destroy(x);
    ebb_extractor_destroy(tight);
    walk_net_end(net);
}
END_TEST

START_TEST(what_fails_before_a_layer_ran_changes_nothing)
{
    ebb_net *net = small_net(
        "Input in 0 1 x\nInput other 0 1 z\nFork a 1 1 x a\nFork b 1 1 x b\nFork c 1 1 z c\n", NULL, 0);
    ebb_error e = {0};
    ebb_blob *b[2];
    const ebb_desc d = vec(2);
    for (int n = 1; n <= 2; n++)
        for (int expected = 0; expected < 2; expected++) {
            ebb_extractor *x = open_on(net, NULL);
            if (expected) ck_assert(ebb_extractor_expect(x, "x", &d, &e) == EBB_OK);
            const char *const wanted[] = {"a", "b"};
            ck_assert_int_eq(ebb_extractor_extract_many(x, wanted, n, EBB_TAKE_PLANAR, b, &e), EBB_E_STATE);
            ck_assert_msg(strstr(e.msg, expected ? "only expected" : "was not set"), "%s", e.msg);
            ck_assert_msg(ebb_extractor_declare(x, ONE("c"), 1, &e) == EBB_OK, "%s", e.msg);
            give(x, "z", &d, 1);
            ck_assert_float_eq(first_of(x, "c"), 2);
            ebb_extractor_destroy(x);
        }
    walk_net_end(net);
}
END_TEST

START_TEST(keeping_everything_keeps_every_value)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\nReLU b 1 1 a b\nFork c 1 1 b c\n", NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.keep_everything = true});
    const ebb_desc d = vec(2);
    give(x, "x", &d, -9);
    ck_assert_float_eq(first_of(x, "c"), 1);
    ck_assert_float_eq(first_of(x, "b"), 0);
    ck_assert_float_eq(first_of(x, "a"), -8);
    ck_assert_float_eq(first_of(x, "x"), -9);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){4, 2, 2});
    ebb_net *net = small_net("Input in 0 1 x\nPixel a 1 1 x a\nPlanar b 1 1 x b\nBinaryOp c 2 1 a b c\nSlice "
                             "s 1 2 c l r -23300=2,2,-233\n",
                             NULL, 0);
    for (int at = 1;; at++) {
        walk_fail_at(at);
        ebb_error e = {0};
        ebb_extractor *x = NULL;
        ebb_blob *b[2] = {NULL, NULL};
        const float data[16] = {1};
        ebb_status s = ebb_extractor_new(net, &(ebb_extractor_options){.threads = 2}, &x, &e);
        if (s == EBB_OK) s = ebb_extractor_copy(x, "x", &d, data, &e);
        if (s == EBB_OK)
            s = ebb_extractor_extract_many(x, (const char *const[]){"l", "r"}, 2, EBB_TAKE_PLANAR, b, &e);
        walk_fail_at(0);
        if (s != EBB_OK) {
            ck_assert_int_eq(s, EBB_E_NOMEM);
            ck_assert_ptr_null(b[0]);
        }
        if (x && s != EBB_OK) {  // the same object works afterwards
            ebb_extractor_reset(x);
            ck_assert(ebb_extractor_copy(x, "x", &d, data, &e) == EBB_OK);
            ck_assert_float_eq(first_of(x, "l"), 4);
        }
        ebb_blob_drop(b[0]), ebb_blob_drop(b[1]);
        ebb_extractor_destroy(x);
        if (s == EBB_OK) {
            ck_assert_int_gt(at, 8);
            break;
        }
    }
    walk_net_end(net);
}
END_TEST

static void cancel_at_a(void *user, const ebb_event *ev)
{
    if (ev->kind == EBB_EV_END && ev->layer == 1) ebb_extractor_cancel(*(ebb_extractor **)user);
}

START_TEST(a_cancelled_extract_stops_before_the_next_layer)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\n", NULL, 0);
    ebb_extractor *x = NULL;
    x = open_on(net, &(ebb_extractor_options){.observer = {cancel_at_a, &x}});
    ebb_error e = {0};
    const ebb_desc d = vec(2);
    ebb_blob *b;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_extract(x, "b", EBB_TAKE_PLANAR, &b, &e), EBB_E_CANCELLED);
    ck_assert_str_eq(e.msg, "cancelled before layer 2 'b'");
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
    return run_tests("extractor", (const test_entry[]){T(borrowed_input_is_never_written),
                                                       T(given_twice_is_shared_not_written),
                                                       T(what_the_caller_holds_outlives_everything),
                                                       T(inputs_of_another_size_need_only_a_reset),
                                                       T(the_limit_holds_to_the_byte),
                                                       T(an_input_over_the_limit_is_refused), T(keeping_everything_keeps_every_value),
                                                       T(an_input_that_is_set_twice_counts_twice_while_there_are_two),
                                                       T(weights_that_are_given_cost_what_they_show),
                                                       T(what_fails_before_a_layer_ran_changes_nothing),
                                                       T(every_allocation_may_fail),
                                                       T(a_cancelled_extract_stops_before_the_next_layer),
                                                       {0}});
}
