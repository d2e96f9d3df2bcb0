// SPDX-License-Identifier: BSD-3-Clause
// lstm.kern.c - one step of LSTM units from their gates. Rule: gate g stands at gates + g * pitch, in the
// order I F O G.
#include "kernel.h"
#include "vec/math.h"

static inline vf step(vf *cell, vf i, vf f, vf o, vf g)
{
    *cell = v_fma(v_sigmoid(f), *cell, v_mul(v_sigmoid(i), v_tanh(g)));
    return v_mul(v_sigmoid(o), v_tanh(*cell));
}

void EBB_K(lstm_f32)(float *h, float *cell, const float *gates, ptrdiff_t pitch, size_t n)
{
    const float *I = gates, *F = gates + pitch, *O = gates + 2 * pitch, *G = gates + 3 * pitch;
    size_t q = 0;
    for (; q + VW <= n; q += VW) {
        vf c = v_load(cell + q);
        v_store(h + q, step(&c, v_load(I + q), v_load(F + q), v_load(O + q), v_load(G + q)));
        v_store(cell + q, c);
    }
    if (q < n) {
        const size_t m = n - q;
        vf c = v_load_part(cell + q, m);
        const vf i = v_load_part(I + q, m), f = v_load_part(F + q, m), o = v_load_part(O + q, m);
        v_store_part(h + q, step(&c, i, f, o, v_load_part(G + q, m)), m);
        v_store_part(cell + q, c, m);
    }
}
