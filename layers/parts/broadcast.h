// SPDX-License-Identifier: BSD-3-Clause
// broadcast.h - y = a op b over strided operands of one shape, for the layers that are such an operation.
#pragma once
#include "ebb_layer.h"

typedef struct ebb_operand {
    ebb_desc desc;  // sizes of 1 repeat
    float *data;
} ebb_operand;

static inline ebb_operand ebb_operand_of(const ebb_blob *b)
{
    return (ebb_operand){.desc = *ebb_blob_desc(b), .data = ebb_f32(b)};
}

// Against a blob like d: the vector v along `axis`, or the number *v with axis -1. It is only read.
static inline ebb_operand ebb_repeated(const ebb_desc *d, int axis, const float *v)
{
    ebb_operand o = {.desc = *d, .data = (float *)v};
    for (int i = 0; i < d->rank; i++) o.desc.stride[i] = i == axis;
    return o;
}

// op: EBB_ADD … of ops.h. y may be a or b.
void ebb_binary(const ebb_cpu *c, int op, ebb_operand y, ebb_operand a, ebb_operand b);
