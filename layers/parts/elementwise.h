// SPDX-License-Identifier: BSD-3-Clause
// elementwise.h - the shape, plan and walk that all y = f(x) layers share.
#pragma once
#include "ebb_layer.h"

// out[0] has the shape of in[0].
ebb_status ebb_elementwise_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e);
// An axis as files write it, negative from the innermost on: its index, or an error. A vector has one axis,
// whatever its number (so has ncnn). at may be NULL.
ebb_status ebb_find_axis(int axis, int rank, int *at, ebb_error *e);
// The index of an axis that ebb_find_axis took.
int ebb_axis_at(int axis, int rank);
// The defaults, and out[0] may overwrite in[0].
ebb_status ebb_in_place_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e);

// Calls run(st, k, y, x, n) on contiguous runs that together cover the blob, on all threads.
typedef void ebb_elementwise_fn(const void *st, const ebb_kernels *k, float *y, const float *x, size_t n);
void ebb_elementwise(const void *st, const ebb_cpu *c, const ebb_blob *in, ebb_blob *out,
                     ebb_elementwise_fn *run);
