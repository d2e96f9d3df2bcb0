// SPDX-License-Identifier: BSD-3-Clause
// quantize.kern.c - between floats and 8-bit numbers. Rule: q = v_quantize(x * scale).
#include "kernel.h"
#include "vec/quantize.h"

static inline void store_part_i8(int8_t *y, vi q, size_t n)
{
    int8_t t[VW];
    vi_store_i8(t, q);
    memcpy(y, t, n);
}

void EBB_K(quantize_i8)(int8_t *y, const float *x, size_t n, const float *scale, int each)
{
    size_t i = 0;
    for (; i + VW <= n; i += VW) {
        const vf s = each ? v_load(scale + i) : v_set(*scale);
        vi_store_i8(y + i, v_quantize(v_mul(v_load(x + i), s)));
    }
    if (i < n) {
        const vf s = each ? v_load_part(scale + i, n - i) : v_set(*scale);
        store_part_i8(y + i, v_quantize(v_mul(v_load_part(x + i, n - i), s)), n - i);
    }
}

void EBB_K(absmax_f32)(float *max, const float *x, size_t n)
{
    vf m = v_set(0.f);
    size_t i = 0;
    for (; i + VW <= n; i += VW) {
        const vf a = v_abs(v_load(x + i));
        m = v_select(v_gt(a, m), a, m);
    }
    if (i < n) {
        const vf a = v_abs(v_load_part(x + i, n - i));
        m = v_select(v_gt(a, m), a, m);
    }
    const float most = v_hmax(m);
    if (most > *max) *max = most;
}
