// SPDX-License-Identifier: BSD-3-Clause
// relu.kern.c - y = x < 0 ? slope * x : x. Rule: NaN stays NaN.
#include "kernel.h"
#include "vec/vec.h"

static inline vf leaky(vf x, vf slope) { return v_select(v_lt(x, v_set(0.f)), v_mul(x, slope), x); }

void EBB_K(relu_f32)(float *y, const float *x, size_t n, float slope)
{
    const vf k = v_set(slope);
    size_t i = 0;
    for (; i + VW <= n; i += VW) v_store(y + i, leaky(v_load(x + i), k));
    if (i < n) v_store_part(y + i, leaky(v_load_part(x + i, n - i), k), n - i);
}
