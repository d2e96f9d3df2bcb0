// SPDX-License-Identifier: BSD-3-Clause
// gru.kern.c - one step of GRU units. Rule: gate g stands at gates + g * pitch, in the order R U N; nh is the
// hidden part of N.
#include "kernel.h"
#include "vec/math.h"

static inline vf step(vf old, vf r, vf u, vf n, vf nh)
{
    const vf fresh = v_tanh(v_fma(v_sigmoid(r), nh, n)), keep = v_sigmoid(u);
    return v_fma(keep, old, v_mul(v_sub(v_set(1.f), keep), fresh));
}

void EBB_K(gru_f32)(float *h, const float *old, const float *gates, ptrdiff_t pitch, const float *nh,
                    size_t n)
{
    const float *R = gates, *U = gates + pitch, *N = gates + 2 * pitch;
    size_t q = 0;
    for (; q + VW <= n; q += VW)
        v_store(h + q, step(v_load(old + q), v_load(R + q), v_load(U + q), v_load(N + q), v_load(nh + q)));
    if (q < n) {
        const size_t m = n - q;
        const vf r = v_load_part(R + q, m), u = v_load_part(U + q, m), x = v_load_part(N + q, m);
        v_store_part(h + q, step(v_load_part(old + q, m), r, u, x, v_load_part(nh + q, m)), m);
    }
}
