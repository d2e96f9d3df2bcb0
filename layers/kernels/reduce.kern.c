// SPDX-License-Identifier: BSD-3-Clause
// reduce.kern.c - collects sums, products, extremes of m sets of n elements each into acc. Rule: four chains
// at a time, which is faster, and keeps more digits of long sums; NaN stays.
#include "kernel.h"
#include "vec/math.h"

#define INLINE static inline __attribute__((always_inline))

// op is a constant wherever these are used.
INLINE vf join(int op, vf a, vf b)
{
    switch (op) {
    case EBB_PRODUCT: return v_mul(a, b);
    case EBB_LARGEST: return v_larger(a, b);
    case EBB_SMALLEST: return v_smaller(a, b);
    default: return v_add(a, b);
    }
}

INLINE vf value(int op, vf x, vf c)
{
    switch (op) {
    case EBB_SUM_ABS: return v_abs(x);
    case EBB_SUM_SQUARE: return v_mul(x, x);
    case EBB_SUM_EXP: return v_exp(v_sub(x, c));
    case EBB_SUM_SQUARE_OFF: return v_mul(v_sub(x, c), v_sub(x, c));
    default: return x;
    }
}

// What changes nothing: before value(), and after it.
INLINE float absent(int op, float c)
{
    return op == EBB_PRODUCT ? 1.f : op == EBB_SUM_SQUARE_OFF ? c : op == EBB_SMALLEST ? INFINITY
           : op == EBB_LARGEST || op == EBB_SUM_EXP ? -INFINITY : 0.f;
}
INLINE float start(int op)
{
    return op == EBB_PRODUCT ? 1.f : op == EBB_LARGEST ? -INFINITY : op == EBB_SMALLEST ? INFINITY : 0.f;
}

// One set, its elements side by side.
INLINE void row(int op, float *acc, const float *x, size_t n, float centre)
{
    const vf c = v_set(centre);
    vf a[4];
    for (int k = 0; k < 4; k++) a[k] = v_set(start(op));
    size_t i = 0;
    for (; i + 4 * VW <= n; i += 4 * VW)
        for (int k = 0; k < 4; k++) a[k] = join(op, a[k], value(op, v_load(x + i + k * VW), c));
    for (; i + VW <= n; i += VW) a[0] = join(op, a[0], value(op, v_load(x + i), c));
    if (i < n) a[1] = join(op, a[1], value(op, v_load_fill(x + i, n - i, absent(op, centre)), c));
    vf s = join(op, join(op, a[0], a[1]), join(op, a[2], a[3]));
    if (op != EBB_PRODUCT && op != EBB_LARGEST && op != EBB_SMALLEST) {
        *acc += v_sum(s);
        return;
    }
    float t[2 * VW];
    v_store(t + VW, s);
    for (size_t half = VW / 2; half; half /= 2) {
        v_store(t, s);
        s = join(op, s, v_load(t + half));
    }
    v_store(t, join(op, s, v_set(*acc)));
    *acc = t[0];
}

// Up to VW sets side by side, their elements a step apart.
INLINE void columns(int op, float *acc, const float *x, size_t n, ptrdiff_t step, size_t m,
                    const float *centre)
{
    const vf c = centre ? v_load_any(centre, m) : v_set(0.f);
    vf a[4] = {v_load_any(acc, m), v_set(start(op)), v_set(start(op)), v_set(start(op))};
    for (; n >= 4; n -= 4, x += 4 * step)
        for (int k = 0; k < 4; k++) a[k] = join(op, a[k], value(op, v_load_any(x + k * step, m), c));
    for (; n; n--, x += step) a[0] = join(op, a[0], value(op, v_load_any(x, m), c));
    v_store_any(acc, join(op, join(op, a[0], a[1]), join(op, a[2], a[3])), m);
}

INLINE void sets(int op, float *acc, const float *x, size_t n, ptrdiff_t step_n, size_t m, ptrdiff_t step_m,
                 const float *centre)
{
    if (step_m == 1 && !(m == 1 && step_n == 1)) {
        for (; m >= VW; m -= VW, x += VW, acc += VW, centre = centre ? centre + VW : NULL)
            columns(op, acc, x, n, step_n, VW, centre);
        if (m) columns(op, acc, x, n, step_n, m, centre);
    } else {
        for (size_t j = 0; j < m; j++, x += step_m) {
            if (step_n == 1) row(op, &acc[j], x, n, centre ? centre[j] : 0.f);
            else columns(op, &acc[j], x, n, step_n, 1, centre ? centre + j : NULL);
        }
    }
}

void EBB_K(reduce_f32)(int op, float *acc, const float *x, size_t n, ptrdiff_t step_n, size_t m,
                       ptrdiff_t step_m, const float *centre)
{
#define ONE(op) case op: sets(op, acc, x, n, step_n, m, step_m, centre); break
    switch (op) {
        ONE(EBB_SUM);
        ONE(EBB_SUM_ABS);
        ONE(EBB_SUM_SQUARE);
        ONE(EBB_PRODUCT);
        ONE(EBB_LARGEST);
        ONE(EBB_SMALLEST);
        ONE(EBB_SUM_EXP);
        ONE(EBB_SUM_SQUARE_OFF);
    }
}
