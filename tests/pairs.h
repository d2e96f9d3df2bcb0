// SPDX-License-Identifier: BSD-3-Clause
// pairs.h - a few rows of factors' values in which every pair of values of two factors occurs.
#pragma once
#include <stdbool.h>

enum { PAIRS_FACTORS = 8, PAIRS_LEVELS = 8 };

// Zero-initialise, set the first four. Most faults need one value or two together; all combinations are for
// the night.
typedef struct pairs {
    int factors;                         // at least two
    int levels[PAIRS_FACTORS];           // factor f has the values 0 to levels[f] - 1, at least one
    bool all;                            // every combination instead
    unsigned turn;                       // other turns give other rows: triples differ from case to case
    bool begun;
    bool seen[PAIRS_FACTORS][PAIRS_FACTORS][PAIRS_LEVELS][PAIRS_LEVELS];
} pairs;

// The next row, into `row`, which holds the last one; false when there is none. The same struct gives the
// same rows every time.
bool pairs_next(pairs *p, int row[PAIRS_FACTORS]);
