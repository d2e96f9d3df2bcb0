// SPDX-License-Identifier: BSD-3-Clause
// plan_test.c - what a layer is asked for: which outputs, whose data, on how many threads.
#include "small_layers.h"
#include <stdio.h>

START_TEST(a_layer_that_may_not_use_threads_gets_the_scratch_of_one)
{
    const ebb_desc d = vec(4);
    for (int banned = 0; banned < 2; banned++) {
        char text[64];
        snprintf(text, sizeof text, "Input in 0 1 x\nWorkers w 1 1 x y 31=%d\n", banned ? EBB_NO_THREADS : 0);
        ebb_net *net = small_net(text, NULL, 0);
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = 3});
        ebb_mem_count m[EBB_MEM_KINDS];
        give(x, "x", &d, 1);
        ck_assert_float_eq(first_of(x, "y"), banned ? 1 : 3);
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_SCRATCH].peak, banned ? 128 : 3 * 128);
        ebb_extractor_destroy(x);
        walk_net_end(net);
    }
}
END_TEST

START_TEST(unwanted_outputs_are_not_made)
{
    const ebb_desc d = vec(4);
    const char *text = "Input in 0 1 x\nFork f 1 3 x a b c\nFork g 1 1 b d\n";
    ck_assert_str_eq(trace_of(text, &d, (const char *const[]){"d", "d"}, 2),
                     "alloc b 16 32\nread x 0\nrelease x 16 16\nalloc d 16 32\nread b 0\nrelease b 16 "
                     "16\nread d 1\nread d 0\nrelease d 16 0\n");
}
END_TEST

START_TEST(zero_rows_are_a_result)
{
    ebb_net *net = small_net("Input in 0 1 x\nPositive p 1 1 x p\nFork f 1 1 p f\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = vec(3);
    ebb_blob *b;
    give(x, "x", &d, -5);
    ebb_prediction p;
    ck_assert(ebb_extractor_predict(x, ONE("f"), 1, NULL, &p, &e) == EBB_OK);
    ck_assert(!p.exact);
    ck_assert_uint_eq(p.blob_peak, 24);  // a bound
    ck_assert_msg(ebb_extractor_extract(x, "f", EBB_TAKE_PLANAR, &b, &e) == EBB_OK, "%s", e.msg);
    ck_assert_int_eq(ebb_blob_desc(b)->dim[0], 0);
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(a_shape_only_reader_holds_no_data)
{
    const ebb_desc d = vec(4);
    ck_assert_str_eq(
        trace_of("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\nLike l 2 1 b a l\n", &d, ONE("l"), 1),
        "alloc a 16 32\nread x 0\nrelease x 16 16\nalloc b 16 32\nread a 0\nrelease a 16 16\n"
        "alloc l 16 32\nread b 0\nrelease b 16 16\n");
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests(
        "plan", (const test_entry[]){T(a_layer_that_may_not_use_threads_gets_the_scratch_of_one),
                                     T(unwanted_outputs_are_not_made),
                                     T(zero_rows_are_a_result),
                                     T(a_shape_only_reader_holds_no_data),
                                     {0}});
}
