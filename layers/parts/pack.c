// SPDX-License-Identifier: BSD-3-Clause
// pack.c - packing for the gemm kernels. Rule: columns, taps and products keep their order, only panels are cut.
#include "pack.h"
#include "quant.h"
#include <math.h>
#include <string.h>

static int vectors(const ebb_kernels *k, int n) { return n / k->width + (n % k->width != 0); }

int ebb_gemm_panels(const ebb_kernels *k, int n)
{
    const int v = vectors(k, n);
    return v / k->gemm_nv + (v % k->gemm_nv != 0);
}

size_t ebb_gemm_bytes(ebb_dtype t, int n, int taps, int each)
{
    const size_t pair = t == EBB_I8 ? 2 : 1,
                 rows = ebb_size_mul((size_t)taps, ((size_t)each + pair - 1) / pair);
    return ebb_size_mul(ebb_size_mul(rows, (size_t)n), pair * ebb_dtype_bytes(t));
}

size_t ebb_gemm_slack(const ebb_kernels *k, ebb_dtype t)
{
    return (size_t)k->width * (t == EBB_I8 ? 2 : ebb_dtype_bytes(t));
}

static float float_at(const ebb_gemm_from *f, ptrdiff_t at)
{
    const ebb_weights w = {.dtype = f->dtype, .n = SIZE_MAX, .data = f->data};
    return ebb_weight_f32(&w, (size_t)at);
}

static ptrdiff_t tap_at(const ebb_gemm_from *f, int tap) { return f->taps ? f->taps[tap] : tap * f->tap; }

// A row of `cols` columns from column `col` of the element at `at`. stride: elements of `to` from column to column.
static void row(void *to, ebb_dtype t, const ebb_gemm_from *f, int col, int cols, ptrdiff_t at, int stride)
{
    at += col * f->column;
    if (f->scale) {
        for (int c = 0; c < cols; c++)
            ((int8_t *)to)[c * stride] = ebb_quantize(float_at(f, at + c * f->column), f->scale[col + c]);
    } else if (t == EBB_F32) {
        const float *from = (const float *)f->data + at;
        for (int c = 0; c < cols; c++) ((float *)to)[c] = from[c * f->column];
    } else if (t == EBB_F16) {
        const uint16_t *from = (const uint16_t *)f->data + at;
        for (int c = 0; c < cols; c++) ((uint16_t *)to)[c] = from[c * f->column];
    } else {
        const int8_t *from = (const int8_t *)f->data + at;
        for (int c = 0; c < cols; c++) ((int8_t *)to)[c * stride] = from[c * f->column];
    }
}

void ebb_gemm_pack_row(ebb_dtype t, void *to, int n, int tap, const ebb_gemm_from *from)
{
    row(to, t, from, 0, n, tap_at(from, tap), 1);
}

// Columns whose products are neighbours: a few products of all columns at once, so that no line is read twice.
static void turn(ebb_dtype t, void *to, const ebb_gemm_from *f, int col, int cols, int tap, int each)
{
    enum { LINE = 16 };
    const ptrdiff_t first = tap_at(f, tap) + col * f->column;
    for (int p = 0; p < each; p += LINE) {
        const int n = each - p < LINE ? each - p : LINE;
        for (int c = 0; c < cols; c++) {
            const ptrdiff_t at = first + c * f->column + p;
            for (int i = 0; i < n && t == EBB_F32; i++)
                ((float *)to)[(p + i) * cols + c] = ((const float *)f->data)[at + i];
            for (int i = 0; i < n && t == EBB_F16; i++)
                ((uint16_t *)to)[(p + i) * cols + c] = ((const uint16_t *)f->data)[at + i];
        }
    }
}

static void panel(const ebb_kernels *k, ebb_dtype t, char *to, int n, int taps, int each,
                  const ebb_gemm_from *f, int i)
{
    const int vecs = vectors(k, n), panels = ebb_gemm_panels(k, n), pair = t == EBB_I8 ? 2 : 1;
    const int64_t v0 = (int64_t)vecs * i / panels, v1 = (int64_t)vecs * (i + 1) / panels;
    const int col = (int)v0 * k->width, cols = (int)(v1 * k->width < n ? v1 * k->width : n) - col;
    const size_t element = ebb_dtype_bytes(t), rows = (size_t)(each + pair - 1) / (size_t)pair;
    to += (size_t)col * rows * (size_t)taps * (size_t)pair * element;
    for (int tap = 0; tap < taps; tap++) {
        if (t != EBB_I8 && f->product == 1) {
            turn(t, to, f, col, cols, tap, each);
            to += (size_t)each * (size_t)cols * element;
            continue;
        }
        for (size_t r = 0; r < rows; r++, to += (size_t)cols * (size_t)pair * element) {
            for (int half = 0; half < pair; half++) {
                const int product = (int)r * pair + half;
                if (product < each) {
                    row(to + half, t, f, col, cols, tap_at(f, tap) + product * f->product, pair);
                } else {
                    for (int c = 0; c < cols; c++) to[c * 2 + half] = 0;
                }
            }
        }
    }
}

void ebb_gemm_pack(const ebb_kernels *k, ebb_dtype t, void *to, int n, int taps, int each,
                   const ebb_gemm_from *from, int panel0, int panel1)
{
    for (int i = panel0; i < panel1; i++) panel(k, t, to, n, taps, each, from, i);
}

void ebb_gemm_run(const ebb_kernels *k, ebb_dtype t, const struct ebb_gemm *g)
{
    if (t == EBB_F32) {
        k->gemm_f32(g);
    } else if (t == EBB_F16) {
        k->gemm_f16(g);
    } else {
        k->gemm_i8(g);
    }
}
