// SPDX-License-Identifier: BSD-3-Clause
// kernels.h - one const table of kernels per instruction set.
#pragma once
#include "ops.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// m rows of A, gathered through pointers, times n columns of B, packed: for gemm_* (B by ebb_gemm_pack) and
// depthwise_* (B: a row of n factors for each tap, one product per tap and channel).
struct ebb_gemm {
    const void *const *a;       // row i of tap t stands at a[t * a_row + i]: f32, or i8 for *_i8
    ptrdiff_t a_row, a_offset;  // pointers from tap to tap; elements to add to each of them
    ptrdiff_t a_step;  // elements from product to product; *_i8: 1. gemm_i8 reads a byte past an odd k
    const int *tap;             // the taps of B that take part; NULL: 0, 1, …
    int taps, k, m, n;          // taps that take part, products in each, rows, columns
    int b_taps;                 // that B has
    const void *b;
    int panel0, panel1;         // which panels of B
    // depthwise_*: rows of `slide` taps (3 or 5; 0: none) step by one pixel over pixels that lie side by side, so that
    // neighbours share columns: the first run0 rows of A, then always `run` of them.
    int slide, run0, run;
    void *const *c;             // row i stands at c[i]
    ptrdiff_t c_offset;         // elements to add to each: f32, or i8 when narrow
    bool add;                   // start from what c holds instead of the bias; f32 only
    const float *bias;          // n, or NULL
    const float *scale;         // *_i8: n factors of the sums
    int act;                    // a fused activation, see activation.h
    float act_a, act_b;
    bool narrow;                // c is i8: quantised by narrow_scale after the activation
    float narrow_scale;
};

struct ebb_kernels {
    const char *isa;         // "scalar", "avx2", "avx512", "neon"
    int width;               // floats in a vector
    int gemm_nv, gemm_rows;  // vectors in a panel of B; rows in a tile
#define KERNEL(name, tolerance, args) void (*name) args;
#include "kernel_list.h"
#undef KERNEL
};
