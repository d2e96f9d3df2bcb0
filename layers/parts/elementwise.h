// SPDX-License-Identifier: BSD-3-Clause
// elementwise.h - the shape, plan and walk that all y = f(x) layers share.
#pragma once
#include "ebb_layer.h"

// out[0] has the shape of in[0].
ebb_status ebb_elementwise_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e);
// An axis as files write it, negative from the innermost on: its index, or an error. A vector has one axis,
// whatever its number (so has ncnn). at may be NULL.
ebb_status ebb_find_axis(int axis, int rank, int *at, ebb_error *e);
// The defaults, and out[0] may overwrite in[0].
ebb_status ebb_in_place_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e);
// The same for what ebb_elementwise runs: floats may be stored in any precision.
ebb_status ebb_elementwise_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e);

// Calls run(st, k, y, x, n) on contiguous runs that together cover the blob, on all threads.
typedef void ebb_elementwise_fn(const void *st, const ebb_kernels *k, float *y, const float *x, size_t n);
void ebb_elementwise(const void *st, const ebb_cpu *c, const ebb_blob *in, ebb_blob *out,
                     ebb_elementwise_fn *run);

// Calls run(ctx, at, n) on stretches of innermost runs that together cover the loop, on all threads: n
// elements from at[k] of operand k on, which step by the innermost strides. About `piece` elements make one
// item of work, and no stretch is longer.
typedef void ebb_run_fn(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker);
void ebb_walk(const ebb_cpu *c, const ebb_loop *l, int piece, ebb_run_fn *run, const void *ctx);
enum { EBB_PIECE = 4096 };  // enough elements to hide a call, few enough to share out
static inline ptrdiff_t ebb_loop_step(const ebb_loop *l, int operand)
{
    return l->stride[operand][l->rank - 1];
}
// Takes the innermost axis off a loop that is not empty, for a run that walks whole rows: their length. About
// as many rows as ebb_rows_piece says make a piece.
int ebb_loop_take_row(ebb_loop *l);
static inline int ebb_rows_piece(size_t row) { return row < EBB_PIECE ? EBB_PIECE / (int)row : 1; }
