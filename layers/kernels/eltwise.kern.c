// SPDX-License-Identifier: BSD-3-Clause
// eltwise.kern.c - y = ka a + kb b.
#include "kernel.h"
#include "vec/math.h"

void EBB_K(axpby_f32)(float *y, const float *a, float ka, const float *b, float kb, size_t n)
{
    const vf fa = v_set(ka), fb = v_set(kb);
    for (size_t i = 0; i < n; i += VW)
        v_store_any(y + i, v_fma(v_load_any(a + i, n - i), fa, v_mul(v_load_any(b + i, n - i), fb)), n - i);
}
