// SPDX-License-Identifier: BSD-3-Clause
// linear.c - loads a matrix of weights and multiplies with its rows. Rule: one sum for each row and vector,
// float or exact in integers, never mixed.
#include "linear.h"
#include "kernels/kernels.h"
#include <string.h>

ebb_status ebb_linear_load(ebb_linear *m, const ebb_load *l, int rows, int cols, bool eight, ebb_error *e)
{
    m->rows = rows;
    m->cols = cols;
    EBB_TRY(ebb_load_weights(l, ebb_size_mul((size_t)rows, (size_t)cols), EBB_TAGGED, &m->w, e));
    if (eight && m->w.dtype != EBB_I8) return EBB_OK;
    if (!eight && m->w.dtype == EBB_I8)
        return ebb_fail(e, EBB_E_FORMAT,
                        "the weights are 8-bit numbers, but the int8 term of the layer is 0");
    return ebb_load_keep(l, &m->w, e);
}

static ebb_status quantize_rows(ebb_linear *m, const ebb_load *l, const float *scale, bool each, ebb_error *e)
{
    const size_t cols = (size_t)m->cols;
    void *q;
    EBB_TRY(ebb_load_alloc(l, m->w.n, &q, e));
    float t[256];
    for (size_t r = 0; r < (size_t)m->rows; r++) {
        for (size_t i = 0; i < cols; i += sizeof t / sizeof *t) {
            const size_t n = cols - i < sizeof t / sizeof *t ? cols - i : sizeof t / sizeof *t;
            for (size_t j = 0; j < n; j++) t[j] = ebb_weight_f32(&m->w, r * cols + i + j);
            l->k->quantize_i8((int8_t *)q + r * cols + i, t, n, scale + (each ? r : 0), 0);
        }
    }
    m->w = (ebb_weights){.dtype = EBB_I8, .n = m->w.n, .data = q};
    return EBB_OK;
}

// n factors 1 / scale, and 0 for a scale of 0; one scale may serve all.
static ebb_status inverses(const ebb_load *l, const ebb_weights *s, size_t n, const float **factor,
                           ebb_error *e)
{
    void *p;
    EBB_TRY(ebb_load_alloc(l, ebb_size_mul(n, sizeof(float)), &p, e));
    float *f = p;
    for (size_t i = 0; i < n; i++) {
        const float scale = ebb_weight_f32(s, s->n == 1 ? 0 : i);
        f[i] = scale == 0.f ? 0.f : 1.f / scale;
    }
    *factor = f;
    return EBB_OK;
}

ebb_status ebb_linear_load_scales(ebb_linear *m, const ebb_load *l, int n, ebb_error *e)
{
    ebb_weights s;
    EBB_TRY(ebb_load_weights(l, (size_t)n, EBB_RAW, &s, e));
    if (m->w.dtype != EBB_I8) EBB_TRY(quantize_rows(m, l, s.data, n > 1, e));
    return inverses(l, &s, (size_t)m->rows, &m->factor, e);
}

// ------------------------------------------------------------------------------------------- packed in
// blocks

ebb_status ebb_weight_quant_of(ebb_weight_quant *q, int term, ebb_error *e)
{
    const int bits = term / 100, input = term / 10 % 10, size = term % 10;
    *q = (ebb_weight_quant){.eight = term != 0};
    if (term < 4 || (term > 6 && term < 400)) return EBB_OK;
    if ((bits != 4 && bits != 6 && bits != 8) || input > 1 || size > 2)
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "quantize_term %d is unknown: 0 is none, up to 399 is 8 bits, and 4xy, 6xy, 8xy are "
                        "packed blocks "
                        "(x 0 or 1: scaled inputs; y 0 to 2: 32 to 128 weights)",
                        term);
    *q = (ebb_weight_quant){.bits = bits, .block = 32 << size, .input = input == 1};
    return EBB_OK;
}

static size_t row_bytes(const ebb_linear *m) { return ((size_t)m->cols * (size_t)m->pack.bits + 7) / 8; }
static size_t row_blocks(const ebb_linear *m)
{
    return ((size_t)m->cols + (size_t)m->pack.block - 1) / (size_t)m->pack.block;
}

ebb_status ebb_linear_load_packed(ebb_linear *m, const ebb_load *l, int rows, int cols,
                                  const ebb_weight_quant *q, ebb_error *e)
{
    m->rows = rows;
    m->cols = cols;
    m->pack = *q;
    EBB_TRY(ebb_load_weights(l, ebb_size_mul((size_t)rows, row_bytes(m)), EBB_TAGGED, &m->w, e));
    if (m->w.dtype != EBB_I8)
        return ebb_fail(e, EBB_E_FORMAT, "weights packed in blocks must be stored as bytes, these are %s",
                        ebb_dtype_name(m->w.dtype));
    return ebb_load_keep(l, &m->w, e);
}

