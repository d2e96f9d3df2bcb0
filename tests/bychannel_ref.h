// SPDX-License-Identifier: BSD-3-Clause
// bychannel_ref.h - shapes and channels that the tests of Quantize, Dequantize and Requantize share.
#pragma once
#include "harness.h"
#include <string.h>

typedef struct shape_row {
    int rank, dim[4];
} shape_row;
static const shape_row shapes[] = {{1, {17}},         {1, {1}},    {2, {5, 33}},    {3, {7, 3, 5}},
                                   {4, {3, 2, 3, 4}}, {2, {3, 0}}, {3, {33, 1, 1}}, {3, {5, 40, 30}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static inline void set_shape(layer_case *c, const shape_row *s)
{
    c->in[0].rank = s->rank;
    memcpy(c->in[0].dim, s->dim, sizeof s->dim);
}

// Constant of element i from a set of one, or one a channel.
static inline double constant_at(const tensor *in, const tensor *set, size_t i)
{
    const size_t per = tensor_count(in) / (size_t)in->dim[0];
    return set->v[tensor_count(set) == 1 ? 0 : i / per];
}
