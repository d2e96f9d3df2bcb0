// SPDX-License-Identifier: BSD-3-Clause
// binaryop.h - what binaryop.c and binaryop.vk.c share: the layer's state and what it means.
#pragma once
#include "parts/broadcast.h"
#include "vk_slots.h"

typedef struct ebb_binaryop {
    int op_type, with_scalar;
    float b;
} ebb_binaryop;

// EBB_ADD … of ops.h; *swap: of b and a.
int ebb_binaryop_op(const ebb_binaryop *p, bool *swap);
// The inputs in[0] and in[1] with axes of size 1 added, so that they broadcast axis by axis.
void ebb_binaryop_align(const ebb_desc *in, ebb_desc both[2]);

EBB_VK_DECLARE(binaryop);
