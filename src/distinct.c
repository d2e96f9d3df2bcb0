// SPDX-License-Identifier: BSD-3-Clause
// distinct.c - equal words of a text. Rule: found by sorting, so that a file of n words takes n log n steps.
#include "draft.h"
#include <string.h>

static int compare(const ebb_word *a, const ebb_word *b)
{
    const int c = memcmp(a->at, b->at, a->n < b->n ? a->n : b->n);
    return c ? c : (a->n > b->n) - (a->n < b->n);
}

// Sorts n words by name; equal ones stay in file order. Bottom-up merging between w and spare; returns the
// one that holds the result.
static ebb_word **sort_words(ebb_word **w, ebb_word **spare, size_t n)
{
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t from = 0; from < n; from += 2 * run) {
            const size_t middle = from + run < n ? from + run : n, end = middle + run < n ? middle + run : n;
            size_t a = from, b = middle;
            for (size_t i = from; i < end; i++) {
                const bool take_a = a < middle && (b == end || compare(w[a], w[b]) <= 0);
                spare[i] = w[take_a ? a++ : b++];
            }
        }
        ebb_word **swap = w;
        w = spare, spare = swap;
    }
    return w;
}

// Points each word at the first one of its name; returns how many names there are.
static size_t group_words(ebb_word **sorted, size_t n)
{
    size_t names = 0;
    for (size_t i = 0; i < n; i++) {
        const bool same = i && compare(sorted[i - 1], sorted[i]) == 0;
        sorted[i]->first = same ? sorted[i - 1]->first : sorted[i];
        names += !same;
    }
    return names;
}

ebb_word **ebb_distinct(ebb_word **w, size_t n, size_t *names)
{
    ebb_word **sorted = sort_words(w, w + n, n);
    *names = group_words(sorted, n);
    return sorted;
}
