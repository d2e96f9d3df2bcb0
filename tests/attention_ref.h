// SPDX-License-Identifier: BSD-3-Clause
// attention_ref.h - softmax(q k' * scale + mask) v in double precision, for one head, in floats or 8 bits.
#pragma once
#include "quant_ref.h"
#include <stdlib.h>

// A matrix of doubles anywhere.
typedef struct head_ref {
    double *v;
    int row, col;
} head_ref;
static inline double at_ref(const head_ref *h, int r, int c) { return h->v[r * h->row + c * h->col]; }

static inline double whole_scale(const head_ref *h, int rows, int cols)
{
    double most = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) most = fmax(most, fabs(at_ref(h, r, c)));
    return most == 0 ? 1 : (float)(127.f / (float)most);
}

// sum of x[i * step] * y[i * other], as 8-bit numbers when scales are not 0.
static inline double dot_ref(const double *x, int step, double sx, const double *y, int other, double sy,
                             int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += sx == 0 ? x[i * step] * y[i * other] : eight(x[i * step], sx) * eight(y[i * other], sy);
    return sx == 0 ? sum : sum / (sx * sy);
}

// mask: rows x keys, or NULL.
static inline void attend_ref(int rows, int keys, int d, int dv, const head_ref *q, const head_ref *k,
                              const head_ref *v, const double *mask, double scale, int i8,
                              const head_ref *out)
{
    double *p = calloc((size_t)keys + 1, sizeof *p);
    const double sk = i8 ? whole_scale(k, keys, d) : 0, sv = i8 ? whole_scale(v, keys, dv) : 0;
    for (int r = 0; r < rows; r++) {
        double most = -INFINITY, sum = 0;
        for (int j = 0; j < keys; j++) {
            const double sq = i8 ? own_scale(q->v + r * q->row, d, q->col) : 0;
            p[j] = dot_ref(q->v + r * q->row, q->col, sq, k->v + j * k->row, k->col, sk, d) * scale +
                   (mask ? mask[r * keys + j] : 0);
            most = fmax(most, p[j]);
        }
        for (int j = 0; j < keys; j++) sum += p[j] = exp(p[j] - most);
        for (int j = 0; j < keys; j++) p[j] = most == -INFINITY ? 0 : p[j] / sum;
        for (int c = 0; c < dv; c++)
            out->v[r * out->row + c * out->col] =
                dot_ref(p, 1, i8 ? own_scale(p, keys, 1) : 0, v->v + c * v->col, v->row, sv, keys);
    }
    free(p);
}
