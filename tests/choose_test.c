// SPDX-License-Identifier: BSD-3-Clause
// choose_test.c - a part of a blob is copied out exactly where that lowers the peak.
#include "small_layers.h"
#include <stdio.h>
#include <stdlib.h>
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

// Copying the parts takes as much as it saves: nothing is copied, and nothing of the attempt stays.
START_TEST(what_does_not_lower_the_peak_is_taken_back)
{
    static walk_text log;
    ebb_net *net = small_net("Input in 0 1 x\nInput in2 0 1 z\nFork a 1 1 x a\n"
                             "Slice s 1 3 a l r u -23300=3,4,56,-233\nFork m 1 1 z m\nConcat c 2 1 l m c\n"
                             "Reduction q 1 1 r q 0=0 1=1\n",
                             NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    const ebb_desc d = vec(64), other = vec(25);
    static const float data[64];
    ebb_blob *b[2];
    ebb_mem_count m[EBB_MEM_KINDS];
    ck_assert_int_eq(ebb_extractor_borrow(x, "x", &d, data, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_borrow(x, "z", &other, data, NULL), EBB_OK);
    ck_assert_int_eq(
        ebb_extractor_extract_many(x, (const char *const[]){"c", "q"}, 2, EBB_TAKE_PLANAR, b, NULL), EBB_OK);
    ck_assert_msg(strstr(log.text, "view l of a") && strstr(log.text, "view r of a"), "%s", log.text);
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 256 + 100 + 116);
    ebb_blob_drop(b[0]), ebb_blob_drop(b[1]);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// Blobs alone are highest when a is made, and nothing can be done; with scratch on top it is the worker that
// counts.
static const char *const works =
    "Input in 0 1 x\nFork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\n"
    "Reduction q 1 1 r q 0=0 1=1\nFork m 1 1 q m\nWorkers w 1 1 m w\nConcat j 2 1 w l j\n";

START_TEST(scratch_counts)
{
    ebb_net *net = small_net(works, NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = 4});
    const ebb_desc d = vec(64);
    ebb_prediction p;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("j"), 1, NULL, &p, NULL), EBB_OK);
    ck_assert_uint_eq(p.blob_peak, 512);
    ck_assert_uint_eq(p.joint_peak, 16 + 4 + 4 + 512);
    ck_assert_float_eq(first_of(x, "j"), 4);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// More parts than are looked at one after the other.
START_TEST(many_parts)
{
    enum { PARTS = 40 };
    char text[8192], *at = text + sprintf(text, "Input in 0 1 x\n");
    for (int i = 0; i < PARTS; i++)
        at +=
            sprintf(at, "Fork a%d 1 1 x a%d\nSlice s%d 1 2 a%d l%d r%d -23300=2,4,-233\n", i, i, i, i, i, i);
    at += sprintf(at, "Concat j %d 1", PARTS);
    for (int i = 0; i < PARTS; i++) at += sprintf(at, " l%d", i);
    sprintf(at, " j\n");
    ebb_net *net = small_net(text, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(64);
    ebb_prediction p;
    ebb_blob *b;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_declare(x, ONE("j"), 1, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("j"), 1, NULL, &p, NULL), EBB_OK);
    ck_assert_uint_le(p.blob_peak, 2 * PARTS * 16 + 2 * 256);
    ck_assert_int_eq(ebb_extractor_extract(x, "j", EBB_TAKE_PLANAR, &b, NULL), EBB_OK);
    for (int i = 0; i < PARTS * 4; i++) ck_assert_float_eq(ebb_f32(b)[i], 2.f + (float)(i % 4));
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// Blobs alone are lowest where the part is copied; the scratch that counts is on top of others, before.
START_TEST(blobs_are_lowered_where_scratch_cannot_be)
{
    ebb_net *net = small_net("Input in 0 1 x\nWorkers w 1 1 x v\nFork a 1 1 v a\n"
                             "Slice s 1 2 a l r -23300=2,4,-233\nFork m 1 1 r m\nFork n 1 1 m n\n"
                             "Concat j 2 1 l n j\n",
                             NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = 8});
    const ebb_desc d = vec(64);
    ebb_prediction p;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("j"), 1, NULL, &p, NULL), EBB_OK);
    ck_assert_uint_eq(p.joint_peak, 256 + 256 + 8 * 128);
    ck_assert_uint_eq(p.blob_peak, 16 + 240 + 256);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// Without a copy the peak is at m, with one it is at the Slice, as high: then nothing is copied.
