// SPDX-License-Identifier: BSD-3-Clause
// bychannel.h - y = f(x, constants of the channel) where x and y differ in type: Quantize, Dequantize,
// Requantize. The channel is the outermost axis of any shape.
#pragma once
#include "ebb_layer.h"

enum { EBB_CHANNEL_SETS = 3 };
// Sets of constants, each with one value, or with one for each of n channels.
typedef struct ebb_by_channel {
    int n;                             // 1: the same for all channels
    const float *v[EBB_CHANNEL_SETS];  // n values each
} ebb_by_channel;

// Reads sets[i].size raw values into v[i], for each set; a size of 0 stands for zeros, a size of 1 serves
// all.
typedef struct ebb_channel_set {
    const char *name;
    int size;
} ebb_channel_set;
ebb_status ebb_by_channel_load(ebb_by_channel *p, const ebb_load *l, const ebb_channel_set *sets, int n,
                               ebb_error *e);
// out[0] has the shape of in[0] and this dtype.
ebb_status ebb_by_channel_shape(const ebb_by_channel *p, const ebb_desc *in, ebb_dtype t, ebb_desc *out,
                                ebb_error *e);
// Calls run on contiguous pieces that together cover the blob, on all threads. The constants of element i
// stand at v[…][channel + i] when `each`, otherwise at v[…][channel].
typedef void ebb_by_channel_fn(const void *st, const ebb_kernels *k, void *y, const void *x, size_t n,
                               size_t channel, bool each);
void ebb_by_channel_run(const void *st, const ebb_by_channel *p, const ebb_cpu *c, const ebb_blob *in,
                        ebb_blob *out, ebb_by_channel_fn *run);
