// SPDX-License-Identifier: BSD-3-Clause
// choose_test.c - a part of a blob is copied out exactly where that lowers the peak.
#include "small_layers.h"
#include <string.h>

// A small part of a large blob waits for the end, while large blobs are made in between.
static const char *const waits =
    "Input in 0 1 x\nFork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\nFork m 1 1 r m\nFork n 1 1 m n\n"
    "Concat j 2 1 l n j\n";

START_TEST(a_small_part_is_copied_out_when_the_whole_would_wait)
{
    const ebb_desc d = vec(64);
    const char *text = trace_of(waits, &d, ONE("j"), 1);
    ck_assert_msg(strstr(text, "alloc l 16") && strstr(text, "alloc r 240"), "%s", text);
    ck_assert_msg(strstr(text, "alloc r 240 512\nread a 0\nrelease a 256 256"), "%s", text);
}
END_TEST

START_TEST(parts_stay_views_where_a_copy_gains_nothing)
{
    const ebb_desc d = vec(64);
    const char *text =
        trace_of("Input in 0 1 x\nFork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\nConcat j 2 1 l r j\n",
                 &d, ONE("j"), 1);
    ck_assert_msg(strstr(text, "view l of a") && strstr(text, "view r of a"), "%s", text);
}
END_TEST

// Element i of the blob `name` for x = 1, 2, …, 64.
static void values(const char *net_text, const char *name, int n, float (*want)(int i))
{
    ebb_net *net = small_net(net_text, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(64);
    ebb_blob *b;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_extract(x, name, EBB_TAKE_PLANAR, &b, NULL), EBB_OK);
    ck_assert_int_eq(ebb_blob_desc(b)->dim[0], n);
    for (int i = 0; i < n; i++)
        ck_assert_msg(ebb_f32(b)[i] == want(i), "%s %d: %g", name, i, (double)ebb_f32(b)[i]);
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}

static float joined(int i) { return (float)(i < 4 ? i + 2 : i + 4); }
static float second_part(int i) { return (float)i + 6; }

START_TEST(copies_and_views_hold_the_same_values)
{
    values(waits, "j", 64, joined);
    values(waits, "r", 60, second_part);
    values(
        "Input in 0 1 x\nFork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\nFork m 1 1 r m\nFork n 1 1 m n\n"
        "Concat j 2 1 l n j\nFork k 1 1 a k\n",
        "j", 64, joined);
    values("Input in 0 1 x\nFork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\n", "r", 60, second_part);
}
END_TEST

START_TEST(the_choice_follows_the_input)
{
    ebb_net *net = small_net(waits, NULL, 0);
    static walk_text log;
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    for (int round = 0; round < 4; round++) {
        const int n = round % 2 ? 4 : 64;  // of 4 elements none is left for r: nothing to gain
        const ebb_desc d = vec(n);
        walk_text_clear(&log);
        give(x, "x", &d, 1);
        ck_assert_float_eq(first_of(x, "j"), 2);
        ck_assert_msg((strstr(log.text, "view l of a") != NULL) == (n == 4), "%d: %s", n, log.text);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("choose", (const test_entry[]){T(a_small_part_is_copied_out_when_the_whole_would_wait),
                                                    T(parts_stay_views_where_a_copy_gains_nothing),
                                                    T(copies_and_views_hold_the_same_values),
                                                    T(the_choice_follows_the_input),
                                                    {0}});
}
