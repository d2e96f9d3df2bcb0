// SPDX-License-Identifier: BSD-3-Clause
// nearest.c - edit distance between names. Rule: only error paths come here, so it may be slow, but never
// allocates.
#include "nearest.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64 };

static int least(int a, int b) { return a < b ? a : b; }

static int distance(const char *a, int na, const char *b, int nb)
{
    int row[LONGEST + 1];
    for (int j = 0; j <= nb; j++) row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            const int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(change, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[nb];
}

// A third of the letters may differ.
ebb_nearest ebb_nearest_to(const char *wanted)
{
    return (ebb_nearest){.wanted = wanted, .distance = 2 + least((int)strnlen(wanted, LONGEST), LONGEST) / 3};
}

void ebb_nearest_offer(ebb_nearest *n, const char *name)
{
    const int a = (int)strnlen(n->wanted, LONGEST), b = (int)strnlen(name, LONGEST);
    if (abs(a - b) >= n->distance) return;
    const int d = strcasecmp(n->wanted, name) ? distance(n->wanted, a, name, b) : 0;
    if (d >= n->distance || d >= (a > b ? a : b)) return;
    n->distance = d;
    n->name = name;
}
