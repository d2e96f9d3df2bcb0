// SPDX-License-Identifier: BSD-3-Clause
// affine.kern.c - y = (x - mean) * scale * gamma + beta in rows that share the constants: each is one value,
// or one for each element of a row.
#include "kernel.h"
#include "vec/math.h"

typedef struct source {
    const float *p;
    size_t step;      // 0 or 1
    float same[VW];   // what a single value is read from
} source;

static void source_init(source *s, const float *p, int step, float absent)
{
    s->p = s->same, s->step = 0;
    if (p && step) s->p = p, s->step = 1;
    else v_store(s->same, v_set(p ? *p : absent));
}

static inline vf at(const source *s, size_t i, size_t n) { return v_load_any(s->p + i * s->step, n); }

void EBB_K(affine_f32)(float *y, ptrdiff_t step_y, const float *x, ptrdiff_t step_x, size_t rows, size_t n,
                       const ebb_affine *a)
{
    source mean, scale, gamma, beta;
    source_init(&mean, a->mean, a->step, 0.f);
    source_init(&scale, a->scale, a->step, 1.f);
    source_init(&gamma, a->gamma, a->gamma_step, 1.f);
    source_init(&beta, a->beta, a->gamma_step, 0.f);
    for (; rows; rows--, y += step_y, x += step_x)
        for (size_t i = 0; i < n; i += VW) {
            const size_t m = n - i;
            const vf t = v_mul(v_sub(v_load_any(x + i, m), at(&mean, i, m)), at(&scale, i, m));
            v_store_any(y + i, v_fma(t, at(&gamma, i, m), at(&beta, i, m)), m);
        }
}
