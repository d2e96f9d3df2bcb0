// SPDX-License-Identifier: BSD-3-Clause
// matrix.c - loads a matrix of weights and multiplies with its rows. Rule: one sum for each row and vector, float or
// exact in integers, never mixed.
#include "matrix.h"
#include "kernels.h"
#include <string.h>

ebb_status ebb_matrix_load(ebb_matrix *m, const ebb_load *l, int rows, int cols, bool eight, ebb_error *e)
{
    m->rows = rows;
    m->cols = cols;
    EBB_TRY(ebb_load_weights(l, (size_t)rows * (size_t)cols, EBB_TAGGED, &m->w, e));
    if (eight && m->w.dtype != EBB_I8) return EBB_OK;
    if (!eight && m->w.dtype == EBB_I8)
        return ebb_fail(e, EBB_E_FORMAT, "the weights are 8-bit numbers, but the int8 term of the layer is 0");
    return ebb_load_keep(l, &m->w, e);
}

static ebb_status quantize_rows(ebb_matrix *m, const ebb_load *l, const float *scale, ebb_error *e)
{
    const size_t cols = (size_t)m->cols;
    void *q;
    EBB_TRY(ebb_load_alloc(l, m->w.n, &q, e));
    float t[256];
    for (size_t r = 0; r < (size_t)m->rows; r++) {
        for (size_t i = 0; i < cols; i += sizeof t / sizeof *t) {
            const size_t n = cols - i < sizeof t / sizeof *t ? cols - i : sizeof t / sizeof *t;
            for (size_t j = 0; j < n; j++) t[j] = ebb_weight_f32(&m->w, r * cols + i + j);
            l->k->quantize_i8((int8_t *)q + r * cols + i, t, n, &scale[r], 0);
        }
    }
    m->w = (ebb_weights){.dtype = EBB_I8, .n = m->w.n, .data = q};
    return EBB_OK;
}

ebb_status ebb_matrix_load_scales(ebb_matrix *m, const ebb_load *l, ebb_error *e)
{
    ebb_weights s;
    void *p;
    EBB_TRY(ebb_load_weights(l, (size_t)m->rows, EBB_RAW, &s, e));
    if (m->w.dtype != EBB_I8) EBB_TRY(quantize_rows(m, l, s.data, e));
    EBB_TRY(ebb_load_alloc(l, (size_t)m->rows * sizeof(float), &p, e));
    float *factor = p;
    for (int r = 0; r < m->rows; r++) {
        const float scale = ebb_weight_f32(&s, (size_t)r);
        factor[r] = scale == 0.f ? 0.f : 1.f / scale;
    }
    m->factor = factor;
    return EBB_OK;
}

enum { ROWS = 64, VECTORS = 4 };  // of one integer product

static void times_i8(const ebb_matrix *m, const ebb_kernels *k, int row, int rows, const ebb_vectors *x, float *y,
                     ptrdiff_t sy)
{
    const int8_t *w = (const int8_t *)m->w.data + (ptrdiff_t)row * m->cols;
    int32_t sum[VECTORS * ROWS];
    for (int j = 0; j < x->n; j += VECTORS) {
        const int n = x->n - j < VECTORS ? x->n - j : VECTORS;
        memset(sum, 0, sizeof sum);
        k->dot_i8(sum, ROWS, x->q + j * x->stride, x->stride, n, w, m->cols, rows, (size_t)m->cols);
        for (int v = 0; v < n; v++) {
            const float step = x->factor[x->each ? j + v : 0];
            for (int r = 0; r < rows; r++) y[(j + v) * sy + r] += (float)sum[v * ROWS + r] * (step * m->factor[row + r]);
        }
    }
}

void ebb_matrix_times(const ebb_matrix *m, const ebb_kernels *k, int row, int rows, const ebb_vectors *x, float *y,
                      ptrdiff_t sy)
{
    const ptrdiff_t at = (ptrdiff_t)row * m->cols;
    if (m->w.dtype == EBB_F32) {
        k->dot_f32(y, sy, x->f, x->stride, x->n, (const float *)m->w.data + at, m->cols, rows, (size_t)m->cols);
    } else if (m->w.dtype == EBB_F16) {
        k->dot_f16(y, sy, x->f, x->stride, x->n, (const uint16_t *)m->w.data + at, m->cols, rows, (size_t)m->cols);
    } else {
        for (int r = 0; r < rows; r += ROWS) times_i8(m, k, row + r, rows - r < ROWS ? rows - r : ROWS, x, y + r, sy);
    }
}

int ebb_matrix_piece(const ebb_matrix *m)
{
    enum { BYTES = 1 << 16, LEAST = 8 };
    const size_t row = (size_t)m->cols * ebb_dtype_bytes(m->w.dtype);
    const size_t rows = row ? BYTES / row / LEAST * LEAST : BYTES;
    return rows < LEAST ? LEAST : (int)rows;
}

float ebb_quantize_own(const ebb_kernels *k, int8_t *q, const float *x, size_t n)
{
    float most = 0.f;
    k->absmax_f32(&most, x, n);
    const float scale = most == 0.f ? 1.f : 127.f / most;
    k->quantize_i8(q, x, n, &scale, 0);
    return 1.f / scale;
}
