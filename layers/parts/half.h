// SPDX-License-Identifier: BSD-3-Clause
// half.h - floats as they are stored (f32, f16, bf16) to f32 and back, for layers that compute in f32.
#pragma once
#include "kernels/kernels.h"
#include "ebb_layer.h"

// n elements, `step` apart in storage, dense in the f32 array.
void ebb_half_load(const ebb_kernels *k, ebb_dtype t, float *to, const void *from, ptrdiff_t step, size_t n);
void ebb_half_store(const ebb_kernels *k, ebb_dtype t, void *to, ptrdiff_t step, const float *from, size_t n);
