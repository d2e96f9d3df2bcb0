// SPDX-License-Identifier: BSD-3-Clause
// ledger_test.c - the events alone tell the live bytes and the high-water mark, to the byte.
#include "ledger.h"
#include "small_layers.h"
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
#define T(f) {#f, f}
    return run_tests("ledger",
                     (const test_entry[]){T(a_replay_gives_the_high_water_mark), T(sums_do_not_wrap), {0}});
}
