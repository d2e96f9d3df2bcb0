// SPDX-License-Identifier: BSD-3-Clause
// conv_window.c - the part of an image that a block of outputs reads, as 8-bit pixels. Rule: it is cut at the
// ends of the image; what lies outside is the caller's padding.
#include "conv_way.h"
#include <string.h>

int64_t ebb_conv_window_side(const ebb_axis *a, int outputs)
{
    const int64_t n = (int64_t)(outputs - 1) * a->stride + (int64_t)(a->kernel - 1) * a->dilation + 1;
    return n < a->in ? n : a->in;
}

// The inputs that outputs [o0, o1) read, cut at the ends.
static void window_of(const ebb_axis *a, int o0, int o1, int *from, int *to)
{
    const int64_t lo = (int64_t)o0 * a->stride - a->before;
    const int64_t hi = (int64_t)(o1 - 1) * a->stride - a->before + (int64_t)(a->kernel - 1) * a->dilation + 1;
    *from = (int)(lo < 0 ? 0 : lo > a->in ? a->in : lo);
    *to = (int)(hi < *from ? *from : hi > a->in ? a->in : hi);
}

static void quantize(const ebb_conv_job *j, int8_t *to, const char *from, size_t n)
{
    if (j->in_dtype == EBB_I8) {
        memcpy(to, from, n);
    } else {
        j->k->quantize_i8(to, (const float *)(const void *)from, n, &j->w.in_scale, 0);
    }
}

// n pixels of a row, as 8-bit pixels of ic channels.
static void quantize_row(const ebb_conv_job *j, int8_t *to, const char *from, int n, int8_t *line)
{
    const ptrdiff_t pixel = j->in.stride[2], each = (ptrdiff_t)ebb_dtype_bytes(j->in_dtype);
    const size_t ic = (size_t)j->ic;
    if (j->in.channel != each && j->ic > 1) {  // planar
        for (size_t c = 0; c < ic; c++, from += j->in.channel) {
            quantize(j, line, from, (size_t)n);
            for (int x = 0; x < n; x++) to[(size_t)x * ic + c] = line[x];
        }
    } else if (pixel == j->ic * each) {
        quantize(j, to, from, (size_t)n * ic);
    } else {
        for (int x = 0; x < n; x++) quantize(j, to + (size_t)x * ic, from + x * pixel, ic);
    }
}

ebb_volume ebb_conv_window(const ebb_conv_job *j, const ebb_region *r, int8_t *to, int8_t *line)
{
    int y0, y1, x0, x1;
    window_of(&j->axis[1], r->y0, r->y1, &y0, &y1);
    window_of(&j->axis[2], r->x0, r->x1, &x0, &x1);
    const ptrdiff_t row = (ptrdiff_t)(x1 - x0) * j->ic;
    for (int y = y0; y < y1; y++)
        quantize_row(j, to + (y - y0) * row, j->in.data + y * j->in.stride[1] + x0 * j->in.stride[2], x1 - x0,
                     line);
    to[(y1 - y0) * row] = 0;  // of an odd last channel kernels read the next byte too
    return (ebb_volume){.data = (char *)to,
                        .origin = y0 * row + (ptrdiff_t)x0 * j->ic,
                        .channel = 1,
                        .stride = {0, row, j->ic}};
}
