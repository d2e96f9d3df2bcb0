// SPDX-License-Identifier: BSD-3-Clause
// order.h - copies between orders and dtypes.
#pragma once
#include "blob.h"

// Copies every element of src to the same place in c, h, w order of dst. Shapes may differ while the counts
// agree (a reshape); f32, f16 and bf16 convert into each other, i32 and i8 only into themselves.
// The data pointers are at element 0.
void ebb_order_copy(const ebb_desc *to, void *dst, const ebb_desc *from, const void *src, ebb_pool *pool,
                    int threads);
bool ebb_order_can_convert(ebb_dtype to, ebb_dtype from);
float ebb_f16_to_f32(uint16_t h);
uint16_t ebb_f32_to_f16(float f);  // nearest even
float ebb_bf16_to_f32(uint16_t h);
uint16_t ebb_f32_to_bf16(float f);  // nearest even
