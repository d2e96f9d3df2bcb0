// SPDX-License-Identifier: BSD-3-Clause
// attention.h - softmax(q k' * scale + mask) v, head by head, for SDPA and MultiHeadAttention.
#pragma once
#include "ebb_layer.h"

// A blob of heads, in elements: rows of one position each, and the values in them.
typedef struct ebb_heads {
    float *data;
    ptrdiff_t head, row, value;
} ebb_heads;

typedef struct ebb_attention {
    int heads, groups;     // of q; of k and v, each shared by heads / groups neighbours
    int rows, keys, d, dv; // positions of q, of k and v; values in q and k, in v
    ebb_heads q, k, v, out;
    const float *mask;     // added to the scores; NULL: none
    ptrdiff_t mask_head, mask_row;
    float scale;
} ebb_attention;

// Scratch for each worker, from the sizes in p; bounded, however many keys there are.
size_t ebb_attention_scratch(const ebb_attention *p, const ebb_kernels *k);
// out's values must be neighbours; keys > 0.
void ebb_attention_run(const ebb_attention *p, const ebb_cpu *c);

// The same with 8-bit products: q and the softmax quantised row by row, k and v head by head.
size_t ebb_attention_i8_scratch(const ebb_attention *p);
void ebb_attention_i8_run(const ebb_attention *p, const ebb_cpu *c);

// Before the first step there is no past: a vector of 0 stands for it, whatever its other sizes would be.
static inline bool ebb_cache_none(const ebb_desc *past) { return past->rank == 1 && past->dim[0] == 0; }
// The positions that a cache holds along its axis 1.
static inline int ebb_cache_length(const ebb_desc *past) { return ebb_cache_none(past) ? 0 : past->dim[1]; }
