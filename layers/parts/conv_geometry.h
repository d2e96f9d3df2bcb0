// SPDX-License-Identifier: BSD-3-Clause
// conv_geometry.h - which pixels the windows of a convolution read. All convolutions have three axes (d, h, w); the ones
// that a layer lacks are 1 long.
#pragma once
#include "axis.h"

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
