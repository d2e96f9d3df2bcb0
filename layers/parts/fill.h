// SPDX-License-Identifier: BSD-3-Clause
// fill.h - one value in every element.
#pragma once
#include "ebb_layer.h"

// Whole numbers get the value without its fraction, and 0 where they cannot hold it.
static inline void ebb_fill(const ebb_cpu *c, const ebb_desc *to, void *dst, float value)
{
    ebb_desc from = *to;
    for (int i = 0; i < from.rank; i++) from.stride[i] = 0;
    const int32_t i32 = value > -2147483648.f && value < 2147483648.f ? (int32_t)value : 0;
    const int8_t i8 = i32 >= INT8_MIN && i32 <= INT8_MAX ? (int8_t)i32 : 0;
    const void *src = &value;
    if (to->dtype == EBB_I8) src = &i8;
    else if (to->dtype == EBB_I32) src = &i32;
    else from.dtype = EBB_F32;
    ebb_copy(c, to, dst, &from, src);
}
