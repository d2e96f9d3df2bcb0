// SPDX-License-Identifier: BSD-3-Clause
// activation.kern.c - a fused activation on its own, in place. Rule: NaN stays NaN.
#include "kernel.h"
#include "vec/activation.h"

void EBB_K(activate_f32)(float *y, size_t n, int type, float a, float b)
{
    const vf va = v_set(a), vb = v_set(b);
    if (type == 0) return;
    size_t i = 0;
    for (; i + VW <= n; i += VW) v_store(y + i, v_activate(v_load(y + i), type, va, vb));
    if (i < n) v_store_part(y + i, v_activate(v_load_part(y + i, n - i), type, va, vb), n - i);
}
