// SPDX-License-Identifier: BSD-3-Clause
// pull_test.c - the interpreter's lifetime rules, asserted through the exact trace of small nets.
#include "harness.h"
#include "walk_text.h"
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- small layers

static ebb_status same_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    for (int k = 0; k < in->n_out; k++) {
        out[k].rank = in->in[0].rank;
        memcpy(out[k].dim, in->in[0].dim, sizeof out[k].dim);
    }
    return EBB_OK;
}

// y[k] = x + k + 1, never in place.
static ebb_status fork_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    (void)st, (void)e;
    const size_t n = ebb_desc_count(ebb_blob_desc(in[0]));
    for (int k = 0; k < c->n_out; k++)
        for (size_t i = 0; out[k] && i < n; i++) ebb_f32(out[k])[i] = ebb_f32(in[0])[i] + (float)k + 1;
    return EBB_OK;
}

static const ebb_layer_type fork_type = {
    .size = sizeof(ebb_layer_type), .name = "Fork", .in_min = 1, .in_max = 1, .out_min = 1, .out_max = -1,
    .shape = same_shape, .cpu = fork_cpu,
};

static ebb_status fail_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    (void)st, (void)c, (void)in, (void)out;
    return ebb_fail(e, EBB_E_UNSUPPORTED, "the test wants it so");
}

static const ebb_layer_type fail_type = {
    .size = sizeof(ebb_layer_type), .name = "Fail", .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .shape = same_shape, .cpu = fail_cpu,
};

// Keeps the positive values only: a result whose size depends on data.
static ebb_status positive_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                               ebb_error *e)
{
    (void)st, (void)c, (void)e;
    int n = 0;
    const float *x = ebb_f32(in[0]);
    for (int i = 0; i < ebb_blob_desc(in[0])->dim[0]; i++)
        if (x[i] > 0) ebb_f32(out[0])[n++] = x[i];
    ebb_blob_shrink(out[0], 0, n);
    return EBB_OK;
}

static const ebb_layer_type positive_type = {
    .size = sizeof(ebb_layer_type), .name = "Positive", .flags = EBB_LAYER_DATA_SHAPE | EBB_LAYER_SEQUENCE, .in_min = 1, .in_max = 1,
    .out_min = 1, .out_max = 1, .shape = same_shape, .cpu = positive_cpu,
};

// Reads the shape of input 1 only.
static bool second(const void *st, int i) { return (void)st, i == 1; }
static ebb_status like_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    (void)st, (void)c, (void)e;
    for (size_t i = 0; i < ebb_desc_count(ebb_blob_desc(out[0])); i++)
        ebb_f32(out[0])[i] = ebb_f32(in[0])[i] * (float)ebb_blob_desc(in[1])->dim[0];
    return EBB_OK;
}

static const ebb_layer_type like_type = {
    .size = sizeof(ebb_layer_type), .name = "Like", .in_min = 2, .in_max = 2, .out_min = 1, .out_max = 1,
    .shape_only = second, .shape = same_shape, .cpu = like_cpu,
};

// Reads pixel order, or planar order; writes the same. For conversions.
static const ebb_layer_type pixel_type = {
    .size = sizeof(ebb_layer_type), .name = "Pixel", .flags = EBB_LAYER_SPATIAL, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .shape = same_shape, .cpu = fork_cpu,
};
static const ebb_layer_type planar_type = {
    .size = sizeof(ebb_layer_type), .name = "Planar", .flags = EBB_LAYER_SEQUENCE, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .shape = same_shape, .cpu = fork_cpu,
};

// A cache along axis 0: out = past followed by the new rows.
static ebb_status cache_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    out[0].rank = 2;
    out[0].dim[0] = in->in[0].dim[0] + in->in[1].dim[0];
    out[0].dim[1] = in->in[0].dim[1];
    return EBB_OK;
}

static ebb_status cache_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->out[0].grow = 1;
    plan->out[0].grow_axis = 0;
    return EBB_OK;
}

static ebb_status cache_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    (void)st, (void)c, (void)e;
    const ebb_desc *now = ebb_blob_desc(in[0]), *past = ebb_blob_desc(in[1]), *all = ebb_blob_desc(out[0]);
    for (int y = 0; y < now->dim[0]; y++)
        for (int x = 0; x < now->dim[1]; x++)
            ebb_f32(out[0])[(y + past->dim[0]) * all->stride[0] + x] = ebb_f32(in[0])[y * now->stride[0] + x];
    return EBB_OK;
}

