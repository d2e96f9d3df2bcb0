// SPDX-License-Identifier: BSD-3-Clause
// place_test.c - whose storage an output takes: a new one, an input's, a part of one, or the weights'.
#include "small_layers.h"
#include <string.h>

START_TEST(a_chain_steals_and_releases)
{
    const ebb_desc d = vec(6);
    ck_assert_str_eq(
        trace_of("Input in 0 1 x\nReLU a 1 1 x a\nFork b 1 1 a b\nReLU c 1 1 b c\n", &d, ONE("c"), 1),
        "steal a from x 24\nread x 0\nrelease x 0 24\n"
        "alloc b 24 48\nread a 0\nrelease a 24 24\n"
        "steal c from b 24\nread b 0\nrelease b 0 24\n");
}
END_TEST

// The peak is at `a`, so the parts stay views, and the ReLU of a part needs a blob of its own.
START_TEST(slices_share_and_the_last_part_frees_the_whole)
{
    const ebb_desc d = vec(8);
    ck_assert_str_eq(
        trace_of("Input in 0 1 x\nFork f 1 3 x a b c\nLike k 2 1 a b k\nSlice s 1 2 k l r "
                 "-23300=2,4,-233\nReLU m 1 1 l m\n"
                 "Concat j 2 1 m r j\nBinaryOp t 2 1 b c t\n",
                 &d, (const char *const[]){"t", "j"}, 2),
        "alloc a 32 64\nalloc b 32 96\nalloc c 32 128\nread x 0\nrelease x 32 96\n"
        "steal t from b 96\nread b 0\nrelease b 0 96\nread c 0\nrelease c 32 64\nread t 0\nrelease t 32 32\n"
        "alloc k 32 64\nread a 0\nrelease a 32 32\n"
        "view l of k 32\nview r of k 32\nread k 0\nrelease k 0 32 kept by l\n"
        "alloc m 16 48\nread l 0\nrelease l 0 48 kept by r\n"
        "alloc j 32 80\nread m 0\nrelease m 16 64\nread r 0\nrelease r 32 32\nread j 0\nrelease j 32 0\n");
}
END_TEST

START_TEST(a_slice_is_overwritten_in_place_where_copying_it_out_lowers_the_peak)
{
    const ebb_desc d = vec(8);
    ck_assert_str_eq(
        trace_of("Input in 0 1 x\nFork a 1 1 x a\nSlice s 1 2 a l r -23300=2,4,-233\nReLU m 1 1 l m\n"
                 "Concat j 2 1 m r j\n",
                 &d, ONE("j"), 1),
        "alloc a 32 64\nread x 0\nrelease x 32 32\n"
        "alloc l 16 48\nalloc r 16 64\nread a 0\nrelease a 32 32\n"
        "steal m from l 32\nread l 0\nrelease l 0 32\n"
        "alloc j 32 64\nread m 0\nrelease m 16 48\nread r 0\nrelease r 16 32\n");
}
END_TEST

START_TEST(reshape_permute_reshape_copies_once)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){2, 3, 4});
    ck_assert_str_eq(
        trace_of(
            "Input in 0 1 x\nReshape a 1 1 x a 0=12 1=2\nPermute b 1 1 a b 0=1\nReshape c 1 1 b c 0=24\n", &d,
            ONE("c"), 1),
        "view a of x 96\nread x 0\nrelease x 0 96 kept by a\n"
        "view b of a 96\nread a 0\nrelease a 0 96 kept by b\n"
        "alloc c 96 192\nread b 0\nrelease b 96 96\n");
}
END_TEST

