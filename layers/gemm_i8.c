// SPDX-License-Identifier: BSD-3-Clause
// gemm_i8.c - the 8-bit way of Gemm: A has a scale for each row, B one for all. Rule: constants become bytes
// at load, inputs when they come; both lie in rows of K.
#include "parts/carve.h"
#include "parts/quant.h"
#include "gemm.h"
#include "kernels/kernels.h"
#include <string.h>

static ebb_status factors(const ebb_load *l, int n, float **factor, ebb_error *e)
{
    ebb_weights s;
    void *f;
    EBB_TRY(ebb_load_weights(l, (size_t)n, EBB_RAW, &s, e));
    EBB_TRY(ebb_load_alloc(l, ebb_size_mul((size_t)n, sizeof(float)), &f, e));
    *factor = f;
    for (int i = 0; i < n; i++) {
        const float scale = ebb_weight_f32(&s, (size_t)i);
        (*factor)[i] = scale == 0.f ? 0.f : 1.f / scale;
    }
    return EBB_OK;
}

// A constant that is bytes already; turned, its rows are made of K.
static ebb_status bytes(const ebb_load *l, ebb_weights *w, int rows, int cols, bool turned,
                        ebb_gemm_bytes_of *to, ebb_error *e)
{
    void *q;
    if (!turned) {
        EBB_TRY(ebb_load_keep(l, w, e));
        to->q = w->data;
        return EBB_OK;
    }
    EBB_TRY(ebb_load_alloc(l, w->n, &q, e));
    const int8_t *from = w->data;
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t c = 0; c < (size_t)cols; c++)
            ((int8_t *)q)[r * (size_t)cols + c] = from[c * (size_t)rows + r];
    to->q = q;
    return EBB_OK;
}

// Quantises rows x cols floats by their own magnitudes, a scale for each row or one for all.
static void quantise(const ebb_kernels *k, const ebb_floats_at *m, bool each, int8_t *q, float *factor)
{
    ebb_floats_at part = *m;
    if (each) part.rows = 1;
    for (int r = 0; r < m->rows; r += part.rows) {
        part.data = m->data + r * m->row;
        const float scale = ebb_quant_scale(k, &part);
        ebb_quant_fill(k, q + (ptrdiff_t)r * m->cols, &part, scale);
        factor[each ? r : 0] = 1.f / scale;
        if (!each) return;
    }
}

// A constant in floats: its own magnitudes decide, the scales in the file are passed over.
static ebb_status floats(const ebb_load *l, const ebb_weights *w, const ebb_floats_at *at, bool each,
                         float *factor, ebb_gemm_bytes_of *to, ebb_error *e)
{
    void *q, *wide;
    ebb_floats_at m = *at;
    EBB_TRY(ebb_load_alloc(l, w->n, &q, e));
    if (w->dtype != EBB_F32) {
        EBB_TRY(ebb_load_alloc(l, ebb_size_mul(w->n, sizeof(float)), &wide, e));
        ebb_weights_to_f32(w, wide);
        m.data = wide;
    }
    quantise(l->k, &m, each, q, factor);
    to->q = q;
    return EBB_OK;
}

static ebb_status load_operand(const ebb_load *l, ebb_weights *w, int rows, int cols, bool turned, bool each,
                               ebb_gemm_bytes_of *to, ebb_error *e)
{
    float *factor;
    EBB_TRY(factors(l, each ? rows : 1, &factor, e));
    to->factor = factor;
    if (w->dtype == EBB_I8) return bytes(l, w, rows, cols, turned, to, e);
    const ebb_floats_at at = {w->data, rows, cols, turned ? 1 : cols, turned ? rows : 1};
    return floats(l, w, &at, each, factor, to, e);
}

ebb_status ebb_gemm_i8_load(ebb_gemm_layer *p, const ebb_load *l, ebb_error *e)
{
    const int m = p->constant_m, n = p->constant_n, k = p->constant_k;
    if (p->constant_a) EBB_TRY(load_operand(l, &p->a, m, k, p->trans_a, true, &p->qa, e));
    if (p->constant_b) EBB_TRY(load_operand(l, &p->b, n, k, !p->trans_b, false, &p->qb, e));
    return EBB_OK;
}