ebb_status ebb_linear_load_block_scales(ebb_linear *m, const ebb_load *l, ebb_error *e)
{
    ebb_weights s;
    EBB_TRY(ebb_load_weights(l, ebb_size_mul((size_t)m->rows, row_blocks(m)), EBB_RAW, &s, e));
    return inverses(l, &s, s.n, &m->factor, e);
}

ebb_status ebb_linear_load_input_scales(ebb_linear *m, const ebb_load *l, ebb_error *e)
{
    ebb_weights s;
    if (!m->pack.input) return EBB_OK;
    EBB_TRY(ebb_load_weights(l, (size_t)m->cols, EBB_RAW, &s, e));
    EBB_TRY(ebb_load_keep(l, &s, e));
    m->input = s.data;
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- products

enum { ROWS = 64, VECTORS = 4 };  // of one integer product

static void times_i8(const ebb_linear *m, const ebb_kernels *k, int row, int rows, const ebb_vectors *x,
                     float *y, ptrdiff_t sy)
{
    const int8_t *w = (const int8_t *)m->w.data + (ptrdiff_t)row * m->cols;
    int32_t sum[VECTORS * ROWS];
    for (int j = 0; j < x->n; j += VECTORS) {
        const int n = x->n - j < VECTORS ? x->n - j : VECTORS;
        memset(sum, 0, sizeof sum);
        k->dot_i8(sum, ROWS, x->q + j * x->stride, x->stride, n, w, m->cols, rows, (size_t)m->cols);
        for (int v = 0; v < n; v++) {
            const float step = x->factor[x->each ? j + v : 0];
            for (int r = 0; r < rows; r++)
                y[(j + v) * sy + r] += (float)sum[v * ROWS + r] * (step * m->factor[row + r]);
        }
    }
}

enum { LINES = 8, LENGTH = 128 };  // of packed weights that are floats at one time

// Partial sums add up in y.
static void times_packed(const ebb_linear *m, const ebb_kernels *k, int row, int rows, const ebb_vectors *x,
                         float *y, ptrdiff_t sy)
{
    float w[LINES * LENGTH];
    const size_t cols = (size_t)m->cols, bits = (size_t)m->pack.bits, block = (size_t)m->pack.block;
    const uint8_t *bytes = m->w.data;
    for (size_t from = 0; from < cols; from += LENGTH) {
        const size_t n = cols - from < LENGTH ? cols - from : LENGTH;
        for (int r = 0; r < rows; r++) {
            const size_t at = (size_t)(row + r);
            k->dequantize_blocks_f32(w + r * LENGTH, bytes + at * row_bytes(m) + from * bits / 8, n,
                                     m->pack.bits, m->factor + at * row_blocks(m) + from / block,
                                     m->pack.block, m->input ? m->input + from : NULL);
        }
        k->dot_f32(y, sy, x->f + from, x->stride, x->n, w, LENGTH, rows, n);
    }
}

void ebb_linear_times(const ebb_linear *m, const ebb_kernels *k, int row, int rows, const ebb_vectors *x,
                      float *y, ptrdiff_t sy)
{
    const ptrdiff_t at = (ptrdiff_t)row * m->cols;
    if (m->pack.bits) {
        for (int r = 0; r < rows; r += LINES)
            times_packed(m, k, row + r, rows - r < LINES ? rows - r : LINES, x, y + r, sy);
    } else if (m->w.dtype == EBB_F32) {
        k->dot_f32(y, sy, x->f, x->stride, x->n, (const float *)m->w.data + at, m->cols, rows,
                   (size_t)m->cols);
    } else if (m->w.dtype == EBB_F16) {
        k->dot_f16(y, sy, x->f, x->stride, x->n, (const uint16_t *)m->w.data + at, m->cols, rows,
                   (size_t)m->cols);
    } else {
        for (int r = 0; r < rows; r += ROWS)
            times_i8(m, k, row + r, rows - r < ROWS ? rows - r : ROWS, x, y + r, sy);
    }
}

int ebb_linear_piece(const ebb_linear *m)
{
    enum { BYTES = 1 << 16, LEAST = 8 };
    const size_t row =
        m->pack.bits ? row_bytes(m) : ebb_size_mul((size_t)m->cols, ebb_dtype_bytes(m->w.dtype));
    const size_t rows = row ? BYTES / row / LEAST * LEAST : BYTES;
    return rows < LEAST ? LEAST : (int)rows;
}
