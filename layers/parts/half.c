// SPDX-License-Identifier: BSD-3-Clause
// half.c - floats in storage to f32 and back. Rule: dense runs go through the kernels, strided ones element by element.
#include "half.h"
#include <string.h>

static void load_run(const ebb_kernels *k, ebb_dtype t, float *to, const void *from, size_t n)
{
    if (t == EBB_F16) k->widen_f16(to, from, n);
    else if (t == EBB_BF16) k->widen_bf16(to, from, n);
    else memcpy(to, from, n * sizeof *to);
}

static void store_run(const ebb_kernels *k, ebb_dtype t, void *to, const float *from, size_t n)
{
    if (t == EBB_F16) k->narrow_f16(to, from, n);
    else if (t == EBB_BF16) k->narrow_bf16(to, from, n);
    else memcpy(to, from, n * sizeof *from);
}

void ebb_half_load(const ebb_kernels *k, ebb_dtype t, float *to, const void *from, ptrdiff_t step, size_t n)
{
    const ptrdiff_t bytes = step * (ptrdiff_t)ebb_dtype_bytes(t);
    if (step == 1) load_run(k, t, to, from, n);
    else for (size_t i = 0; i < n; i++) load_run(k, t, to + i, (const char *)from + (ptrdiff_t)i * bytes, 1);
}

void ebb_half_store(const ebb_kernels *k, ebb_dtype t, void *to, ptrdiff_t step, const float *from, size_t n)
{
    const ptrdiff_t bytes = step * (ptrdiff_t)ebb_dtype_bytes(t);
    if (step == 1) store_run(k, t, to, from, n);
    else for (size_t i = 0; i < n; i++) store_run(k, t, (char *)to + (ptrdiff_t)i * bytes, from + i, 1);
}
