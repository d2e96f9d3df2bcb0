// SPDX-License-Identifier: BSD-3-Clause
// quant.h - 8-bit copies of matrices of floats, made at run time by their own largest magnitude.
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