static const ebb_layer_type cache_type = {
    .size = sizeof(ebb_layer_type), .name = "Cache", .flags = EBB_LAYER_SEQUENCE, .in_min = 2, .in_max = 2, .out_min = 1, .out_max = 1,
    .shape = cache_shape, .plan = cache_plan, .cpu = cache_cpu,
};

static const ebb_layer_type *const types[] = {&fork_type, &fail_type, &positive_type, &like_type,
                                              &pixel_type, &planar_type, &cache_type, NULL};

// ------------------------------------------------------------------------------------------- helpers

static ebb_net *net_of(const char *text, const void *bin, size_t bytes) { return walk_net(text, bin, bytes, types); }

static ebb_extractor *open_on(ebb_net *net, const ebb_extractor_options *opt)
{
    ebb_extractor *x;
    ebb_error e = {0};
    ck_assert_msg(ebb_extractor_new(net, opt, &x, &e) == EBB_OK, "%s", e.msg);
    return x;
}

static ebb_desc vec(int n) { return ebb_desc_planar(EBB_F32, 1, (const int[]){n}); }

static void give(ebb_extractor *x, const char *name, const ebb_desc *d, float first)
{
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert_msg(ebb_extractor_make(x, d, &b, &e) == EBB_OK, "%s", e.msg);
    for (size_t i = 0; i < ebb_desc_count(d); i++) ebb_f32(b)[i] = first + (float)i;
    ck_assert_msg(ebb_extractor_give(x, name, b, &e) == EBB_OK, "%s", e.msg);
}

static float first_of(ebb_extractor *x, const char *name)
{
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert_msg(ebb_extractor_extract(x, name, EBB_TAKE_PLANAR, &b, &e) == EBB_OK, "%s", e.msg);
    const float v = ebb_desc_count(ebb_blob_desc(b)) ? ebb_f32(b)[0] : 0;
    ebb_blob_drop(b);
    return v;
}

// Runs the request dry, then for real: the two traces must be the same text, which is returned.
static const char *trace_of(const char *text, const ebb_desc *d, const char *const *outs, int n)
{
    static walk_text dry, real;
    ebb_net *net = net_of(text, NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&real, net)});
    const ebb_observer watch = walk_text_observer(&dry, net);
    ebb_error e = {0};
    give(x, "x", d, 1);
    walk_text_clear(&real);
    ebb_prediction p;
    ck_assert_msg(ebb_extractor_predict(x, outs, n, &watch, &p, &e) == EBB_OK, "%s", e.msg);
    ebb_blob *b[8];
    ck_assert_msg(ebb_extractor_extract_many(x, outs, n, EBB_TAKE_PLANAR, b, &e) == EBB_OK, "%s", e.msg);
    ck_assert_str_eq(dry.text, real.text);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, p.blob_peak);
    for (int i = 0; i < n; i++) ebb_blob_drop(b[i]);
    static char kept[WALK_TEXT_ROOM];
    strcpy(kept, real.text);
    ebb_extractor_destroy(x);
    walk_net_end(net);
    return kept;
}

#define ONE(name) ((const char *const[]){name})

// ------------------------------------------------------------------------------------------- chains and diamonds

START_TEST(a_chain_steals_and_releases)
{
    const ebb_desc d = vec(6);
    ck_assert_str_eq(trace_of("Input in 0 1 x\nReLU a 1 1 x a\nFork b 1 1 a b\nReLU c 1 1 b c\n", &d, ONE("c"), 1),
                     "steal a from x 24\nread x 0\nrelease x 0 24\n"
                     "alloc b 24 48\nread a 0\nrelease a 24 24\n"
                     "steal c from b 24\nread b 0\nrelease b 0 24\n");
}
END_TEST

