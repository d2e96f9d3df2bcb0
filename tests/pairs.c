// SPDX-License-Identifier: BSD-3-Clause
// pairs.c - covering arrays of strength two, by a greedy choice of each value. Rule: a row begins with a pair
// that no row had, so that the rows come to an end.
#include "pairs.h"
#include <string.h>

static bool find_new_pair(const pairs *p, int row[PAIRS_FACTORS])
{
    for (int f = 0; f < p->factors; f++)
        for (int g = f + 1; g < p->factors; g++)
            for (int a = 0; a < p->levels[f]; a++)
                for (int b = 0; b < p->levels[g]; b++)
                    if (!p->seen[f][g][a][b]) return row[f] = a, row[g] = b, true;
    return false;
}

// How many pairs with the values already chosen (others are -1) nobody had.
static int gain(const pairs *p, const int row[PAIRS_FACTORS], int f, int value)
{
    int n = 0;
    for (int g = 0; g < p->factors; g++)
        if (row[g] >= 0) n += !p->seen[f][g][value][row[g]];
    return n;
}

static int best(pairs *p, const int row[PAIRS_FACTORS], int f)
{
    p->turn = p->turn * 1664525u + 1013904223u;
    const int first = (int)((p->turn >> 8) % (unsigned)p->levels[f]);
    int value = first;
    for (int i = 1; i < p->levels[f]; i++) {
        const int other = (first + i) % p->levels[f];
        if (gain(p, row, f, other) > gain(p, row, f, value)) value = other;
    }
    return value;
}

static void mark(pairs *p, const int row[PAIRS_FACTORS])
{
    for (int f = 0; f < p->factors; f++)
        for (int g = 0; g < p->factors; g++)
            if (f != g) p->seen[f][g][row[f]][row[g]] = true;
}

static bool next_pair(pairs *p, int row[PAIRS_FACTORS])
{
    memset(row, -1, PAIRS_FACTORS * sizeof *row);
    if (!find_new_pair(p, row)) return false;
    for (int f = 0; f < p->factors; f++)
        if (row[f] < 0) row[f] = best(p, row, f);
    mark(p, row);
    return true;
}

static bool next_of_all(const pairs *p, int row[PAIRS_FACTORS])
{
    if (!p->begun) return memset(row, 0, PAIRS_FACTORS * sizeof *row), true;
    for (int f = 0; f < p->factors; f++) {
        if (++row[f] < p->levels[f]) return true;
        row[f] = 0;
    }
    return false;
}

bool pairs_next(pairs *p, int row[PAIRS_FACTORS])
{
    const bool any = p->all ? next_of_all(p, row) : next_pair(p, row);
    p->begun = true;
    return any;
}
