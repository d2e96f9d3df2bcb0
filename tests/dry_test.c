// SPDX-License-Identifier: BSD-3-Clause
// dry_test.c - a dry walk finds what the real one will take, tells the observer the same, and leaves the walk
// as it was.
#include "small_layers.h"
#include "walk.h"
#include <string.h>

#define CHAIN "Input in 0 1 x\nFork a 1 1 x a\nWorkers b 1 1 a y\n"

START_TEST(it_finds_what_the_real_walk_takes)
{
    static walk_text watched, told;
    ebb_walk w, dry;
    ebb_error e = {0};
    ebb_net *net = small_walk(&w, CHAIN);
    const ebb_request q = {.slots = (const int[]){2}, .n = 1, .how = EBB_TAKE_AS_IS};
    const size_t live = w.ledger.live;
    ck_assert(ebb_dry_walk(&dry, &w, &q, SIZE_MAX, walk_text_observer(&watched, net), &e) == EBB_OK);
    ck_assert_uint_eq(w.ledger.live, live);
    ck_assert(!w.begun && w.cells[1].state == EBB_CELL_NEVER && w.cells[2].state == EBB_CELL_NEVER);
    ck_assert_ptr_null(ebb_walk_check(&w));
    const ebb_ledger found = dry.ledger;
    ebb_blob *out;
    w.observer = walk_text_observer(&told, net);
    ck_assert(ebb_request_all(&w, &q, &out, &e) == EBB_OK);
    w.observer = (ebb_observer){0};
    ck_assert_str_eq(watched.text, told.text);
    ck_assert_uint_eq(found.peak, w.ledger.peak);
    ck_assert_uint_eq(found.scratch_peak, w.ledger.scratch_peak);
    ck_assert_uint_eq(found.joint_peak, w.ledger.joint_peak);
    ck_assert_uint_eq(found.total, w.ledger.total);
    ebb_blob_drop(out);
    ebb_walk_free(&w);
    walk_net_end(net);
}
END_TEST

// Whoever asks compares: the whole peak is wanted, also of what is over the limit.
START_TEST(it_goes_on_past_the_limit)
{
    ebb_walk w, dry;
    ebb_error e = {0};
    ebb_net *net = small_walk(&w, CHAIN);
    const ebb_request q = {.slots = (const int[]){2}, .n = 1, .how = EBB_TAKE_AS_IS};
    ck_assert(ebb_dry_walk(&dry, &w, &q, 79, (ebb_observer){0}, &e) == EBB_OK);
    ck_assert_uint_gt(dry.ledger.joint_peak, 79);
    ck_assert(w.limit == SIZE_MAX && !w.broken && ebb_walk_check(&w) == NULL);
    ebb_walk_free(&w);
    walk_net_end(net);
}
END_TEST

int main(void)
{
    return run_tests(
        "dry", (const test_entry[]){{"it finds what the real walk takes", it_finds_what_the_real_walk_takes},
                                    {"it goes on past the limit", it_goes_on_past_the_limit},
                                    {0}});
}
