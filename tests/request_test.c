// SPDX-License-Identifier: BSD-3-Clause
// request_test.c - declaring, extracting one or several, names that do not exist.
#include "small_layers.h"
#include <string.h>

static const char *const chain = "Input in 0 1 x\nFork first 1 1 x a\nFork second 1 1 a b\n";

START_TEST(a_wrong_name_proposes_the_nearest)
{
    ebb_net *net = small_net("Input in 0 1 data\nFork prob 1 1 data result\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert_int_eq(ebb_extractor_extract(x, "resulf", EBB_TAKE_PLANAR, &b, &e), EBB_E_NAME);
    ck_assert_msg(strstr(e.msg, "result"), "%s", e.msg);
    ck_assert_int_eq(ebb_extractor_extract(x, "prob", EBB_TAKE_PLANAR, &b, &e), EBB_E_NAME);
    ck_assert_msg(strstr(e.msg, "layer"), "%s", e.msg);
    ck_assert_int_eq(ebb_extractor_declare(x, ONE("nothing"), 1, &e), EBB_E_NAME);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(declared_outputs_leave_once_taken)
{
    ebb_net *net = small_net(chain, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = vec(2);
    give(x, "x", &d, 1);
    ck_assert(ebb_extractor_declare(x, ONE("b"), 1, &e) == EBB_OK);
    ck_assert_float_eq(first_of(x, "b"), 3);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 0);
    ck_assert_int_eq(ebb_extractor_declare(x, ONE("a"), 1, &e), EBB_E_STATE);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(what_was_not_declared_can_still_be_asked_for)
{
    ebb_net *net = small_net(chain, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = vec(2);
    const float data[] = {1, 2};
    ck_assert(ebb_extractor_borrow(x, "x", &d, data, &e) == EBB_OK);
    ck_assert(ebb_extractor_declare(x, ONE("a"), 1, &e) == EBB_OK);
    ck_assert_float_eq(first_of(x, "a"), 2);
    ck_assert_float_eq(first_of(x, "b"), 3);
    ck_assert_float_eq(first_of(x, "b"), 3);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(as_is_hands_out_the_engine_s_strides)
{
    ebb_net *net = small_net("Input in 0 1 x\nPixel a 1 1 x a\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){3, 2, 2});
    ebb_blob *b;
    give(x, "x", &d, 0);
    ck_assert(ebb_extractor_extract(x, "a", EBB_TAKE_AS_IS, &b, &e) == EBB_OK);
    ck_assert_int_eq(ebb_blob_desc(b)->stride[0], 1);
    ck_assert_float_eq(ebb_f32(b)[1], 5);  // channel 1 of the first pixel: 4, and one
    ebb_blob_drop(b);
    ck_assert(ebb_extractor_extract(x, "a", EBB_TAKE_PLANAR, &b, &e) == EBB_OK);
    ck_assert_int_eq(ebb_blob_desc(b)->stride[2], 1);
    ck_assert_float_eq(ebb_f32(b)[4], 5);
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// The caller has "a" when "c" is made, so its storage, which is also that of "b", stays as it is.
START_TEST(what_was_handed_out_is_not_overwritten_in_a_dry_walk_either)
{
    const ebb_desc d = vec(4);
    const char *text =
        trace_of("Input in 0 1 x\nSplit s 1 2 x a b\nTanH t 1 1 b c\n", &d, (const char *[]){"a", "c"}, 2);
    ck_assert_ptr_nonnull(strstr(text, "alloc c 16 32\n"));
}
END_TEST

// What follows a request that could not be met is what would have followed without it.
START_TEST(a_request_that_cannot_be_met_changes_nothing)
{
    static walk_text log;
    static char first[WALK_TEXT_ROOM];
    ebb_net *net = small_net("Input in 0 1 x\nInput other 0 1 z\nFork a 1 1 x a\nFork b 1 1 a b\n"
                             "Fork c 1 1 z c\nFork d 1 1 c d\n",
                             NULL, 0);
    for (int failing = 0; failing < 4; failing++) {
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
        const ebb_desc one = vec(2);
        ebb_blob *b[2];
        ebb_mem_count m[EBB_MEM_KINDS];
        give(x, "x", &one, 1);
        if (failing == 1)
            ck_assert_int_eq(ebb_extractor_extract(x, "d", EBB_TAKE_PLANAR, b, NULL), EBB_E_STATE);
        else if (failing)
            ck_assert_int_eq(ebb_extractor_extract_many(x,
                                                        (const char *const[]){"d", failing == 2 ? "b" : "c"},
                                                        2, EBB_TAKE_PLANAR, b, NULL),
                             EBB_E_STATE);
        give(x, "z", &one, 1);
        walk_text_clear(&log);
        ck_assert_int_eq(
            ebb_extractor_extract_many(x, (const char *const[]){"d", "b"}, 2, EBB_TAKE_PLANAR, b, NULL),
            EBB_OK);
        ck_assert_float_eq(ebb_f32(b[0])[0] + ebb_f32(b[1])[1], 7);
        ebb_blob_drop(b[0]), ebb_blob_drop(b[1]);
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 0);
        if (failing)
            ck_assert_str_eq(log.text, first);
        else
            strcpy(first, log.text);
        ebb_extractor_destroy(x);
    }
    walk_net_end(net);
}
END_TEST

// A declared blob is handed out once; asked for again, it is made again and stays, as any other.
START_TEST(a_declared_blob_is_declared_once)
{
    ebb_net *net = small_net(chain, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(2);
    ebb_mem_count m[EBB_MEM_KINDS];
    ck_assert(ebb_extractor_borrow(x, "x", &d, (const float[]){1, 2}, NULL) == EBB_OK);
    ck_assert(ebb_extractor_declare(x, ONE("a"), 1, NULL) == EBB_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_float_eq(first_of(x, "a"), 2);
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].live, i ? 8 : 0);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(numbers_are_handed_out_as_they_are)
{
    ebb_net *net = small_net(chain, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_desc d = ebb_desc_planar(EBB_I32, 1, (const int[]){2});
    ebb_blob *b;
    for (int i = 0; i < 2; i++, d.dtype = EBB_I8) {
        const int32_t data[] = {0x01020304, 7};
        ck_assert(ebb_extractor_copy(x, "x", &d, data, NULL) == EBB_OK);
        ck_assert(ebb_extractor_extract(x, "x", EBB_TAKE_PLANAR, &b, NULL) == EBB_OK);
        ck_assert_int_eq(ebb_blob_desc(b)->dtype, d.dtype);
        ck_assert_mem_eq(ebb_blob_data(b), data, ebb_desc_count(&d) * ebb_dtype_bytes(d.dtype));
        ebb_blob_drop(b);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(a_copy_for_the_caller_is_the_caller_s)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){3, 2, 2});
    ck_assert_ptr_nonnull(
        strstr(trace_of("Input in 0 1 x\nPixel a 1 1 x a\nPixel b 1 1 a b\n", &d, ONE("a"), 1),
               "convert a one read 48 96\nrelease a 48 48\n"));
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("request",
                     (const test_entry[]){T(a_request_that_cannot_be_met_changes_nothing),
                                          T(a_declared_blob_is_declared_once),
                                          T(numbers_are_handed_out_as_they_are),
                                          T(a_copy_for_the_caller_is_the_caller_s),
                                          T(a_wrong_name_proposes_the_nearest),
                                          T(declared_outputs_leave_once_taken),
                                          T(what_was_not_declared_can_still_be_asked_for),
                                          T(as_is_hands_out_the_engine_s_strides),
                                          T(what_was_handed_out_is_not_overwritten_in_a_dry_walk_either),
                                          {0}});
}