START_TEST(a_diamond_without_split)
{
    const ebb_desc d = vec(6);
    ck_assert_str_eq(trace_of("Input in 0 1 x\nFork a 1 1 x a\nReLU l 1 1 a l\nReLU r 1 1 a r\nBinaryOp s 2 1 l r s\n", &d,
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
    ck_assert_str_eq(trace_of("Input in 0 1 x\nFork a 1 1 x a\nSplit p 1 2 a a0 a1\nReLU l 1 1 a0 l\nReLU r 1 1 a1 r\n"
                              "BinaryOp s 2 1 l r s\n",
                              &d, ONE("s"), 1),
                     "alloc a 24 48\nread x 0\nrelease x 24 24\n"
                     "view a0 of a 24\nview a1 of a 24\nread a 0\nrelease a 0 24 kept by a0\n"
                     "alloc l 24 48\nread a0 0\nrelease a0 0 48 kept by a1\n"
                     "steal r from a1 48\nread a1 0\nrelease a1 0 48\n"
                     "steal s from l 48\nread l 0\nrelease l 0 48\nread r 0\nrelease r 24 24\n");
}
END_TEST

START_TEST(a_branch_that_nobody_declared_is_not_computed)
{
    const ebb_desc d = vec(4);
    const char *text = "Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\nFork c 1 1 a c\n";
    ck_assert_str_eq(trace_of(text, &d, (const char *const[]){"b", "a"}, 2),
                     "alloc a 16 32\nread x 0\nrelease x 16 16\nalloc b 16 32\nread a 1\nread b 0\nrelease b 0 16\n"
                     "read a 0\nrelease a 0 0\n");
    // One name: every layer is in scope, so `a` waits for `c`.
    ck_assert_str_eq(trace_of(text, &d, ONE("b"), 1), "alloc a 16 32\nread x 0\nrelease x 16 16\nalloc b 16 32\nread a 1\n");
}
END_TEST

START_TEST(unwanted_outputs_are_not_made)
{
    const ebb_desc d = vec(4);
    const char *text = "Input in 0 1 x\nFork f 1 3 x a b c\nFork g 1 1 b d\n";
    ck_assert_str_eq(trace_of(text, &d, (const char *const[]){"d", "d"}, 2),
                     "alloc b 16 32\nread x 0\nrelease x 16 16\nalloc d 16 32\nread b 0\nrelease b 16 16\nread d 0\nrelease d 0 0\n");
}
END_TEST

// ------------------------------------------------------------------------------------------- views

START_TEST(slices_share_and_the_last_part_frees_the_whole)
{
    const ebb_desc d = vec(8);
    ck_assert_str_eq(trace_of("Input in 0 1 x\nFork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\nReLU m 1 1 l m\n"
                              "Concat j 2 1 m r j\n",
                              &d, ONE("j"), 1),
                     "alloc a 32 64\nread x 0\nrelease x 32 32\n"
                     "view l of a 32\nview r of a 32\nread a 0\nrelease a 0 32 kept by l\n"
                     "alloc m 16 48\nread l 0\nrelease l 0 48 kept by r\n"
                     "alloc j 32 80\nread m 0\nrelease m 16 64\nread r 0\nrelease r 32 32\n");
}
END_TEST

START_TEST(reshape_permute_reshape_copies_once)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){2, 3, 4});
    ck_assert_str_eq(trace_of("Input in 0 1 x\nReshape a 1 1 x a 0=12 1=2\nPermute b 1 1 a b 0=1\nReshape c 1 1 b c 0=24\n", &d,
                              ONE("c"), 1),
                     "view a of x 96\nread x 0\nrelease x 0 96 kept by a\n"
                     "view b of a 96\nread a 0\nrelease a 0 96 kept by b\n"
                     "alloc c 96 192\nread b 0\nrelease b 96 96\n");
}
END_TEST

START_TEST(weights_are_never_stolen)
{
    const float w[4] = {-1, 2, -3, 4};
    ebb_net *net = net_of("MemoryData m 0 1 m 0=4\nReLU r 1 1 m r\n", w, sizeof w);
    ebb_extractor *x = open_on(net, NULL);
    for (int again = 0; again < 2; again++, ebb_extractor_reset(x)) {
        ck_assert_float_eq(first_of(x, "r"), 0);
        ck_assert_float_eq(first_of(x, "m"), -1);
    }
    ebb_mem_count m[EBB_MEM_KINDS];
    first_of(x, "m");
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 0);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// ------------------------------------------------------------------------------------------- conversions

START_TEST(a_conversion_replaces_where_all_readers_agree)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    ck_assert_str_eq(trace_of("Input in 0 1 x\nPixel a 1 1 x a\nPixel b 1 1 x b\nBinaryOp s 2 1 a b s\n", &d, ONE("s"), 1),
                     "convert x replaced 120 240\nrelease x 120 120\n"
                     "alloc a 120 240\nread x 1\nalloc b 120 360\nread x 0\nrelease x 120 240\n"
                     "steal s from a 240\nread a 0\nrelease a 0 240\nread b 0\nrelease b 120 120\n"
                     "convert s replaced 120 240\nrelease s 120 120\n");
}
END_TEST

