// SPDX-License-Identifier: BSD-3-Clause
// ledger_test.c - the events alone tell the live bytes and the high-water mark, to the byte.
#include "ledger.h"
#include "small_layers.h"
#include "witness.h"
#include <string.h>

typedef struct replay {
    size_t live, peak;
    bool agrees;
} replay;

static void on_event(void *user, const ebb_event *ev)
{
    replay *r = user;
    switch (ev->kind) {
    case EBB_EV_INPUT:
    case EBB_EV_ALLOC:
    case EBB_EV_GROW:
    case EBB_EV_MOVE:
    case EBB_EV_CONVERT: r->live += ev->bytes; break;
    case EBB_EV_RELEASE: r->live -= ev->bytes; break;
    default: break;
    }
    if (r->live > r->peak) r->peak = r->live;
    r->agrees &= r->live == ev->live && (r->peak == ev->peak || ev->kind == EBB_EV_RESET) && ev->why;
}

START_TEST(a_replay_gives_the_high_water_mark)
{
    ebb_net *net = small_net("Input in 0 1 x\nPixel a 1 1 x a\nPlanar b 1 1 x b\nBinaryOp c 2 1 a b c\nSlice "
                             "s 1 2 c l r -23300=2,2,-233\n"
                             "Fork f 1 2 l g h\nReshape i 1 1 r i 0=-1\n",
                             NULL, 0);
    replay r = {.agrees = true};
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = {on_event, &r}});
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 3, 2});
    give(x, "x", &d, 1);
    first_of(x, "g");
    first_of(x, "i");
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    ck_assert(r.agrees);
    ck_assert_uint_eq(r.peak, m[EBB_MEM_BLOB].peak);
    ebb_extractor_reset(x);
    ck_assert_uint_eq(r.live, 0);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(scratch_is_counted)
{
    ebb_net *net =
        small_net("Input in 0 1 x\nWorkers v 1 1 x v\nFork a 1 1 v a\nWorkers w 1 1 a w\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(4);
    ebb_mem_count m[EBB_MEM_KINDS];
    give(x, "x", &d, 1);
    first_of(x, "w");
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_SCRATCH].count, 2);
    ck_assert_uint_eq(m[EBB_MEM_SCRATCH].live, 0);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// What is predicted and counted is what an allocator sees, but for headers and the state of walks.
START_TEST(an_allocator_sees_the_same_bytes)
{
    enum { N = 1 << 18, HEADERS = 1 << 14 };
    const char text[] =
        "7767517\n5 6\nInput in 0 1 x\nFork a 1 2 x a b\nWorkers w 1 1 a c\nBinaryOp s 2 1 b c d\n"
        "Fork f 1 1 d y\n";
    witness sees = WITNESS(.least = 0);
    ebb_net *net;
    ebb_error e = {0};
    ck_assert(ebb_net_new(&(ebb_net_options){.allocator = witness_hooks(&sees)}, &net, &e) == EBB_OK);
    for (int i = 0; small_layers[i]; i++) ck_assert(ebb_net_add_layer(net, small_layers[i], &e) == EBB_OK);
    ck_assert_msg(ebb_net_load_param_mem(net, text, sizeof text - 1, &e) == EBB_OK, "%s", e.msg);
    ck_assert(ebb_net_load_weights_mem(net, NULL, 0, &e) == EBB_OK);
    for (int threads = 1; threads <= 2; threads++) {
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = threads});
        const ebb_desc d = vec(N);
        const size_t before = witness_sum(&sees).live;
        give(x, "x", &d, 1);
        ebb_prediction p;
        ck_assert(ebb_extractor_predict(x, ONE("y"), 1, NULL, &p, &e) == EBB_OK);
        witness_restart(&sees);
        first_of(x, "y");
        const size_t peak = witness_sum(&sees).peak - before;
        ck_assert_msg(peak >= p.joint_peak && peak < p.joint_peak + HEADERS, "%zu taken, %zu predicted", peak,
                      p.joint_peak);
        ck_assert_uint_eq(p.joint_peak, (4 * N + 32 * threads) * sizeof(float));  // a, b, c and scratch
        ck_assert_uint_eq(p.scratch_peak, (N + 32 * threads) * sizeof(float));
        ebb_mem_count m[EBB_MEM_KINDS];
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, p.blob_peak);
        ck_assert_uint_eq(m[EBB_MEM_SCRATCH].peak, p.scratch_peak);
        ebb_extractor_destroy(x);
    }
    ebb_net_destroy(net);
    ck_assert_uint_eq(witness_sum(&sees).live, 0);
}
END_TEST

START_TEST(sums_do_not_wrap)
{
    ebb_ledger l;
    ebb_ledger_open(&l);
    ck_assert_uint_eq(ebb_ledger_room(&l, SIZE_MAX), SIZE_MAX);
    ebb_ledger_take(&l, SIZE_MAX - 100);
    ck_assert_uint_eq(ebb_ledger_room(&l, SIZE_MAX), 100);
    ck_assert_uint_eq(ebb_ledger_room(&l, 1000), 0);
    ebb_ledger_take_scratch(&l, 60);
    ck_assert_uint_eq(ebb_ledger_room(&l, SIZE_MAX), 40);
    ebb_ledger_put_scratch(&l, 60);
    ebb_ledger_put(&l, SIZE_MAX - 100);
    ebb_ledger_take(&l, 101);
    ck_assert_uint_eq(l.total, SIZE_MAX);
    ck_assert_uint_eq(l.joint_peak, SIZE_MAX - 40);
    ck_assert_uint_eq(l.live, 101);
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("ledger", (const test_entry[]){T(a_replay_gives_the_high_water_mark),
                                                    T(scratch_is_counted),
                                                    T(an_allocator_sees_the_same_bytes),
                                                    T(sums_do_not_wrap),
                                                    {0}});
}
