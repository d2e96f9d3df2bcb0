// SPDX-License-Identifier: BSD-3-Clause
// linear.h - a matrix of weights times vectors: y += W x. Rule: the weights stay as they stand in the file,
// row by row; only floats that are to be used as 8-bit numbers are packed.
#pragma once
#include "ebb_layer.h"

// How a quantize_term says that weights are 8-bit numbers, or packed in blocks that share a scale.
typedef struct ebb_weight_quant {
    bool eight;
    int bits, block;  // 0: not packed; 4, 6 or 8 bits, 32, 64 or 128 numbers
    bool input;       // packed: there is a scale for each input
} ebb_weight_quant;
ebb_status ebb_weight_quant_of(ebb_weight_quant *q, int term, ebb_error *e);

typedef struct ebb_linear {
    int rows, cols;
    ebb_weights w;        // f32, f16 or i8; or packed bytes
    const float *factor;  // i8: what one step of a row is worth; packed: of a block, row by row
    ebb_weight_quant pack;
    const float *input;   // packed: cols scales of the inputs, or NULL
} ebb_linear;

// Reads rows * cols tagged weights. eight: they are, or ebb_linear_load_scales will make them, 8-bit numbers.
ebb_status ebb_linear_load(ebb_linear *m, const ebb_load *l, int rows, int cols, bool eight, ebb_error *e);
// Reads one scale a row, or n = 1 for all (q = weight * scale; a scale of 0 makes zeros); after the load of
// an `eight`.
ebb_status ebb_linear_load_scales(ebb_linear *m, const ebb_load *l, int n, ebb_error *e);

// Packed in blocks: first the bytes, then one scale a block (number / scale is the weight), then those of the
// inputs.
ebb_status ebb_linear_load_packed(ebb_linear *m, const ebb_load *l, int rows, int cols,
                                  const ebb_weight_quant *q, ebb_error *e);
ebb_status ebb_linear_load_block_scales(ebb_linear *m, const ebb_load *l, ebb_error *e);
ebb_status ebb_linear_load_input_scales(ebb_linear *m, const ebb_load *l, ebb_error *e);

// n vectors of m->cols elements, `stride` apart.
typedef struct ebb_vectors {
    int n;
    ptrdiff_t stride;
    const float *f;       // for f32, f16 and packed weights
    const int8_t *q;      // for i8 weights
    const float *factor;  // what one step of q is worth
    bool each;            // a factor for each vector, or one for all
} ebb_vectors;
// y[j * sy + r] += row (row + r) . vector j, for r < rows.
void ebb_linear_times(const ebb_linear *m, const ebb_kernels *k, int row, int rows, const ebb_vectors *x,
                      float *y, ptrdiff_t sy);
// How many rows to take as one piece of work: enough to hide a call, few enough to stay in a cache.
int ebb_linear_piece(const ebb_linear *m);
