// SPDX-License-Identifier: BSD-3-Clause
// weighted_sum.kern.c - a weighted sum of pixels, channel by channel. Rule: a weight of 0 is still multiplied, so
// that NaN and infinities travel.
#include "kernel.h"
#include "vec/vec.h"

void EBB_K(weighted_sum_f32)(float *y, const float *const *x, const float *w, int taps, int add, size_t n)
{
    size_t i = 0;
    for (; i + VW <= n; i += VW) {
        vf sum = add ? v_load(y + i) : v_set(0.f);
        for (int t = 0; t < taps; t++) sum = v_fma(v_set(w[t]), v_load(x[t] + i), sum);
        v_store(y + i, sum);
    }
    if (i < n) {
        vf sum = add ? v_load_part(y + i, n - i) : v_set(0.f);
        for (int t = 0; t < taps; t++) sum = v_fma(v_set(w[t]), v_load_part(x[t] + i, n - i), sum);
        v_store_part(y + i, sum, n - i);
    }
}
