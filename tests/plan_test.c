// SPDX-License-Identifier: BSD-3-Clause
// plan_test.c - what a layer is asked for: which outputs, whose data, on how many threads.
#include "small_layers.h"
#include "walk.h"
#include <stdio.h>
#include <string.h>

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

// What one layer made is not in the hands of the next.
START_TEST(an_unwanted_output_is_nobody_s)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork f 1 2 x a b\nFork g 1 2 a c d\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(4);
    ebb_blob *b[2];
    give(x, "x", &d, 1);
    ck_assert_int_eq(
        ebb_extractor_extract_many(x, (const char *const[]){"c", "b"}, 2, EBB_TAKE_PLANAR, b, NULL), EBB_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_float_eq(ebb_f32(b[0])[i], 3.f + (float)i);
        ck_assert_float_eq(ebb_f32(b[1])[i], 3.f + (float)i);
    }
    ebb_blob_drop(b[0]), ebb_blob_drop(b[1]);
    ebb_extractor_destroy(x);
    walk_net_end(net);
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

// A layer that looks at what it is handed, and says whatever the test wants.
static ebb_desc says;
static size_t room;

static ebb_status odd_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    static const ebb_desc zero;
    for (int k = 0; k < in->n_out; k++) {
        ck_assert_mem_eq(&out[k], &zero, sizeof zero);
        out[k] = says;
    }
    return EBB_OK;
}

static ebb_status odd_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    unsigned char *work = plan->work;
    for (int i = 0; i < 48; i++) ck_assert_int_eq(work[i], 0);
    work[0] = work[47] = 1;
    room = in->memory_limit;
    return EBB_OK;
}

static ebb_status odd_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                          ebb_error *e)
{
    (void)st, (void)in, (void)e;
    const unsigned char *work = c->work;
    ck_assert(work[0] == 1 && work[47] == 1);
    for (int k = 0; k < c->n_out; k++) {
        ck_assert(out[k] &&
                  ebb_desc_count(ebb_blob_desc(out[k])) > 0);  // else there is nothing to call it for
        for (size_t i = 0; i < ebb_desc_count(ebb_blob_desc(out[k])); i++) ebb_f32(out[k])[i] = 1;
    }
    return EBB_OK;
}

static const ebb_layer_type odd = {
    .size = sizeof(ebb_layer_type),
    .name = "Odd",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = -1,
    .work_size = 48,
    .shape = odd_shape,
    .plan = odd_plan,
    .cpu = odd_cpu,
};

static ebb_net *odd_net(void)
{
    return walk_net("Input in 0 1 x\nOdd o 1 2 x a b\nBinaryOp s 2 1 a b s\nOdd p 1 1 s y\n", NULL, 0,
                    (const ebb_layer_type *const[]){&odd, NULL});
}

START_TEST(a_layer_starts_from_zeros_and_knows_its_room)
{
    ebb_net *net = odd_net();
    says = vec(3);
    for (int limited = 0; limited < 2; limited++) {
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.memory_limit = limited ? 1000 : 0});
        const ebb_desc d = vec(3);
        for (int round = 0; round < 2; round++) {
            give(x, "x", &d, 1);
            ck_assert_float_eq(first_of(x, "y"), 1);
            ck_assert_uint_eq(room, limited ? 1000 - 12 : SIZE_MAX);  // s is there
            ebb_extractor_reset(x);
        }
        ebb_extractor_destroy(x);
    }
    walk_net_end(net);
}
END_TEST

START_TEST(impossible_sizes_are_the_layer_s_error)
{
    const ebb_desc bad[] = {{EBB_F32, EBB_MAX_RANK + 1, {1, 1, 1, 1}, {0}},
                            {EBB_F32, -1, {1}, {0}},
                            {EBB_F32, 2, {-1, 2}, {0}},
                            {EBB_F32, 4, {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, {0}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ebb_net *net = odd_net();
        ebb_extractor *x = open_on(net, NULL);
        const ebb_desc d = vec(3);
        ebb_error e = {0};
        ebb_blob *b;
        says = bad[i];
        give(x, "x", &d, 1);
        ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, &e), EBB_E_SHAPE);
        ck_assert_msg(strstr(e.msg, "'o'") && strstr(e.msg, "no possible size"), "%s", e.msg);
        ck_assert_msg((strstr(e.msg, " axes") != NULL) == (i < 2), "%s", e.msg);
        ebb_extractor_destroy(x);
        walk_net_end(net);
    }
}
END_TEST

