// SPDX-License-Identifier: BSD-3-Clause
// gemm.h - the state of the layer Gemm, alpha * (A B + beta * C), and its three ways to multiply.
#pragma once
#include "parts/linear.h"

// A constant operand as bytes, rows of K each.
typedef struct ebb_gemm_bytes_of {
    const int8_t *q;
    const float *factor;  // what one step is worth: of each row of A, of the whole B
} ebb_gemm_bytes_of;

typedef struct ebb_gemm_layer {
    float alpha, beta;
    int trans_a, trans_b, constant_a, constant_b, constant_c, constant_m, constant_n, constant_k, broadcast_c;
    int output_n1m, output_elempack, output_elemtype, output_transpose, quantize_term, tile_m, tile_n, tile_k;
    ebb_weight_quant quant;
    ebb_weights a, b, c;      // constants
    ebb_gemm_bytes_of qa, qb; // 8-bit constants
    ebb_linear packed;        // B in blocks
} ebb_gemm_layer;

// A matrix of m x k, k x n or m x n anywhere; data NULL: there is none.
typedef struct ebb_gemm_operand {
    const void *data;
    ebb_dtype dtype;
    int rows, cols;
    ptrdiff_t row, col;
} ebb_gemm_operand;

// One run: the operands as A is m x k, B k x n and C m x n (broadcast by strides of 0).
typedef struct ebb_gemm_job {
    const ebb_gemm_layer *p;
    const ebb_cpu *c;
    int m, n, k;
    int at[3];  // the inputs that A, B and C come from; -1: none
    ebb_gemm_operand a, b, add;
    float *out;
    ptrdiff_t out_row;
    ebb_gemm_bytes_of qa, qb;
} ebb_gemm_job;

// out[row][col …] = beta * C, or zeros.
static inline void ebb_gemm_begin(const ebb_gemm_job *j, int row, int col, int n)
{
    float *y = j->out + row * j->out_row + col;
    const ptrdiff_t from = row * j->add.row + col * j->add.col;
    const float *c = j->add.data;
    for (int i = 0; i < n; i++) y[i] = c ? c[from + i * j->add.col] * j->p->beta : 0.f;
}

// out[row][col …] *= alpha.
static inline void ebb_gemm_end(const ebb_gemm_job *j, int row, int col, int n)
{
    float *y = j->out + row * j->out_row + col;
    for (int i = 0; j->p->alpha != 1.f && i < n; i++) y[i] *= j->p->alpha;
}

ebb_status ebb_gemm_i8_load(ebb_gemm_layer *p, const ebb_load *l, ebb_error *e);
size_t ebb_gemm_i8_scratch(const ebb_gemm_layer *p, int m, int n, int k);
void ebb_gemm_i8_run(ebb_gemm_job *j);