START_TEST(weights_are_never_stolen)
{
    const float w[4] = {-1, 2, -3, 4};
    ebb_net *net = small_net("MemoryData m 0 1 m 0=4\nReLU r 1 1 m r\n", w, sizeof w);
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

START_TEST(a_cache_grows_in_place)
{
    enum { STEPS = 100, W = 3 };
    static walk_text log;
    ebb_net *net = small_net("Input in 0 1 x\nInput past 0 1 p\nCache c 2 1 x p k\n", NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    ebb_error e = {0};
    const ebb_desc row = ebb_desc_planar(EBB_F32, 2, (const int[]){1, W}),
                   none = ebb_desc_planar(EBB_F32, 2, (const int[]){0, W});
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
        ck_assert_msg(t % 64 || strstr(log.text, t ? "grow k full" : "grow k first"), "%d: %s", t, log.text);
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

// Heads lie as far apart as there is room for rows.
START_TEST(a_cache_of_heads_grows_in_place)
{
    enum { HEADS = 2, W = 3, FIRST = 64, STEPS = 3 };
    static walk_text log;
    ebb_net *net = small_net("Input in 0 1 x\nInput past 0 1 p\nCache c 2 1 x p k\n", NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    const ebb_desc none = ebb_desc_planar(EBB_F32, 3, (const int[]){HEADS, 0, W});
    ebb_blob *k;
    ck_assert(ebb_extractor_make(x, &none, &k, NULL) == EBB_OK);
    for (int t = 0; t < STEPS; t++) {
        const int rows = t ? 1 : FIRST;
        const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){HEADS, rows, W});
        walk_text_clear(&log);
        give(x, "x", &d, (float)(1000 * t));
        ck_assert(ebb_extractor_give(x, "p", k, NULL) == EBB_OK);
        ck_assert(ebb_extractor_extract(x, "k", EBB_TAKE_AS_IS, &k, NULL) == EBB_OK);
        ebb_extractor_reset(x);
        const int all = FIRST + t, room = all <= 64 ? 64 : 128;
        ck_assert_msg((strstr(log.text, "in place") == NULL) == (t == 0 || all == 65), "%d: %s", t, log.text);
        ck_assert_uint_eq(log.grown, t == 0 || all == 65 ? (size_t)room * HEADS * W * sizeof(float) : 0);
        ck_assert_int_eq(ebb_blob_desc(k)->stride[0], room * W);
        for (int h = 0; h < HEADS; h++)
            for (int y = 0; y < all; y++) {
                const int step = y < FIRST ? 0 : y - FIRST + 1;
                const int want = 1000 * step + (step ? h * W : (h * FIRST + y) * W);
                ck_assert_float_eq(ebb_f32(k)[h * room * W + y * W], (float)want);
            }
    }
    ebb_blob_drop(k);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// As its bound would have been: else more memory is taken than was predicted.
START_TEST(a_shrunken_result_is_overwritten)
{
    ebb_net *net = small_net("Input in 0 1 x\nPositive p 1 1 x p\nReLU r 1 1 p r\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = vec(100);
    ebb_blob *b;
    give(x, "x", &d, -10);
    ebb_prediction p;
    ebb_mem_count m[EBB_MEM_KINDS];
    ck_assert(ebb_extractor_predict(x, ONE("r"), 1, NULL, &p, &e) == EBB_OK);
    ck_assert_msg(ebb_extractor_extract(x, "r", EBB_TAKE_PLANAR, &b, &e) == EBB_OK, "%s", e.msg);
    ebb_extractor_memory(x, m);
    ck_assert_int_eq(ebb_blob_desc(b)->dim[0], 89);
    ck_assert_uint_le(m[EBB_MEM_BLOB].peak, p.blob_peak);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].count, 2);  // of x and p
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// A shrunken result grows into its room again: a part as long as the result was is not all of the storage.
START_TEST(a_part_behind_the_start_is_not_overwritten)
{
    static walk_text log;
    ebb_net *net = small_net("Input in 0 1 x\nInput more 0 1 r\nPositive p 1 1 x p\n"
                             "Reshape q 1 1 p q 0=1 1=-1\nCache c 2 1 r q k\n"
                             "Crop s 1 1 k m 1=20 3=1 4=60\nReLU n 1 1 m n\n",
                             NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    const ebb_desc d = vec(100), rows = ebb_desc_planar(EBB_F32, 2, (const int[]){20, 1});
    give(x, "x", &d, -39);
    give(x, "r", &rows, 61);
    ck_assert_float_eq(first_of(x, "n"), 21);
    ck_assert_msg(strstr(log.text, "grow k in place") && strstr(log.text, "view m of k") &&
                      !strstr(log.text, "steal n"),
                  "%s", log.text);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// A layer that makes views where it has one output, and would rather compute where it has two.
static ebb_status as_input(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    for (int k = 0; k < in->n_out; k++) out[k] = ebb_desc_planar(EBB_F32, in->in[0].rank, in->in[0].dim);
    return EBB_OK;
}

static void view_of_one(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    (void)st;
    for (int k = 0; k < in->n_out; k++) out[k].desc = in->in[0];
    if (in->n_out > 1) out[1].from = EBB_BY_CPU;
}

static ebb_status copy_all(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                           ebb_error *e)
{
    (void)st, (void)e;
    for (int k = 0; k < c->n_out; k++)
        if (out[k]) ebb_copy(c, &c->out[k], ebb_blob_data(out[k]), &c->in[0], ebb_blob_data(in[0]));
    return EBB_OK;
}

static const ebb_layer_type one_view = {.size = sizeof(ebb_layer_type),
                                        .name = "OneView",
                                        .flags = EBB_LAYER_VIEW,
                                        .reads = EBB_PLANAR,
                                        .in_min = 1,
                                        .in_max = 1,
                                        .out_min = 1,
                                        .out_max = 2,
                                        .shape = as_input,
                                        .view = view_of_one,
                                        .cpu = copy_all};

// A layer with two constants: 1 2 3 and 5.
static ebb_status load_two(void *st, const ebb_load *l, ebb_error *e)
{
    (void)st;
    void *p;
    EBB_TRY(ebb_load_alloc(l, 4 * sizeof(float), &p, e));
    memcpy(p, (const float[]){1, 2, 3, 5}, 4 * sizeof(float));
    ebb_weights a = {.dtype = EBB_F32, .n = 3, .data = p};
    ebb_weights b = {.dtype = EBB_F32, .n = 1, .data = (float *)p + 3};
    EBB_TRY(ebb_load_constant(l, 0, 1, (const int[]){3}, &a, e));
    return ebb_load_constant(l, 1, 1, (const int[]){1}, &b, e);
}

static const ebb_layer_type two_constants = {.size = sizeof(ebb_layer_type),
                                             .name = "TwoConstants",
                                             .flags = EBB_LAYER_CONSTANT,
                                             .out_min = 2,
                                             .out_max = 2,
                                             .load = load_two};

// The last two elements of the last input: a part of more, or else that input itself, overwritten.
static ebb_status tail_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    out[0] = vec(2);
    return EBB_OK;
}

static void tail_view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    (void)st;
    const int last = in->n_in - 1, n = in->in[last].dim[0];
    out[0].desc = vec(2);
    out[0].from = n > 2 ? last : EBB_BY_CPU, out[0].offset = n - 2;
}

static ebb_status tail_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->out[0].steal = 1;
    return EBB_OK;
}

static const ebb_layer_type tail = {.size = sizeof(ebb_layer_type),
                                    .name = "Tail",
                                    .flags = EBB_LAYER_VIEW,
                                    .reads = EBB_PLANAR,
                                    .in_min = 1,
                                    .in_max = 2,
                                    .out_min = 1,
                                    .out_max = 1,
                                    .shape = tail_shape,
                                    .plan = tail_plan,
                                    .view = tail_view,
                                    .cpu = copy_all};

static const ebb_layer_type *const own[] = {&one_view, &two_constants, &tail, NULL};

// The trace of making `out`, whose first element must be as wanted, from x = 1, 2, 3, 4.
static void check_own(const char *layers, const char *out, float first, const char *want)
{
    static walk_text log;
    ebb_net *net = walk_net(layers, NULL, 0, own);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    const ebb_desc d = vec(4);
    if (strncmp(layers, "Input", 5) == 0) give(x, "x", &d, 1);
    walk_text_clear(&log);
    ck_assert_int_eq(ebb_extractor_declare(x, ONE(out), 1, NULL), EBB_OK);
    ck_assert_float_eq(first_of(x, out), first);
    ck_assert_str_eq(log.text, want);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}

START_TEST(what_another_layer_computed_is_still_viewed_by_this_one)
{
    check_own("Input in 0 1 x\nOneView p 1 2 x a b\nOneView q 1 1 b c\nOneView r 1 1 a d\n"
              "BinaryOp s 2 1 c d y\n",
              "y", 2,
              "alloc a 16 32\nalloc b 16 48\nread x 0\nrelease x 16 32\nview c of b 32\nread b 0\n"
              "release b 0 32 kept by c\nview d of a 32\nread a 0\nrelease a 0 32 kept by d\n"
              "steal y from c 32\nread c 0\nrelease c 0 32\nread d 0\nrelease d 16 16\n"
              "read y 0\nrelease y 16 0\n");
}
END_TEST

START_TEST(constants_that_nobody_reads_are_not_made)
{
    check_own("TwoConstants t 0 2 a b\n", "b", 5, "view b of weights 0\nread b 0\nrelease b 0 0\n");
    check_own("TwoConstants t 0 2 a b\n", "a", 1, "view a of weights 0\nread a 0\nrelease a 0 0\n");
}
END_TEST

// What the layer before said of its outputs is nothing that this one has.
START_TEST(constants_are_as_many_as_the_layer_has)
{
    check_own("Input in 0 1 x\nSlice s 1 4 x a b c d -23300=4,1,1,1,-233\nTwoConstants t 0 2 k l\n"
              "Concat y 6 1 a b c d l k y\n",
              "y", 1,
              "view a of x 16\nview b of x 16\nview c of x 16\nview d of x 16\nread x 0\n"
              "release x 0 16 kept by a\nview k of weights 16\nview l of weights 16\n"
              "alloc y 32 48\nread a 0\nrelease a 0 48 kept by b\nread b 0\nrelease b 0 48 kept by c\n"
              "read c 0\nrelease c 0 48 kept by d\nread d 0\nrelease d 16 32\n"
              "read l 0\nrelease l 0 32\nread k 0\nrelease k 0 32\nread y 0\nrelease y 32 0\n");
}
END_TEST

START_TEST(where_a_part_began_is_forgotten)
{
    ebb_net *net = walk_net("Input in 0 1 x\nTail t 1 1 x y\n", NULL, 0, own);
    ebb_extractor *x = open_on(net, NULL);
    for (int n = 4; n >= 2; n -= 2) {
        const ebb_desc d = vec(n);
        give(x, "x", &d, 1);
        ck_assert_float_eq(first_of(x, "y"), (float)n - 1);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(a_part_of_another_input_is_copied_out)
{
    static walk_text log;
    ebb_net *net = walk_net("Input in 0 1 x\nInput in2 0 1 z\nReLU a 1 1 x a\nTail t 2 1 z a l\n"
                            "ReLU m 1 1 z m\nReduction n 1 1 m n 0=0 1=1\nBinaryOp b 2 1 l n y\n",
                            NULL, 0, own);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&log, net)});
    const ebb_desc d = vec(64);
    float data[2][64];
    for (int i = 0; i < 64; i++) data[0][i] = (float)i, data[1][i] = 0;
    ck_assert_int_eq(ebb_extractor_borrow(x, "x", &d, data[0], NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_borrow(x, "z", &d, data[1], NULL), EBB_OK);
    ck_assert_float_eq(first_of(x, "y"), 62);
    ck_assert_msg(strstr(log.text, "alloc l 8"), "%s", log.text);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

static ebb_precision precision;
static ebb_status make_precise(const ebb_allocator *a, ebb_net **net, ebb_error *e)
{
    return ebb_net_new(&(ebb_net_options){.allocator = *a, .precision = precision}, net, e);
}

START_TEST(a_layer_may_refuse_a_precision)
{
    static const ebb_dtype want[3][4] = {{EBB_F32, EBB_F32, EBB_F32, EBB_F32},
                                         {EBB_F16, EBB_F32, EBB_F16, EBB_F32},
                                         {EBB_BF16, EBB_BF16, EBB_F32, EBB_F32}};
    for (int p = EBB_PRECISION_F32; p <= EBB_PRECISION_BF16; p++) {
        precision = (ebb_precision)p;
        ebb_net *net = walk_net_made(make_precise,
                                     "Input in 0 1 x\nReLU a 1 1 x a\nReLU b 1 1 x b 31=2\n"
                                     "ReLU c 1 1 x c 31=4\nReLU d 1 1 x d 31=6\n",
                                     NULL, 0, small_layers);
        ebb_extractor *x = open_on(net, NULL);
        const ebb_desc d = vec(8);
        give(x, "x", &d, 1);
        ebb_blob *b[4];
        ck_assert_int_eq(ebb_extractor_extract_many(x, (const char *const[]){"a", "b", "c", "d"}, 4,
                                                    EBB_TAKE_AS_IS, b, NULL),
                         EBB_OK);
        for (int i = 0; i < 4; i++) {
            ck_assert_int_eq(ebb_blob_desc(b[i])->dtype, want[p][i]);
            ebb_blob_drop(b[i]);
        }
        ebb_extractor_destroy(x);
        walk_net_end(net);
    }
}
END_TEST

// Room is doubled, but no axis is longer than an int: that is what it takes, which nobody has.
START_TEST(a_cache_grows_to_the_longest_axis)
{
    if (sizeof(size_t) < 8) return;  // no such blob there
    ebb_net *net = small_net("Input in 0 1 x\nInput past 0 1 p\nCache c 2 1 x p k\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc row = ebb_desc_planar(EBB_F32, 2, (const int[]){1, 1}),
                   past = ebb_desc_planar(EBB_F32, 2, (const int[]){1 << 30, 1});
    ebb_prediction p;
    ck_assert_int_eq(ebb_extractor_expect(x, "x", &row, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_expect(x, "p", &past, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("k"), 1, NULL, &p, NULL), EBB_OK);
    ck_assert_uint_eq(p.blob_peak, 4 + ((size_t)1 << 30) * 4 + (size_t)INT32_MAX * 4);
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
    return run_tests(
        "place", (const test_entry[]){T(a_chain_steals_and_releases),
                                      T(slices_share_and_the_last_part_frees_the_whole),
                                      T(a_slice_is_overwritten_in_place_where_copying_it_out_lowers_the_peak),
                                      T(reshape_permute_reshape_copies_once),
                                      T(weights_are_never_stolen),
                                      T(a_cache_grows_in_place),
                                      T(a_cache_of_heads_grows_in_place),
                                      T(a_part_behind_the_start_is_not_overwritten),
                                      T(a_shrunken_result_is_overwritten),
                                      T(what_another_layer_computed_is_still_viewed_by_this_one),
                                      T(constants_that_nobody_reads_are_not_made),
                                      T(constants_are_as_many_as_the_layer_has),
                                      T(where_a_part_began_is_forgotten),
                                      T(a_part_of_another_input_is_copied_out),
                                      T(a_layer_may_refuse_a_precision),
                                      T(a_cache_grows_to_the_longest_axis),
                                      {0}});
}
