// SPDX-License-Identifier: BSD-3-Clause
// quant.c - quantises numbers, vectors and matrices. Rule: rows of the copy are contiguous, whatever the strides of
// the floats.
#include "quant.h"
#include "kernels/kernels.h"
#include <math.h>

// The same matrix with its contiguous axis across, where it has one.
static ebb_floats_at turned(const ebb_floats_at *m)
{
    return m->col == 1 ? *m : (ebb_floats_at){m->data, m->cols, m->rows, m->col, m->row};
}

float ebb_quant_scale(const ebb_kernels *k, const ebb_floats_at *m)
{
    const ebb_floats_at t = turned(m);
    float most = 0.f;
    for (int r = 0; r < t.rows; r++) {
        const float *x = t.data + r * t.row;
        if (t.col == 1) k->absmax_f32(&most, x, (size_t)t.cols);
        for (int c = 0; t.col != 1 && c < t.cols; c++) k->absmax_f32(&most, x + c * t.col, 1);
    }
    return most == 0.f ? 1.f : 127.f / most;
}

void ebb_quant_fill(const ebb_kernels *k, int8_t *to, const ebb_floats_at *m, float scale)
{
    for (int r = 0; r < m->rows; r++, to += m->cols) {
        const float *x = m->data + r * m->row;
        if (m->col == 1) k->quantize_i8(to, x, (size_t)m->cols, &scale, 0);
        for (int c = 0; m->col != 1 && c < m->cols; c++) to[c] = ebb_quantize(x[c * m->col], scale);
    }
}

int8_t ebb_quantize(float x, float scale)
{
    const float v = roundf(x * scale);
    return v > 127.f ? 127 : v > -127.f ? (int8_t)v : -127;
}

float ebb_quantize_own(const ebb_kernels *k, int8_t *q, const float *x, size_t n)
{
    float most = 0.f;
    k->absmax_f32(&most, x, n);
    const float scale = most == 0.f ? 1.f : 127.f / most;
    k->quantize_i8(q, x, n, &scale, 0);
    return 1.f / scale;
}
