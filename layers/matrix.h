// SPDX-License-Identifier: BSD-3-Clause
// matrix.h - a matrix of weights times vectors: y += W x. Rule: the weights stay as they stand in the file, row by
// row; only floats that are to be used as 8-bit numbers are packed.
#pragma once
#include "ebb_layer.h"

typedef struct ebb_matrix {
    int rows, cols;
    ebb_weights w;        // f32, f16 or i8
    const float *factor;  // i8: what one step of a row is worth
} ebb_matrix;

// Reads rows * cols tagged weights. eight: they are, or ebb_matrix_load_scales will make them, 8-bit numbers.
ebb_status ebb_matrix_load(ebb_matrix *m, const ebb_load *l, int rows, int cols, bool eight, ebb_error *e);
// Reads one scale a row (q = weight * scale; a scale of 0 makes a row of zeros); after the load of an `eight`.
ebb_status ebb_matrix_load_scales(ebb_matrix *m, const ebb_load *l, ebb_error *e);

// n vectors of m->cols elements, `stride` apart.
typedef struct ebb_vectors {
    int n;
    ptrdiff_t stride;
    const float *f;       // for f32 and f16 weights
    const int8_t *q;      // for i8 weights
    const float *factor;  // what one step of q is worth
    bool each;            // a factor for each vector, or one for all
} ebb_vectors;
// y[j * sy + r] += row (row + r) . vector j, for r < rows.
void ebb_matrix_times(const ebb_matrix *m, const ebb_kernels *k, int row, int rows, const ebb_vectors *x, float *y,
                      ptrdiff_t sy);
// How many rows to take as one piece of work: enough to hide a call, few enough to stay in a cache.
int ebb_matrix_piece(const ebb_matrix *m);
// Quantises n floats by their own largest magnitude; returns what one step is worth.
float ebb_quantize_own(const ebb_kernels *k, int8_t *q, const float *x, size_t n);