START_TEST(what_takes_the_same_is_not_copied)
{
    for (int more = 0; more < 2; more++) {
        static walk_text log;
        ebb_net *net = small_net("Input in 0 1 x\nInput in2 0 1 z\nFork a 1 1 x a\n"
                                 "Slice s 1 2 a l r -23300=2,4,-233\nReduction q 1 1 r q 0=0 1=1\n"
                                 "Fork m 1 1 z m\nReduction n 1 1 m n 0=0 1=1\nBinaryOp t 2 1 l n t\n",
                                 NULL, 0);
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
        const ebb_desc d = vec(64), other = vec(63 + more);
        static const float data[64];
        ebb_blob *b[2];
        ebb_mem_count m[EBB_MEM_KINDS];
        ck_assert_int_eq(ebb_extractor_borrow(x, "x", &d, data, NULL), EBB_OK);
        ck_assert_int_eq(ebb_extractor_borrow(x, "z", &other, data, NULL), EBB_OK);
        ck_assert_int_eq(
            ebb_extractor_extract_many(x, (const char *const[]){"q", "t"}, 2, EBB_TAKE_PLANAR, b, NULL),
            EBB_OK);
        ck_assert_msg((strstr(log.text, "view l of a") != NULL) == !more, "%s", log.text);
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 512);
        ebb_blob_drop(b[0]), ebb_blob_drop(b[1]);
        ebb_extractor_destroy(x);
        walk_net_end(net);
    }
}
END_TEST

// Parts of wholes that are shown in full, more than are looked at, come before the one that is worth a copy.
START_TEST(what_is_shown_in_full_takes_no_candidate_s_place)
{
    enum { PAIRS = 40 };
    char text[8192], *at = text + sprintf(text, "Input in 0 1 x\nInput in2 0 1 z\n");
    for (int i = 0; i < PAIRS; i++)
        at +=
            sprintf(at, "Fork b%d 1 1 z b%d\nSlice t%d 1 2 b%d k%d o%d -23300=2,1,-233\n", i, i, i, i, i, i);
    at += sprintf(at,
                  "Fork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\nFork m 1 1 r m\nFork n 1 1 m n\n"
                  "Concat j %d 1",
                  2 * PAIRS + 2);
    for (int i = 0; i < PAIRS; i++) at += sprintf(at, " k%d o%d", i, i);
    sprintf(at, " l n j\n");
    (void)text;
    ebb_net *net = small_net(text, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(64), two = vec(2);
    ebb_prediction p;
    give(x, "x", &d, 1), give(x, "z", &two, 1);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("j"), 1, NULL, &p, NULL), EBB_OK);
    const size_t pairs = PAIRS * 8, joined_up = pairs + 256;
    ck_assert_uint_eq(p.blob_peak, pairs + 16 + 240 + joined_up);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// How many of 120 parts are copied out, each of which lowers the peak, in a net of so many layers and blobs.
static int copies_in(int size)
{
    enum { PARTS = 120 };
    char *text = malloc((size_t)size * 32 + PARTS * 128 + 64);
    ck_assert_ptr_nonnull(text);
    char *at = text + sprintf(text, "Input in 0 1 x\n");
    for (int i = 0; i < PARTS; i++)
        at += sprintf(at, "Fork a%d 1 1 x a%d\nCrop s%d 1 1 a%d l%d 0=1 3=4\n", i, i, i, i, i);
    at += sprintf(at, "Concat j %d 1", PARTS);
    for (int i = 0; i < PARTS; i++) at += sprintf(at, " l%d", i);
    at += sprintf(at, " c0\n");
    for (int i = 0; i + 2 * PARTS + 2 < size; i++) at += sprintf(at, "ReLU r%d 1 1 c%d c%d\n", i, i, i + 1);
    ebb_net *net = small_net(text, NULL, 0);
    static walk_text log;
    ebb_extractor *x = open_on(net, NULL);
    const ebb_observer watch = walk_text_observer(&log, net);
    const ebb_desc d = vec(64);
    ebb_prediction p;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("c0"), 1, &watch, &p, NULL), EBB_OK);
    int copies = 0;
    for (const char *l = log.text; (l = strstr(l, "alloc l")); l++) copies++;
    ebb_extractor_destroy(x);
    walk_net_end(net);
    free(text);
    return copies;
}

// As many walks as are tried, and all of them lower the peak: fewer in large nets, a few always.
START_TEST(large_nets_are_walked_less_often)
{
    ck_assert_int_eq(copies_in(300), 96);
    ck_assert_int_eq(copies_in(16384), 31);
}
END_TEST

