// SPDX-License-Identifier: BSD-3-Clause
// pack.h - packing the right side of a product into the panels that the gemm kernels read. The packed copy holds
// every element once (8-bit: an odd number of products per tap is made even).
#pragma once
#include "ebb_layer.h"
#include "kernels/kernels.h"

// How many panels n columns make: what ebb_gemm.panel0 and panel1 count.
int ebb_gemm_panels(const ebb_kernels *k, int n);
// Bytes of the packed copy: n columns of taps * each products. SIZE_MAX on overflow.
size_t ebb_gemm_bytes(ebb_dtype t, int n, int taps, int each);
// What kernels may read behind a packed copy; several copies may share one such end.
size_t ebb_gemm_slack(const ebb_kernels *k, ebb_dtype t);

// Where the element of a column, tap and product stands: data + column * … + tap * … + product * …, in elements.
typedef struct ebb_gemm_from {
    ebb_dtype dtype;  // f32, f16 or i8
    const void *data;
    ptrdiff_t column, tap, product;
    const ptrdiff_t *taps;  // where each tap begins, when the steps differ
    const float *scale;     // of each column: quantise by it; else the dtypes agree
} ebb_gemm_from;
// One product of n columns, in a row.
void ebb_gemm_pack_row(ebb_dtype t, void *to, int n, int tap, const ebb_gemm_from *from);
// Writes panels [panel0, panel1), so that several threads can share the work.
void ebb_gemm_pack(const ebb_kernels *k, ebb_dtype t, void *to, int n, int taps, int each,
                   const ebb_gemm_from *from, int panel0, int panel1);
// The kernel for packed elements of type t.
void ebb_gemm_run(const ebb_kernels *k, ebb_dtype t, const struct ebb_gemm *g);
