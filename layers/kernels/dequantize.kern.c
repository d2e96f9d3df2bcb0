// SPDX-License-Identifier: BSD-3-Clause
// dequantize.kern.c - y = x * scale + bias from 32-bit integers. Rule: one scale and bias, or one for each
// element.
#include "kernel.h"
#include "vec/vec.h"

void EBB_K(dequantize_f32)(float *y, const int32_t *x, size_t n, const float *scale, const float *bias,
                           int each)
{
    vf s = v_set(*scale), b = v_set(*bias);
    size_t i = 0;
    for (; i + VW <= n; i += VW) {
        if (each) s = v_load(scale + i), b = v_load(bias + i);
        v_store(y + i, v_fma(v_from_int(vi_load(x + i)), s, b));
    }
    for (; i < n; i++) y[i] = (float)x[i] * scale[each ? i : 0] + bias[each ? i : 0];
}