// What is made of inputs: bytes and factors of A and B.
typedef struct room {
    int8_t *qa, *qb;
    float *fa, *fb;
} room;

static size_t lay_out(const ebb_gemm_layer *p, int m, int n, int k, void *base, room *r)
{
    ebb_carver c = {.base = base};
    r->qa = ebb_carve(&c, p->constant_a ? 0 : (size_t)m, (size_t)k);
    r->fa = ebb_carve(&c, p->constant_a ? 0 : (size_t)m, sizeof(float));
    r->qb = ebb_carve(&c, p->constant_b ? 0 : (size_t)n, (size_t)k);
    r->fb = ebb_carve(&c, p->constant_b ? 0 : 1, sizeof(float));
    return c.used;
}

size_t ebb_gemm_i8_scratch(const ebb_gemm_layer *p, int m, int n, int k)
{
    room unused;
    return lay_out(p, m, n, k, NULL, &unused);
}

typedef struct work {
    const ebb_gemm_job *j;
    room r;
} work;

static void quantise_a(void *ctx, size_t i, int worker)
{
    (void)worker;
    const work *w = ctx;
    const ebb_gemm_operand *a = &w->j->a;
    const int row = (int)i;
    const ebb_floats_at m = {(const float *)a->data + row * a->row, 1, a->cols, a->row, a->col};
    quantise(w->j->c->k, &m, true, w->r.qa + (ptrdiff_t)row * a->cols, w->r.fa + row);
}

enum { ROWS = 4, COLS = 64 };  // of a block

// A block: the rows of the output belong to `left`, its columns to `right`.
static void block(void *ctx, size_t i, int worker)
{
    (void)worker;
    const ebb_gemm_job *j = ctx;
    const bool turned = j->p->output_transpose;
    const ebb_gemm_bytes_of *left = turned ? &j->qb : &j->qa, *right = turned ? &j->qa : &j->qb;
    const int across = turned ? j->m : j->n, down = turned ? j->n : j->m, col = (int)i * COLS;
    const int n = across - col < COLS ? across - col : COLS;
    int32_t sum[ROWS * COLS];
    float c[COLS];
    for (int row = 0; row < down; row += ROWS) {
        const int rows = down - row < ROWS ? down - row : ROWS;
        memset(sum, 0, sizeof sum);
        j->c->k->dot_i8(sum, COLS, left->q + (ptrdiff_t)row * j->k, j->k, rows,
                        right->q + (ptrdiff_t)col * j->k, j->k, n, (size_t)j->k);
        for (int r = row; r < row + rows; r++) {
            float *y = j->out + r * j->out_row + col;
            ebb_gemm_begin(j, r, col, n);
            memcpy(c, y, (size_t)n * sizeof *c);
            for (int x = 0; x < n; x++) {
                const float f =
                    turned ? j->qb.factor[0] * j->qa.factor[col + x] : j->qa.factor[r] * j->qb.factor[0];
                y[x] = (float)sum[(r - row) * COLS + x] * f + c[x];
            }
            ebb_gemm_end(j, r, col, n);
        }
    }
}

void ebb_gemm_i8_run(ebb_gemm_job *j)
{
    const ebb_gemm_layer *p = j->p;
    work w = {.j = j};
    lay_out(p, j->m, j->n, j->k, j->c->scratch, &w.r);
    j->qa = p->constant_a ? p->qa : (ebb_gemm_bytes_of){w.r.qa, w.r.fa};
    j->qb = p->constant_b ? p->qb : (ebb_gemm_bytes_of){w.r.qb, w.r.fb};
    if (!p->constant_a) ebb_parallel(j->c, j->m, quantise_a, &w);
    if (!p->constant_b) {
        const ebb_floats_at b = {j->b.data, j->n, j->k, j->b.col, j->b.row};
        quantise(j->c->k, &b, false, w.r.qb, w.r.fb);
    }
    if (p->output_transpose)
        j->add = (ebb_gemm_operand){j->add.data, j->add.dtype, j->n, j->m, j->add.col, j->add.row};
    const int across = p->output_transpose ? j->m : j->n;
    ebb_parallel(j->c, (across + COLS - 1) / COLS, block, j);
}
