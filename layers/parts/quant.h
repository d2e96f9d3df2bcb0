// SPDX-License-Identifier: BSD-3-Clause
// quant.h - 8-bit numbers: by a given scale, or by the largest magnitude of a vector or a matrix.
#pragma once
#include "ebb_layer.h"

// rows x cols floats that lie anywhere.
typedef struct ebb_floats_at {
    const float *data;
    int rows, cols;
    ptrdiff_t row, col;
} ebb_floats_at;

// The scale that makes the largest magnitude 127; 1 for zeros.
float ebb_quant_scale(const ebb_kernels *k, const ebb_floats_at *m);
// to[r * cols + c] = m[r][c] * scale, rounded.
void ebb_quant_fill(const ebb_kernels *k, int8_t *to, const ebb_floats_at *m, float scale);
// x * scale rounded with halves away from zero and cut to -127 … 127: as the kernels do it.
int8_t ebb_quantize(float x, float scale);
// Quantises n floats by their own largest magnitude; returns what one step is worth.
float ebb_quantize_own(const ebb_kernels *k, int8_t *q, const float *x, size_t n);
