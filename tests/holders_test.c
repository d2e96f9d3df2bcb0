// SPDX-License-Identifier: BSD-3-Clause
// holders_test.c - who shares a storage: against a search of all blobs, and in few steps however many there
// are.
#include "small_layers.h"
#include "walk.h"
#include <stdlib.h>

enum { SLOTS = 1 << 12, STORAGES = 5 };

typedef struct fixture {
    ebb_net net;
    ebb_walk w;
    ebb_storage m[STORAGES];
} fixture;

static fixture *set_up(void)
{
    fixture *f = calloc(1, sizeof *f);
    f->net.g.n_slots = SLOTS;
    f->w.net = &f->net;
    f->w.cells = calloc(SLOTS, sizeof *f->w.cells);
    return f;
}

static void tear_down(fixture *f)
{
    free(f->w.cells);
    free(f);
}

static void put(fixture *f, int slot, ebb_storage *m)
{
    ebb_blob *b = &f->w.cells[slot].blob;
    if (b->mem) ebb_holders_remove(&f->w, b);
    b->mem = m;
    if (m) ebb_holders_add(&f->w, b);
}

static int first_behind(const fixture *f, const ebb_storage *m, int slot)
{
    for (int s = slot + 1; s < SLOTS; s++)
        if (f->w.cells[s].blob.mem == m) return s;
    return -1;
}

static unsigned next_random(unsigned *seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 8; }

START_TEST(the_same_as_a_search_of_all)
{
    fixture *f = set_up();
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        const unsigned r = next_random(&seed);
        put(f, (int)(next_random(&seed) % 64), r % 6 == STORAGES ? NULL : &f->m[r % 6]);
        const int k = (int)(next_random(&seed) % STORAGES), behind = (int)(next_random(&seed) % 65) - 1;
        ck_assert_int_eq(ebb_holders_next(&f->w, &f->m[k], behind), first_behind(f, &f->m[k], behind));
    }
    ebb_blob elsewhere = {.mem = &f->m[0]};
    ebb_holders_add(&f->w, &elsewhere);  // not a cell's: nothing happens
    ebb_holders_remove(&f->w, &elsewhere);
    for (int s = 0; s < 64; s++) put(f, s, NULL);
    ck_assert_int_eq(f->w.holders, 0);
    tear_down(f);
}
END_TEST

// Slots come and go upwards, downwards and mixed: steps for each are about the logarithm.
START_TEST(few_steps_in_any_order)
{
    for (int order = 0; order < 9; order++)
        for (int storages = 1; storages <= STORAGES; storages += STORAGES - 1) {
            fixture *f = set_up();
            for (int i = 0; i < 2 * SLOTS; i++) {
                const int way = i < SLOTS ? order % 3 : order / 3, n = i % SLOTS;
                const int s = way == 0   ? n
                              : way == 1 ? SLOTS - 1 - n
                                         : (int)((unsigned)n * 2654435761u % SLOTS);
                put(f, s, i < SLOTS ? &f->m[s % storages] : NULL);
                ebb_holders_next(&f->w, &f->m[0], -1);
            }
            ck_assert_int_eq(f->w.holders, 0);
            ck_assert_uint_lt(f->w.steps, (size_t)2 * SLOTS * 5 * 12);
            tear_down(f);
        }
}
END_TEST

int main(void)
{
    return run_tests("holders",
                     (const test_entry[]){{"the same as a search of all", the_same_as_a_search_of_all},
                                          {"few steps in any order", few_steps_in_any_order},
                                          {0}});
}