START_TEST(a_layer_that_makes_nothing_is_not_called)
{
    ebb_net *net = odd_net();
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(3);
    ebb_blob *b;
    says = vec(0);
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, NULL), EBB_OK);
    ck_assert_int_eq(ebb_blob_desc(b)->dim[0], 0);
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(a_single_number_is_a_possible_size)
{
    ebb_net *net = odd_net();
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(3);
    says = (ebb_desc){.dtype = EBB_F32};
    give(x, "x", &d, 1);
    ck_assert_float_eq(first_of(x, "y"), 1);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// What the flags say of a layer with these inputs and two outputs; nothing behind the last one is written.
static ebb_plan_input plan_in[4];
static ebb_plan_output plan_out[3];
static void make_default(const ebb_layer_type *t, int n, const ebb_desc *in)
{
    const ebb_desc out[2] = {{0}};
    ebb_plan plan = {.in = plan_in, .out = plan_out};
    memset(plan_in, 0x5a, sizeof plan_in), memset(plan_out, 0x5a, sizeof plan_out);
    const ebb_plan_input in_guard = plan_in[0];
    const ebb_plan_output out_guard = plan_out[0];
    ebb_plan_default(t, &(const ebb_plan_in){.n_in = n, .n_out = 2, .in = in, .out = out}, &plan);
    ck_assert_mem_eq(&plan_in[n], &in_guard, sizeof in_guard);
    ck_assert_mem_eq(&plan_out[2], &out_guard, sizeof out_guard);
    ck_assert_str_eq(plan.algorithm, "plain");
    for (int k = 0; k < 2; k++) ck_assert(plan_out[k].grow == -1 && plan_out[k].steal == 0);
}

START_TEST(an_elementwise_layer_follows_its_largest_input)
{
    static const ebb_layer_type t = {.floats = EBB_BIT(EBB_F32) | EBB_BIT(EBB_F16)};
    const int dim[] = {2, 3, 4}, half[] = {1, 3, 4};
    const ebb_desc planar = ebb_desc_planar(EBB_F32, 3, dim), pixel = ebb_desc_pixel(EBB_F32, 3, dim),
                   part = ebb_desc_planar(EBB_F32, 3, half);
    make_default(&t, 3, (const ebb_desc[]){part, pixel, planar});  // the first of the largest leads
    ck_assert(plan_in[0].orders == EBB_ANY_ORDER && plan_in[1].orders == EBB_PIXEL &&
              plan_in[2].orders == EBB_PIXEL);
    ck_assert(plan_out[0].follow == 1 && plan_out[1].follow == 1 && plan_out[1].order == EBB_PLANAR);
    ck_assert(plan_in[0].dtypes == t.floats && plan_out[1].dtypes == t.floats);
    make_default(&t, 2, (const ebb_desc[]){planar, pixel});
    ck_assert(plan_in[0].orders == EBB_PLANAR && plan_in[1].orders == EBB_PLANAR && plan_out[0].follow == 0);
    ebb_desc neither = planar;
    neither.stride[0] = 30, neither.stride[1] = 2, neither.stride[2] = 6;
    make_default(&t, 1, &neither);
    ck_assert(plan_in[0].orders == EBB_PLANAR && plan_out[0].follow == 0);
    make_default(&t, 0, NULL);
    ck_assert(plan_out[0].follow == -1 && plan_out[0].order == EBB_PLANAR);
}
END_TEST

START_TEST(a_layer_of_one_order_reads_and_makes_that)
{
    static const ebb_layer_type t = {.reads = EBB_PIXEL};
    const ebb_desc planar = ebb_desc_planar(EBB_F32, 3, (const int[]){2, 3, 4}), small = vec(2);
    make_default(&t, 2, (const ebb_desc[]){planar, small});
    for (int i = 0; i < 2; i++) {
        ck_assert(plan_in[i].orders == EBB_PIXEL && plan_in[i].dtypes == EBB_BIT(EBB_F32));
        ck_assert(plan_out[i].order == EBB_PIXEL && plan_out[i].follow == -1);
        ck_assert_uint_eq(plan_out[i].dtypes, EBB_BIT(EBB_F32));
    }
}
END_TEST

START_TEST(no_more_inputs_are_looked_at_than_a_layer_has)
{
    ebb_walk w;
    ebb_net *net = small_walk(&w, "Input in 0 1 x\nFork f 1 2 x a b\nBinaryOp s 2 1 a b s\n");
    const ebb_desc guard = {.rank = 77};
    w.run->in_desc[1] = guard;
    ck_assert_int_eq(ebb_plan_shapes(&w, &net->g.nodes[1], NULL), EBB_OK);
    ck_assert_mem_eq(&w.run->in_desc[1], &guard, sizeof guard);
    ck_assert_int_eq(w.run->in_desc[0].dim[0], 10);
    ebb_plan plan;
    ck_assert_int_eq(ebb_plan_make(&w, &net->g.nodes[1], &plan, NULL), EBB_OK);
    ck_assert(!plan.work);  // of a layer that wants none
    ebb_walk_free(&w);
    walk_net_end(net);
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("plan", (const test_entry[]){T(a_layer_that_may_not_use_threads_gets_the_scratch_of_one),
                                                  T(unwanted_outputs_are_not_made),
                                                  T(an_unwanted_output_is_nobody_s),
                                                  T(zero_rows_are_a_result),
                                                  T(a_shape_only_reader_holds_no_data),
                                                  T(a_layer_starts_from_zeros_and_knows_its_room),
                                                  T(impossible_sizes_are_the_layer_s_error),
                                                  T(a_layer_that_makes_nothing_is_not_called),
                                                  T(a_single_number_is_a_possible_size),
                                                  T(an_elementwise_layer_follows_its_largest_input),
                                                  T(a_layer_of_one_order_reads_and_makes_that),
                                                  T(no_more_inputs_are_looked_at_than_a_layer_has),
                                                  {0}});
}
