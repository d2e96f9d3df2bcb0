// SPDX-License-Identifier: BSD-3-Clause
// lrn.kern.c - local response normalisation of one pixel's channels.
#include "kernel.h"
#include "vec/math.h"

// sum[i] = squares[i] + … + squares[i + size - 1].
void EBB_K(lrn_window_f32)(float *sum, const float *squares, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i += VW) {
        vf s = v_set(0.f);
        for (size_t k = 0; k < size; k++) s = v_add(s, v_load_any(squares + i + k, n - i));
        v_store_any(sum + i, s, n - i);
    }
}

// y = x * (bias + alpha * sum) ^ -beta; 0 where there is nothing to divide by.
void EBB_K(lrn_scale_f32)(float *y, const float *x, const float *sum, size_t n, float bias, float alpha,
                          float beta)
{
    const vf a = v_set(alpha), b = v_set(bias), power = v_set(-beta), zero = v_set(0.f);
    for (size_t i = 0; i < n; i += VW) {
        const vf base = v_fma(v_load_any(sum + i, n - i), a, b), v = v_load_any(x + i, n - i);
        const vf t = v_pow_pos(base, power);
        v_store_any(y + i, v_mul(v, beta > 0.f ? v_select(v_eq(base, zero), zero, t) : t), n - i);
    }
}
