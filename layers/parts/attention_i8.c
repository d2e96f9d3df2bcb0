// SPDX-License-Identifier: BSD-3-Clause
// attention_i8.c - attention with 8-bit products. Rule: a worker holds k and v of one head as bytes, and the
// scores of a few rows.
#include "attention.h"
#include "carve.h"
#include "quant.h"
#include "kernels/kernels.h"
#include "ratio.h"
#include "linear.h"
#include <float.h>
#include <string.h>

enum { ROWS = 4 };  // at once

typedef struct room {
    float *score;           // ROWS x keys
    int32_t *sum;           // ROWS x the larger of keys and dv
    int8_t *q, *k, *v, *p;  // ROWS x d, keys x d, dv x keys, ROWS x keys
    float k_factor, v_factor;
} room;

static size_t lay_out(const ebb_attention *p, void *base, room *r)
{
    const size_t n = (size_t)p->keys, wide = (size_t)(p->keys > p->dv ? p->keys : p->dv);
    ebb_carver c = {.base = base};
    r->score = ebb_carve(&c, n, ROWS * sizeof(float));
    r->sum = ebb_carve(&c, wide, ROWS * sizeof(int32_t));
    r->q = ebb_carve(&c, (size_t)p->d, ROWS);
    r->k = ebb_carve(&c, n, (size_t)p->d);
    r->v = ebb_carve(&c, n, (size_t)p->dv);
    r->p = ebb_carve(&c, n, ROWS);
    return c.used;
}

size_t ebb_attention_i8_scratch(const ebb_attention *p)
{
    room unused;
    return lay_out(p, NULL, &unused);
}

// y[i] = sums of row i of x with all n rows of w, each step worth factor[i].
static void multiply(const ebb_kernels *k, int32_t *sum, const int8_t *x, int rows, const int8_t *w, int n,
                     int len, const float *factor, float *y, ptrdiff_t step)
{
    const float none = 0.f;
    memset(sum, 0, (size_t)rows * (size_t)n * sizeof *sum);
    k->dot_i8(sum, n, x, len, rows, w, len, n, (size_t)len);
    for (int i = 0; i < rows; i++)
        k->dequantize_f32(y + i * step, sum + (ptrdiff_t)i * n, (size_t)n, &factor[i], &none, 0);
}

static void some_rows(const ebb_attention *p, const ebb_kernels *k, room *r, int head, int row, int n)
{
    const float *q = p->q.data + head * p->q.head + row * p->q.row;
    const float *mask = p->mask ? p->mask + head * p->mask_head + row * p->mask_row : NULL;
    float factor[ROWS];
    for (int i = 0; i < n; i++) {
        const ebb_floats_at line = {q + i * p->q.row, 1, p->d, 0, p->q.value};
        const float scale = ebb_quant_scale(k, &line);
        ebb_quant_fill(k, r->q + i * p->d, &line, scale);
        factor[i] = 1.f / scale * r->k_factor;
    }
    multiply(k, r->sum, r->q, n, r->k, p->keys, p->d, factor, r->score, p->keys);
    for (int i = 0; i < n; i++) {
        float max = -FLT_MAX, sum = 0.f, *s = r->score + (ptrdiff_t)i * p->keys;
        k->softmax_block_f32(s, mask ? mask + i * p->mask_row : NULL, p->scale, (size_t)p->keys, &max, &sum,
                             NULL, 0);
        for (int key = 0; key < p->keys; key++) s[key] = ebb_ratio(s[key], sum);
        factor[i] = ebb_quantize_own(k, r->p + (ptrdiff_t)i * p->keys, s, (size_t)p->keys) * r->v_factor;
    }
    multiply(k, r->sum, r->p, n, r->v, p->dv, p->keys, factor,
             p->out.data + head * p->out.head + row * p->out.row, p->out.row);
}

typedef struct job {
    const ebb_attention *p;
    const ebb_cpu *c;
} job;

static void one_group(void *ctx, size_t i, int worker)
{
    const job *j = ctx;
    const int group = (int)i;
    const ebb_attention *p = j->p;
    const ebb_kernels *k = j->c->k;
    const int heads = p->heads / p->groups;
    const ebb_floats_at key = {p->k.data + group * p->k.head, p->keys, p->d, p->k.row, p->k.value};
    const ebb_floats_at value = {p->v.data + group * p->v.head, p->dv, p->keys, p->v.value, p->v.row};
    const float k_scale = ebb_quant_scale(k, &key), v_scale = ebb_quant_scale(k, &value);
    room r;
    lay_out(p, ebb_worker_scratch(j->c, worker), &r);
    r.k_factor = 1.f / k_scale;
    r.v_factor = 1.f / v_scale;
    ebb_quant_fill(k, r.k, &key, k_scale);
    ebb_quant_fill(k, r.v, &value, v_scale);
    for (int head = group * heads; head < (group + 1) * heads; head++)
        for (int row = 0; row < p->rows; row += ROWS)
            some_rows(p, k, &r, head, row, p->rows - row < ROWS ? p->rows - row : ROWS);
}

void ebb_attention_i8_run(const ebb_attention *p, const ebb_cpu *c)
{
    job j = {p, c};
    ebb_parallel(c, p->groups, one_group, &j);
}
