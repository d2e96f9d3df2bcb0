// SPDX-License-Identifier: BSD-3-Clause
// product.h - C = A B or C += A B for matrices that lie anywhere: any strides, batches, B in f32 or f16.
// Rule: B is packed block by block into a worker's scratch, never as a whole; few rows are multiplied where B
// lies.
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

// Bytes of scratch that the blocks of an m x n product of depth k need.
size_t ebb_product_scratch(const ebb_kernels *t, int m, int n, int k);
// How C is cut into blocks: the work that can be shared out.
typedef struct ebb_blocks {
    int rows, cols;     // of one block
    int across;         // blocks side by side
    size_t count;       // and in all
} ebb_blocks;
enum { EBB_PRODUCT_ROWS = 192 };  // of a block at most
ebb_blocks ebb_product_blocks(const ebb_product *p);

typedef struct ebb_block {
    int row, rows, col, cols;
} ebb_block;
ebb_block ebb_block_at(const ebb_product *p, const ebb_blocks *b, size_t i);
void ebb_product_run(const ebb_kernels *k, void *scratch, const ebb_product *p, const ebb_block *b);
