// SPDX-License-Identifier: BSD-3-Clause
// naive_boxes.h - boxes in double precision, the obvious way, for references of detection layers.
#pragma once
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct naive_box {
    double label, score, x0, y0, x1, y1;
} naive_box;

static inline double naive_overlap(const naive_box *a, const naive_box *b)
{
    const double w = fmin(a->x1, b->x1) - fmax(a->x0, b->x0), h = fmin(a->y1, b->y1) - fmax(a->y0, b->y0);
    if (w < 0 || h < 0) return 0;
    return w * h / ((a->x1 - a->x0) * (a->y1 - a->y0) + (b->x1 - b->x0) * (b->y1 - b->y0) - w * h);
}

static inline int naive_compare(const void *pa, const void *pb)
{
    const naive_box *a = pa, *b = pb;
    return a->score < b->score ? 1 : a->score > b->score ? -1 : 0;
}

static inline void naive_sort(naive_box *b, int n) { qsort(b, (size_t)n, sizeof *b, naive_compare); }

static inline int naive_suppress(naive_box *b, int n, double threshold)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        bool keep = true;
        for (int k = 0; k < kept; k++) keep &= !(naive_overlap(&b[i], &b[k]) > threshold);
        if (keep) b[kept++] = b[i];
    }
    return kept;
}

static inline tensor naive_rows(const naive_box *b, int n)
{
    tensor t = tensor_new(2, (const int[]){n, 6});
    memcpy(t.v, b, (size_t)n * sizeof *b);
    return t;
}

static inline double naive_sigmoid(double x) { return 1 / (1 + exp(-x)); }

// A number in (0, 1) that differs for each i in [0, 997).
static inline double naive_distinct(size_t i) { return ((double)(i * 331 % 997) + 0.5) / 998; }
