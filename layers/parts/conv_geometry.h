// SPDX-License-Identifier: BSD-3-Clause
// conv_geometry.h - where the windows of a convolution lie: one axis at a time, padding known by position. All
// convolutions have three axes (d, h, w); the ones that a layer lacks are 1 long.
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

// The elements of a blob: channels of pixels along three axes. Strides in bytes.
typedef struct ebb_volume {
    char *data;        // what stands at `origin`
    ptrdiff_t origin;  // bytes from pixel 0 to data
    ptrdiff_t channel, stride[3];
} ebb_volume;

// Output pixels: all of the first axis, rows [y0, y1), columns [x0, x1); numbered in that order.
typedef struct ebb_region {
    int d, y0, y1, x0, x1;
} ebb_region;
int64_t ebb_region_pixels(const ebb_region *r);

// Where n pixels of the region, from number `first`, read: pixel i and tap t at to[t * row + i]. What lies outside of
// the input is pad.
void ebb_points_in(const void **to, ptrdiff_t row, const ebb_axis axis[3], const ebb_region *r, int64_t first,
                   int n, const ebb_volume *in, const void *pad);
// What they read, for few channels: tap t and channel c at to[(t * channels + c) * row + i].
void ebb_points_gather(const ebb_kernels *k, float *to, ptrdiff_t row, const ebb_axis axis[3],
                       const ebb_region *r, int64_t first, int n, const ebb_volume *in, int channels,
                       float pad);
// Where they are written.
void ebb_points_out(void **to, const ebb_region *r, int64_t first, int n, const ebb_volume *out);
