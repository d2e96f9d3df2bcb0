// SPDX-License-Identifier: BSD-3-Clause
// product.h - C = A B or C += A B for matrices that lie anywhere: any strides, batches, B in f32 or f16. Rule: B is
// packed block by block into a worker's scratch, never as a whole; few rows are multiplied where B lies.
#pragma once
#include "ebb_layer.h"

typedef struct ebb_product {
    int m, n, k;
    const float *a;
    ptrdiff_t a_row, a_k;  // elements from row to row, and from product to product
    const void *b;
    ebb_dtype b_dtype;     // f32 or f16
    ptrdiff_t b_col, b_k;
    float *c;
    ptrdiff_t c_row;       // a row is contiguous
    bool add;              // to what c holds
} ebb_product;

// Bytes that blocks of an m x n product of depth k need.
size_t ebb_product_scratch(const ebb_kernels *t, int m, int n, int k);
// Rows [row, row + rows) and columns [col, col + cols); at most EBB_PRODUCT_ROWS rows.
enum { EBB_PRODUCT_ROWS = 192, EBB_PRODUCT_COLS = 64 };
void ebb_product_block(const ebb_kernels *k, void *scratch, const ebb_product *p, int row, int rows, int col, int cols);

// Blocks of all columns and rows, the work of one batch.
typedef struct ebb_blocks {
    int across, count;
} ebb_blocks;
ebb_blocks ebb_product_blocks(const ebb_product *p);
// Block i of them.
void ebb_product_at(const ebb_kernels *k, void *scratch, const ebb_product *p, ebb_blocks b, int i);
