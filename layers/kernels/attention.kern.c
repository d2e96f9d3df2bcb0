// SPDX-License-Identifier: BSD-3-Clause
// attention.kern.c - one row of scores on its way through a softmax that sees its keys block by block. Rule:
// what was summed before is rescaled when a larger score appears; a NaN score makes the row NaN.
#include "kernel.h"
#include "vec/math.h"

static inline size_t part(size_t n, size_t i) { return n - i < VW ? n - i : VW; }

// s = exp(s * scale + mask - *max), with the largest score so far; *sum and the nv values y follow a change
// of *max.
void EBB_K(softmax_block_f32)(float *s, const float *mask, float scale, size_t n, float *max, float *sum, float *y,
                       size_t nv)
{
    vf top = v_set(*max), total = v_set(0.f);
    for (size_t i = 0; i < n; i += VW) {
        const size_t m = part(n, i);
        const vf x = v_mul(v_load_any(s + i, m), v_set(scale));
        v_store_any(s + i, mask ? v_add(x, v_load_any(mask + i, m)) : x, m);
        top = v_max(m < VW ? v_load_fill(s + i, m, *max) : v_load(s + i), top);
    }
    const float most = v_hmax(top);
    for (size_t i = 0; i < n; i += VW) {
        const size_t m = part(n, i);
        v_store_any(s + i, v_exp(v_sub(v_load_any(s + i, m), v_set(most))), m);
        total = v_add(total, v_load_any(s + i, m));
    }
    if (most != *max) {
        const vf factor = v_exp(v_set(*max - most));
        *sum = v_hmax(v_mul(v_set(*sum), factor));
        for (size_t i = 0; i < nv; i += VW)
            v_store_any(y + i, v_mul(v_load_any(y + i, part(nv, i)), factor), part(nv, i));
    }
    *max = most;
    *sum += v_sum(total);
}