// With scratch on top is looked at first: what is left of the walks goes to blobs alone, where all would have
// gone.
START_TEST(what_counts_is_lowered_first)
{
    enum { PARTS = 120, THREADS = 32 };
    static char text[PARTS * 128];
    char *at = text + sprintf(text, "Input in 0 1 x\nFork b 1 1 x b\nCrop t 1 1 b l 0=1 3=1\n"
                                    "Reduction q 1 1 b q 0=0 1=1\nWorkers w 1 1 q w\n"
                                    "BinaryOp y 2 1 l w y\n");
    for (int i = 0; i < PARTS; i++)
        at += sprintf(at, "Fork a%d 1 1 x a%d\nCrop s%d 1 1 a%d l%d 0=1 3=1\n", i, i, i, i, i);
    at += sprintf(at, "Concat j %d 1 y", PARTS + 1);
    for (int i = 0; i < PARTS; i++) at += sprintf(at, " l%d", i);
    sprintf(at, " j\n");
    ebb_net *net = small_net(text, NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = THREADS});
    const ebb_desc d = vec(6);
    ebb_prediction p;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("j"), 1, NULL, &p, NULL), EBB_OK);
    ck_assert_uint_eq(p.joint_peak, 24 + 3 * 4 + THREADS * 128);  // x, l, q, w: b is gone
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// Copying one of two parts of b gains nothing; the part of a that is tried after them does.
START_TEST(the_last_candidate_is_tried_too)
{
    static walk_text log;
    ebb_net *net =
        small_net("Input in 0 1 x\nFork b 1 1 x b\nCrop c 1 1 b u 0=1 3=1\nCrop d 1 1 b v 0=2 3=1\n"
                  "Fork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\nFork m 1 1 r m\n"
                  "Fork n 1 1 m n\nConcat j 4 1 u v l n j\n",
                  NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    const ebb_desc d = vec(64);
    give(x, "x", &d, 1);
    ck_assert_float_eq(first_of(x, "j"), 3);
    ck_assert_msg(strstr(log.text, "view u of b") && strstr(log.text, "view v of b") &&
                      strstr(log.text, "alloc l 16"),
                  "%s", log.text);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(every_request_is_chosen_for_anew)
{
    ebb_net *net = small_net(waits, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(64);
    ebb_prediction before, p, after;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("r"), 1, NULL, &before, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("j"), 1, NULL, &p, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("r"), 1, NULL, &after, NULL), EBB_OK);
    ck_assert_uint_eq(after.blob_peak, before.blob_peak);
    ck_assert_uint_eq(after.blob_total, before.blob_total);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// What could not be tried for want of memory is an error, and not a higher peak.
START_TEST(no_memory_to_try)
{
    ebb_net *net = small_net(works, NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = 4});
    const ebb_desc d = vec(64);
    ebb_prediction p;
    give(x, "x", &d, 1);
    ebb_status s = EBB_E_NOMEM;
    for (int call = 1; s != EBB_OK; call++) {
        walk_fail_at(call);
        s = ebb_extractor_predict(x, ONE("j"), 1, NULL, &p, NULL);
        walk_fail_at(0);
        ck_assert_msg(s == EBB_OK || s == EBB_E_NOMEM, "%d: %d", call, (int)s);
    }
    ck_assert_uint_eq(p.joint_peak, 16 + 4 + 4 + 512);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// One copy alone lowers nothing while others still look at the whole; and there are more than are tried.
START_TEST(many_parts_of_one_whole)
{
    enum { PARTS = 40 };
    static walk_text log;
    char text[8192], *at = text + sprintf(text, "Input in 0 1 x\nFork a 1 1 x a\n");
    for (int i = 0; i < PARTS; i++) at += sprintf(at, "Crop c%d 1 1 a l%d 0=%d 3=1\n", i, i, i);
    at += sprintf(at, "Concat j %d 1", PARTS);
    for (int i = 0; i < PARTS; i++) at += sprintf(at, " l%d", i);
    sprintf(at, " j\n");
    ebb_net *net = small_net(text, NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    const ebb_desc d = vec(64);
    give(x, "x", &d, 1);
    ck_assert_float_eq(first_of(x, "j"), 2);
    ck_assert_msg(strstr(log.text, "view l0 of a") && strstr(log.text, "view l39 of a"), "%s", log.text);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

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
                                                    T(what_does_not_lower_the_peak_is_taken_back),
                                                    T(scratch_counts),
                                                    T(many_parts),
                                                    T(blobs_are_lowered_where_scratch_cannot_be),
                                                    T(what_takes_the_same_is_not_copied),
                                                    T(what_is_shown_in_full_takes_no_candidate_s_place),
                                                    T(many_parts_of_one_whole),
                                                    T(large_nets_are_walked_less_often),
                                                    T(what_counts_is_lowered_first),
                                                    T(the_last_candidate_is_tried_too),
                                                    T(no_memory_to_try),
                                                    T(every_request_is_chosen_for_anew),
                                                    T(the_choice_follows_the_input),
                                                    {0}});
}
