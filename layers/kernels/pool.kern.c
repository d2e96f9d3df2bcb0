// SPDX-License-Identifier: BSD-3-Clause
// pool.kern.c - one output pixel of a pooling: n channels side by side, reduced over a window of up to three
// axes. Rule: NaN in the window gives NaN; sums are made row by row, so that large windows keep their digits.
#include "kernel.h"
#include "vec/math.h"

static inline vf largest(const float *x, const ptrdiff_t step[3], const int count[3], size_t n)
{
    vf m = v_load_any(x, n);
    for (int z = 0; z < count[0]; z++)
        for (int y = 0; y < count[1]; y++) {
            const float *row = x + z * step[0] + y * step[1];
            for (int i = 0; i < count[2]; i++) m = v_larger(m, v_load_any(row + i * step[2], n));
        }
    return m;
}

static inline vf sum(const float *x, const ptrdiff_t step[3], const int count[3], size_t n)
{
    vf total = v_set(0.f);
    for (int z = 0; z < count[0]; z++)
        for (int y = 0; y < count[1]; y++) {
            const float *row = x + z * step[0] + y * step[1];
            vf part = v_set(0.f);
            for (int i = 0; i < count[2]; i++) part = v_add(part, v_load_any(row + i * step[2], n));
            total = v_add(total, part);
        }
    return total;
}

// The window is not empty.
void EBB_K(pool_max_f32)(float *y, const float *x, const ptrdiff_t step[3], const int count[3], size_t n)
{
    for (; n >= VW; n -= VW, x += VW, y += VW) v_store(y, largest(x, step, count, VW));
    if (n) v_store_part(y, largest(x, step, count, n), n);
}

void EBB_K(pool_mean_f32)(float *y, const float *x, const ptrdiff_t step[3], const int count[3], float area,
                          size_t n)
{
    const vf a = v_set(area);
    for (; n >= VW; n -= VW, x += VW, y += VW) v_store(y, v_div(sum(x, step, count, VW), a));
    if (n) v_store_part(y, v_div(sum(x, step, count, n), a), n);
}
