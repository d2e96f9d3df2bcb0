// SPDX-License-Identifier: BSD-3-Clause
// softmax.kern.c - exp(x - max) / sum along one axis. Rule: a NaN gives NaN, a line of minus
// infinities, of which none counts, gives zeros; y may be x.
#include "kernel.h"
#include "vec/math.h"

// Against minus infinity everything is minus infinity; so that its exponential is 0, not of no number.
static inline vf finite_top(vf m) { return v_select(v_eq(m, v_set(-INFINITY)), v_set(0.f), m); }
static inline vf one_over(vf sum)
{
    return v_select(v_eq(sum, v_set(0.f)), v_set(0.f), v_div(v_set(1.f), sum));
}

static float largest(const float *x, size_t n)
{
    vf m = v_set(x[0]);
    size_t i = 0;
    for (; i + VW <= n; i += VW) m = v_max(m, v_load(x + i));
    if (i < n) m = v_max(m, v_load_fill(x + i, n - i, x[0]));
    return v_hmax(m);
}

void EBB_K(softmax_row_f32)(float *y, const float *x, size_t n)
{
    const vf m = finite_top(v_set(largest(x, n)));
    vf s = v_set(0.f);
    size_t i = 0;
    for (; i + VW <= n; i += VW) {
        const vf t = v_exp(v_sub(v_load(x + i), m));
        v_store(y + i, t);
        s = v_add(s, t);
    }
    if (i < n) {
        v_store_part(y + i, v_exp(v_sub(v_load_part(x + i, n - i), m)), n - i);
        s = v_add(s, v_load_part(y + i, n - i));
    }
    const vf r = one_over(v_set(v_sum(s)));
    for (i = 0; i + VW <= n; i += VW) v_store(y + i, v_mul(v_load(y + i), r));
    if (i < n) v_store_part(y + i, v_mul(v_load_part(y + i, n - i), r), n - i);
}

static inline void columns(float *y, ptrdiff_t step_y, const float *x, ptrdiff_t step_x, ptrdiff_t n,
                           size_t m)
{
    vf top = v_load_any(x, m), s = v_set(0.f);
    for (ptrdiff_t i = 1; i < n; i++) top = v_max(top, v_load_any(x + i * step_x, m));
    top = finite_top(top);
    for (ptrdiff_t i = 0; i < n; i++) {
        const vf t = v_exp(v_sub(v_load_any(x + i * step_x, m), top));
        v_store_any(y + i * step_y, t, m);
        s = v_add(s, t);
    }
    const vf r = one_over(s);
    for (ptrdiff_t i = 0; i < n; i++) v_store_any(y + i * step_y, v_mul(v_load_any(y + i * step_y, m), r), m);
}

// m lines side by side, each of n elements a step apart.
void EBB_K(softmax_columns_f32)(float *y, ptrdiff_t step_y, const float *x, ptrdiff_t step_x, size_t n,
                                size_t m)
{
    for (; m >= VW; m -= VW, x += VW, y += VW) columns(y, step_y, x, step_x, (ptrdiff_t)n, VW);
    if (m) columns(y, step_y, x, step_x, (ptrdiff_t)n, m);
}
