// SPDX-License-Identifier: BSD-3-Clause
// attention.c - attention over blocks of keys. Rule: scores exist for one block of keys and rows at a time,
// so that scratch is bounded. A row with every key masked is 0.
#include "attention.h"
#include "carve.h"
#include "kernels/kernels.h"
#include "ratio.h"
#include "product.h"
#include <float.h>

enum { KEYS = 128, ROWS = EBB_PRODUCT_ROWS };  // of a block

// With a single position the heads of a group are the rows of one product; otherwise the positions of a head
// are.
static bool heads_are_rows(const ebb_attention *p) { return p->rows == 1; }
static int lines_of(const ebb_attention *p) { return heads_are_rows(p) ? p->heads / p->groups : p->rows; }
static int least(int a, int b) { return a < b ? a : b; }

// A worker's scratch.
typedef struct room {
    float *score;      // lines x keys of a block
    float *max, *sum;  // of each line
    void *product;
} room;

static size_t lay_out(const ebb_attention *p, const ebb_kernels *k, void *base, room *r)
{
    const int lines = least(lines_of(p), ROWS), keys = least(p->keys, KEYS);
    const size_t a = ebb_product_scratch(k, lines, keys, p->d),
                 b = ebb_product_scratch(k, lines, p->dv, keys);
    ebb_carver c = {.base = base};
    r->score = ebb_carve(&c, (size_t)lines * (size_t)keys, sizeof(float));
    r->max = ebb_carve(&c, (size_t)lines, sizeof(float));
    r->sum = ebb_carve(&c, (size_t)lines, sizeof(float));
    r->product = ebb_carve(&c, 1, a > b ? a : b);
    return c.used;
}

size_t ebb_attention_scratch(const ebb_attention *p, const ebb_kernels *k)
{
    room unused;
    return lay_out(p, k, NULL, &unused);
}

typedef struct job {
    const ebb_attention *p;
    const ebb_cpu *c;
    int lines, chunks;  // lines: heads, or positions of one head, that share a k and v; chunks of them
} job;

static void multiply(const job *j, const room *r, const ebb_product *m)
{
    const ebb_blocks all = ebb_product_blocks(m);
    for (size_t i = 0; i < all.count; i++) {
        const ebb_block b = ebb_block_at(m, &all, i);
        ebb_product_run(j->c->k, r->product, m, &b);
    }
}

// `n` lines of q from `q`, against a block of keys.
static void one_block(const job *j, const room *r, int group, int key, int n, const float *q,
                      const float *mask, float *out)
{
    const ebb_attention *p = j->p;
    const bool heads = heads_are_rows(p);
    const int keys = least(p->keys - key, KEYS), pitch = least(p->keys, KEYS);
    const ptrdiff_t out_row = heads ? p->out.head : p->out.row, mask_row = heads ? p->mask_head : p->mask_row;
    const ebb_product scores = {.m = n,
                                .n = keys,
                                .k = p->d,
                                .a = q,
                                .a_row = heads ? p->q.head : p->q.row,
                                .a_k = p->q.value,
                                .b = p->k.data + group * p->k.head + key * p->k.row,
                                .b_dtype = EBB_F32,
                                .b_col = p->k.row,
                                .b_k = p->k.value,
                                .c = r->score,
                                .c_row = pitch};
    multiply(j, r, &scores);
    for (int i = 0; i < n; i++)
        j->c->k->softmax_block_f32(r->score + i * pitch, mask ? mask + i * mask_row + key : NULL, p->scale,
                            (size_t)keys, &r->max[i], &r->sum[i], out + i * out_row, key ? (size_t)p->dv : 0);
    const ebb_product values = {.m = n,
                                .n = p->dv,
                                .k = keys,
                                .a = r->score,
                                .a_row = pitch,
                                .a_k = 1,
                                .b = p->v.data + group * p->v.head + key * p->v.row,
                                .b_dtype = EBB_F32,
                                .b_col = p->v.value,
                                .b_k = p->v.row,
                                .c = out,
                                .c_row = out_row,
                                .add = key > 0};
    multiply(j, r, &values);
}

// Chunks are of one size, or a line more: a few lines left over would be multiplied in another way than with
// other threads, and round differently.
static int start_of(const job *j, int chunk) { return (int)((int64_t)j->lines * chunk / j->chunks); }

static void one_chunk(void *ctx, size_t i, int worker)
{
    const job *j = ctx;
    const ebb_attention *p = j->p;
    room r;
    lay_out(p, j->c->k, ebb_worker_scratch(j->c, worker), &r);
    const int chunk = (int)(i % (size_t)j->chunks), first = start_of(j, chunk),
              n = start_of(j, chunk + 1) - first;
    const int shared = (int)(i / (size_t)j->chunks), per_group = p->heads / p->groups;
    const int head = heads_are_rows(p) ? shared * per_group + first : shared,
              row = heads_are_rows(p) ? 0 : first;
    const float *q = p->q.data + head * p->q.head + row * p->q.row;
    const float *mask = p->mask ? p->mask + head * p->mask_head + row * p->mask_row : NULL;
    float *out = p->out.data + head * p->out.head + row * p->out.row;
    const ptrdiff_t out_row = heads_are_rows(p) ? p->out.head : p->out.row;
    for (int l = 0; l < n; l++) r.max[l] = -FLT_MAX, r.sum[l] = 0.f;
    for (int key = 0; key < p->keys; key += KEYS) one_block(j, &r, head / per_group, key, n, q, mask, out);
    for (int l = 0; l < n; l++)
        for (int v = 0; v < p->dv; v++) out[l * out_row + v] = ebb_ratio(out[l * out_row + v], r.sum[l]);
}

void ebb_attention_run(const ebb_attention *p, const ebb_cpu *c)
{
    job j = {.p = p, .c = c, .lines = lines_of(p)};
    const int shares = heads_are_rows(p) ? p->groups : p->heads;
    if (shares == 0 || j.lines == 0) return;
    const int each = c->threads > shares ? c->threads / shares + 1 : 1;
    const int ideal = (j.lines + each - 1) / each, most = ideal < 16 ? 16 : least(ideal, ROWS);
    j.chunks = (j.lines - 1) / most + 1;
    ebb_parallel(c, ebb_size_mul((size_t)shares, (size_t)j.chunks), one_chunk, &j);
}
