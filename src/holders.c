// SPDX-License-Identifier: BSD-3-Clause
// holders.c - which blobs of a walk share a storage, the first ones first. Rule: a cell is in the tree, by
// the place of its storage and then its slot, from when it gets the storage until it loses it; each step
// costs a logarithm.
//
// The tree is a treap: of two cells the one with the higher rank, a hash of its slot, is nearer to the root.
#include "walk.h"

// Slots are counted from 1 here, so that 0 is none in cells that are cleared.
static ebb_cell *at(const ebb_walk *w, int t) { return &w->cells[t - 1]; }

static uint32_t rank(int t)
{
    uint32_t h = (uint32_t)t * 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    return h ^ h >> 13;
}

// Whether cell t stands before slot s of storage m.
static bool before(const ebb_walk *w, int t, const ebb_storage *m, int s)
{
    const ebb_storage *other = at(w, t)->blob.mem;
    return other == m ? t < s : (uintptr_t)other < (uintptr_t)m;
}

static int *toward(ebb_walk *w, int t, const ebb_storage *m, int s)
{
    w->steps++;
    return before(w, t, m, s) ? &at(w, t)->high : &at(w, t)->low;
}

// 1 and up; 0 when the blob is not a cell's.
static int place_of(const ebb_walk *w, const ebb_blob *b)
{
    const uintptr_t p = (uintptr_t)b, first = (uintptr_t)w->cells;
    const size_t i = (p - first) / sizeof(ebb_cell);
    return p >= first && i < (size_t)w->net->g.n_slots ? (int)i + 1 : 0;
}

void ebb_holders_add(ebb_walk *w, const ebb_blob *b)
{
    const int s = place_of(w, b);
    if (!s || !b->mem) return;
    int *t = &w->holders, *low = &at(w, s)->low, *high = &at(w, s)->high;
    while (*t && rank(*t) > rank(s)) t = toward(w, *t, b->mem, s);
    for (int rest = *t; rest;) {  // what stood here goes to its two sides
        int *next = toward(w, rest, b->mem, s);
        if (next == &at(w, rest)->high)
            *low = rest, low = next;
        else
            *high = rest, high = next;
        rest = *next;
    }
    *low = *high = 0;
    *t = s;
}

void ebb_holders_remove(ebb_walk *w, const ebb_blob *b)
{
    const int s = place_of(w, b);
    if (!s || !b->mem) return;
    int *t = &w->holders, low = at(w, s)->low, high = at(w, s)->high;
    while (*t && *t != s) t = toward(w, *t, b->mem, s);
    if (!*t) return;
    while (low && high) {
        w->steps++;
        if (rank(low) > rank(high))
            *t = low, t = &at(w, low)->high, low = *t;
        else
            *t = high, t = &at(w, high)->low, high = *t;
    }
    *t = low ? low : high;
    at(w, s)->low = at(w, s)->high = 0;
}

int ebb_holders_next(ebb_walk *w, const ebb_storage *m, int slot)
{
    int found = 0;
    for (int t = w->holders; t;) {
        int *next = toward(w, t, m, slot + 2);
        if (next == &at(w, t)->low) found = t;
        t = *next;
    }
    return found && at(w, found)->blob.mem == m ? found - 1 : -1;
}
