// SPDX-License-Identifier: BSD-3-Clause
// attention_lay.h - runs attention over heads that lie in rows or in columns, and compares with the
// reference.
#pragma once
#include "parts/attention.h"
#include "attention_ref.h"
#include "cpu.h"
#include "kernels/kernels.h"
#include "harness.h"

enum { MOST = 1 << 17 };

typedef struct lay {
    int heads, groups, rows, keys, d, dv;
    bool turned, masked;  // k and v: values x positions
} lay;

static inline void numbers(float *x, int n, int seed)
{
    for (int i = 0; i < n; i++) x[i] = (float)((i * 37 + seed * 11) % 129 - 64) / 64.f;
}

static inline ebb_heads heads_at(float *data, int rows, int width, bool turned)
{
    return turned ? (ebb_heads){data, (ptrdiff_t)width * rows, 1, rows}
                  : (ebb_heads){data, (ptrdiff_t)width * rows, width, 1};
}

static inline head_ref widened(const ebb_heads *h, int head, int rows, int width)
{
    head_ref r = {calloc((size_t)rows * (size_t)width + 1, sizeof(double)), width, 1};
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < width; c++)
            r.v[i * width + c] = h->data[head * h->head + i * h->row + c * h->value];
    return r;
}

static inline void compare(const ebb_attention *p, const ebb_kernels *k, bool i8, double tol)
{
    double *mask = calloc((size_t)p->rows * (size_t)p->keys + 1, sizeof *mask);
    for (int i = 0; p->mask && i < p->rows * p->keys; i++) mask[i] = p->mask[i];
    for (int h = 0; h < p->heads; h++) {
        const int g = h / (p->heads / p->groups);
        const head_ref q = widened(&p->q, h, p->rows, p->d), key = widened(&p->k, g, p->keys, p->d);
        const head_ref v = widened(&p->v, g, p->keys, p->dv), got = widened(&p->out, h, p->rows, p->dv);
        const head_ref want = widened(&p->out, h, p->rows, p->dv);
        attend_ref(p->rows, p->keys, p->d, p->dv, &q, &key, &v, p->mask ? mask : NULL, p->scale, i8, &want);
        for (int i = 0; i < p->rows * p->dv; i++)
            ck_assert_msg(fabs(got.v[i] - want.v[i]) <= tol, "%s: head %d, value %d is %g, want %g", k->isa,
                          h, i, got.v[i], want.v[i]);
        free(q.v), free(key.v), free(v.v), free(got.v), free(want.v);
    }
    free(mask);
}

static inline void attend(const lay *l, const ebb_kernels *k, int threads, bool i8, double tol)
{
    static float q[MOST], key[MOST], v[MOST], mask[MOST], out[MOST];
    numbers(q, MOST, 1), numbers(key, MOST, 2), numbers(v, MOST, 3), numbers(mask, MOST, 4);
    const ebb_attention p = {.heads = l->heads,
                             .groups = l->groups,
                             .rows = l->rows,
                             .keys = l->keys,
                             .d = l->d,
                             .dv = l->dv,
                             .q = heads_at(q, l->rows, l->d, false),
                             .k = heads_at(key, l->keys, l->d, l->turned),
                             .v = heads_at(v, l->keys, l->dv, l->turned),
                             .out = heads_at(out, l->rows, l->dv, false),
                             .mask = l->masked ? mask : NULL,
                             .mask_row = l->keys,
                             .scale = 0.75f};
    const size_t bytes = (i8 ? ebb_attention_i8_scratch(&p) : ebb_attention_scratch(&p, k)) + 63;
    ebb_pool *pool = NULL;
    if (threads > 1) ck_assert_int_eq(ebb_pool_new(threads, NULL, &pool, NULL), EBB_OK);
    ebb_cpu c = {.k = k, .threads = threads, .pool = pool, .worker_bytes = bytes / 64 * 64};
    c.worker_scratch = aligned_alloc(64, c.worker_bytes * (size_t)threads);
    (i8 ? ebb_attention_i8_run : ebb_attention_run)(&p, &c);
    compare(&p, k, i8, tol);
    free(c.worker_scratch);
    ebb_pool_destroy(pool);
}
