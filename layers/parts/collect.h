// SPDX-License-Identifier: BSD-3-Clause
// collect.h - blobs as sets of elements, for layers that take a sum, a mean or an extreme of each set.
#pragma once
#include "ebb_layer.h"

// d without the axes of `axes` (bit i: axis i), or with nothing but them: the others have size 1.
ebb_desc ebb_axes_off(const ebb_desc *d, unsigned axes);
static inline ebb_desc ebb_axes_only(const ebb_desc *d, unsigned axes) { return ebb_axes_off(d, ~axes); }

// acc[j] = what op (EBB_SUM …) makes of set j, for m sets whose first elements stand at x, step apart.
// `within` runs through a set: its operand `operand` is x. centre: c of each set, or NULL.
void ebb_collect(const ebb_kernels *k, int op, const ebb_loop *within, int operand, float *acc,
                 const float *x, size_t m, ptrdiff_t step, const float *centre);
// How many sets of n elements, `step` apart, make a piece for ebb_walk: at most EBB_SETS.
enum { EBB_SETS = 64 };
int ebb_sets_piece(size_t n, ptrdiff_t step);
