// SPDX-License-Identifier: BSD-3-Clause
// axis.h - windows along one axis: how many there are and where they begin, padding known by position.
#pragma once
#include "ebb_layer.h"

// before (or after) as written in files: ask for "same" padding, or choose the side that a transposed one is cut at.
enum { EBB_PAD_SAME_UPPER = -233, EBB_PAD_SAME_LOWER = -234 };

// Output o reads, for tap k, input o * stride + k * dilation - before; outside of [0, in) that is padding.
// Transposed: output o reads input i where i * stride + k * dilation - before = o.
typedef struct ebb_axis {
    int in, out, kernel, dilation, stride, before;
} ebb_axis;

// One axis of a layer's parameters.
typedef struct ebb_axis_params {
    int kernel, dilation, stride, before, after;
    int output_pad, output;  // transposed: extra elements; the size wanted, 0: as it comes
} ebb_axis_params;

// The size of the output and the first padding. name is the axis in messages: "width".
ebb_status ebb_axis_conv(ebb_axis *a, int in, const ebb_axis_params *p, const char *name, ebb_error *e);
ebb_status ebb_axis_deconv(ebb_axis *a, int in, const ebb_axis_params *p, const char *name, ebb_error *e);
// Outputs in [0, limit) whose input for tap k lies inside: [*from, *to), both within [0, limit].
void ebb_axis_inside(const ebb_axis *a, int k, int limit, int *from, int *to);