START_TEST(a_conversion_copies_for_one_read_where_they_do_not)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    ck_assert_str_eq(trace_of("Input in 0 1 x\nPixel a 1 1 x a\nPlanar b 1 1 x b\nConcat s 2 1 a b s\n", &d,
                              (const char *const[]){"a", "b"}, 2),
                     "convert x one read 120 240\nalloc a 120 360\nrelease x 120 240\nread x 1\n"
                     "convert a replaced 120 360\nrelease a 120 240\nread a 0\nrelease a 0 120\n"
                     "alloc b 120 240\nread x 0\nrelease x 120 120\nread b 0\nrelease b 0 0\n");
}
END_TEST

// ------------------------------------------------------------------------------------------- order, again, inputs

static const char *const four =
    "Input in 0 1 x\nFork f 1 1 x f\nSplit s 1 3 f f0 f1 f2\nReLU a 1 1 f0 a\nFork b 1 2 f1 b c\nBinaryOp d 2 1 f2 b d\n";

START_TEST(any_order_of_extracts_gives_the_same_values)
{
    const char *const names[] = {"a", "c", "d", "f"};
    const float want[] = {2, 4, 5, 2};
    ebb_net *net = net_of(four, NULL, 0);
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
    ebb_net *net = net_of("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\nFork c 1 1 b c\n", NULL, 0);
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
    ck_assert_str_eq(e.msg, "making 'a' needs input 'x', which was given and is gone: declare the outputs that you want, "
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

START_TEST(borrowed_input_is_never_written)
{
    ebb_net *net = net_of("Input in 0 1 x\nReLU a 1 1 x a\nReLU b 1 1 a b\n", NULL, 0);
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

START_TEST(any_blob_can_be_set)
{
    ebb_net *net = net_of("Input in 0 1 x\nFail a 1 1 x a\nFork b 1 1 a b\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(2);
    give(x, "a", &d, 5);
    ck_assert_float_eq(first_of(x, "#2"), 6);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(given_twice_is_shared_not_written)
{
    ebb_net *net = net_of("Input in 0 1 x\nReLU a 1 1 x a\n", NULL, 0);
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
    ebb_net *net = net_of("Input in 0 1 x\nFork a 1 1 x a\n", NULL, 0);
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

// ------------------------------------------------------------------------------------------- caches

START_TEST(a_cache_grows_in_place)
{
    enum { STEPS = 100, W = 3 };
    static walk_text log;
    ebb_net *net = net_of("Input in 0 1 x\nInput past 0 1 p\nCache c 2 1 x p k\n", NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    ebb_error e = {0};
    const ebb_desc row = ebb_desc_planar(EBB_F32, 2, (const int[]){1, W}), none = ebb_desc_planar(EBB_F32, 2, (const int[]){0, W});
    ebb_blob *k;
    ck_assert(ebb_extractor_make(x, &none, &k, &e) == EBB_OK);
    size_t bytes = 0;
    int copies = 0;
    for (int t = 0; t < STEPS; t++) {
        walk_text_clear(&log);
        give(x, "x", &row, (float)t * W);
        ck_assert_msg(ebb_extractor_give(x, "p", k, &e) == EBB_OK, "%s", e.msg);
        ck_assert_msg(ebb_extractor_extract(x, "k", EBB_TAKE_AS_IS, &k, &e) == EBB_OK, "%s", e.msg);
        ebb_extractor_reset(x);
        copies += strstr(log.text, "in place") == NULL;
        bytes += log.grown;
        ck_assert_int_eq(ebb_blob_desc(k)->dim[0], t + 1);
    }
    ck_assert_int_eq(copies, 2);  // the first row, and when 64 rows were full
    ck_assert_uint_eq(bytes, (64 + 128) * W * sizeof(float));
    for (int i = 0; i < STEPS * W; i++) ck_assert_float_eq(ebb_f32(k)[i], (float)i);

    // Somebody else holds it: it is copied, and the trace says so.
    ebb_blob *mine = ebb_blob_hold(k), *grown;
    give(x, "x", &row, -1);
    ck_assert(ebb_extractor_give(x, "p", k, &e) == EBB_OK);
    walk_text_clear(&log);
    ck_assert(ebb_extractor_extract(x, "k", EBB_TAKE_AS_IS, &grown, &e) == EBB_OK);
    ck_assert_msg(strstr(log.text, "grow k shared"), "%s", log.text);
    ck_assert_int_eq(ebb_blob_desc(mine)->dim[0], STEPS);
    ck_assert_float_eq(ebb_f32(grown)[STEPS * W], -1);
    ebb_blob_drop(mine);
    ebb_blob_drop(grown);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// ------------------------------------------------------------------------------------------- sizes that depend

START_TEST(zero_rows_are_a_result)
{
    ebb_net *net = net_of("Input in 0 1 x\nPositive p 1 1 x p\nFork f 1 1 p f\n", NULL, 0);
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
    ck_assert_str_eq(trace_of("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\nLike l 2 1 b a l\n", &d, ONE("l"), 1),
                     "alloc a 16 32\nread x 0\nrelease x 16 16\nalloc b 16 32\nread a 0\nrelease a 16 16\n"
                     "alloc l 16 32\nread b 0\nrelease b 16 16\n");
}
END_TEST

START_TEST(inputs_of_another_size_need_only_a_reset)
{
    ebb_net *net = net_of("Input in 0 1 x 0=3\nFork a 1 1 x a\n", NULL, 0);
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

// ------------------------------------------------------------------------------------------- failures and limits

START_TEST(after_a_failure_only_reset_helps)
{
    ebb_net *net = net_of("Input in 0 1 x\nFork a 1 1 x a\nFail bad 1 1 a b\n", NULL, 0);
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

START_TEST(the_limit_holds_to_the_byte)
{
    ebb_net *net = net_of("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\n", NULL, 0);
    const ebb_desc d = vec(100);
    for (int fits = 0; fits < 2; fits++) {
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.memory_limit = 800 - !fits});
        ebb_error e = {0};
        ebb_blob *b = NULL;
        give(x, "x", &d, 1);
        const ebb_status s = ebb_extractor_extract(x, "b", EBB_TAKE_PLANAR, &b, &e);
        ck_assert_int_eq(s, fits ? EBB_OK : EBB_E_LIMIT);
        if (!fits)
            ck_assert_str_eq(e.msg, "layer 1 'a' (Fork): a blob of 400 bytes on top of 400 held is over the memory limit of 799 bytes");
        ebb_blob_drop(b);
        ebb_extractor_destroy(x);
    }
    walk_net_end(net);
}
END_TEST

START_TEST(keeping_everything_keeps_every_value)
{
    ebb_net *net = net_of("Input in 0 1 x\nFork a 1 1 x a\nReLU b 1 1 a b\nFork c 1 1 b c\n", NULL, 0);
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
    ebb_net *net = net_of("Input in 0 1 x\nPixel a 1 1 x a\nPlanar b 1 1 x b\nBinaryOp c 2 1 a b c\nSlice s 1 2 c l r -23300=2,2,-233\n",
                          NULL, 0);
    for (int at = 1;; at++) {
        walk_fail_at(at);
        ebb_error e = {0};
        ebb_extractor *x = NULL;
        ebb_blob *b[2] = {NULL, NULL};
        const float data[16] = {1};
        ebb_status s = ebb_extractor_new(net, &(ebb_extractor_options){.threads = 2}, &x, &e);
        if (s == EBB_OK) s = ebb_extractor_copy(x, "x", &d, data, &e);
        if (s == EBB_OK) s = ebb_extractor_extract_many(x, (const char *const[]){"l", "r"}, 2, EBB_TAKE_PLANAR, b, &e);
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

int main(void)
{
#define T(f) {#f, f}
    return run_tests("pull", (const test_entry[]){
        T(a_chain_steals_and_releases), T(a_diamond_without_split), T(a_diamond_with_split_peaks_alike),
        T(a_branch_that_nobody_declared_is_not_computed), T(unwanted_outputs_are_not_made),
        T(slices_share_and_the_last_part_frees_the_whole), T(reshape_permute_reshape_copies_once),
        T(weights_are_never_stolen), T(a_conversion_replaces_where_all_readers_agree),
        T(a_conversion_copies_for_one_read_where_they_do_not), T(any_order_of_extracts_gives_the_same_values),
        T(a_released_blob_is_made_again_or_explained), T(borrowed_input_is_never_written), T(any_blob_can_be_set),
        T(given_twice_is_shared_not_written), T(what_the_caller_holds_outlives_everything), T(a_cache_grows_in_place),
        T(zero_rows_are_a_result), T(a_shape_only_reader_holds_no_data), T(inputs_of_another_size_need_only_a_reset),
        T(after_a_failure_only_reset_helps), T(the_limit_holds_to_the_byte), T(keeping_everything_keeps_every_value),
        T(every_allocation_may_fail), {0}});
}
