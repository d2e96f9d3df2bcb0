// SPDX-License-Identifier: BSD-3-Clause
// half.kern.c - f16 and bf16 to f32 and back. Rule: widening is exact, narrowing rounds to the nearest even number.
#include "kernel.h"
#include "vec/vec.h"

void EBB_K(widen_f16)(float *y, const uint16_t *x, size_t n)
{
    size_t i = 0;
    for (; i + VW <= n; i += VW) v_store(y + i, v_load_f16(x + i));
    if (i < n) v_store_part(y + i, v_load_f16_part(x + i, n - i), n - i);
}

void EBB_K(widen_bf16)(float *y, const uint16_t *x, size_t n)
{
    size_t i = 0;
    for (; i + VW <= n; i += VW) v_store(y + i, v_load_bf16(x + i));
    if (i < n) v_store_part(y + i, v_load_bf16_part(x + i, n - i), n - i);
}

void EBB_K(narrow_f16)(uint16_t *y, const float *x, size_t n)
{
    size_t i = 0;
    for (; i + VW <= n; i += VW) v_store_f16(y + i, v_load(x + i));
    if (i == n) return;
    uint16_t t[VW];
    v_store_f16(t, v_load_part(x + i, n - i));
    memcpy(y + i, t, (n - i) * sizeof *t);
}

void EBB_K(narrow_bf16)(uint16_t *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t b;
        memcpy(&b, x + i, sizeof b);
        const uint32_t nan = (b & 0x7fffffffu) > 0x7f800000u;
        y[i] = (uint16_t)(nan ? b >> 16 | 0x40u : (b + 0x7fffu + (b >> 16 & 1)) >> 16);
    }
}
