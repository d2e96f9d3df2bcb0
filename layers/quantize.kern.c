// SPDX-License-Identifier: BSD-3-Clause
// quantize.kern.c - between floats and 8-bit numbers. Rule: q = x * scale, rounded with halves away from zero, cut to
// -127 … 127; NaN becomes -127.
#include "kernel.h"
#include "vec/vec.h"

static inline vf round_away(vf x)
{
    const vf t = v_trunc(x), rest = v_sub(x, t), zero = v_set(0.f);
    const vf away = v_select(v_lt(x, zero), v_set(-1.f), v_set(1.f));
    return v_add(t, v_select(v_ge(v_abs(rest), v_set(0.5f)), away, zero));
}

static inline vi quantized(vf x)
{
    const vf lo = v_set(-127.f), hi = v_set(127.f);
    x = v_select(v_gt(x, lo), x, lo);
    return v_to_int(round_away(v_select(v_lt(x, hi), x, hi)));
}

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
        vi_store_i8(y + i, quantized(v_mul(v_load(x + i), s)));
    }
    if (i < n) {
        const vf s = each ? v_load_part(scale + i, n - i) : v_set(*scale);
        store_part_i8(y + i, quantized(v_mul(v_load_part(x + i, n - i), s)), n - i);
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
