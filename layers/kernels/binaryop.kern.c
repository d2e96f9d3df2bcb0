// SPDX-License-Identifier: BSD-3-Clause
// binaryop.kern.c - y = a op b for operands at any stride. Rule: NaN in either gives NaN, but for pow.
#include "kernel.h"
#include "vec/activation.h"

enum { BLOCK = 256 };  // what is gathered at a time

// n values from element `at` on, side by side; single values stand in t already.
static const float *gather(float *t, const float *p, ptrdiff_t step, size_t at, size_t n)
{
    if (step == 1) return p + at;
    if (step == 0) return t;
    for (size_t i = 0; i < n; i++) t[i] = p[(ptrdiff_t)(at + i) * step];
    return t;
}

static void fill(float *t, float v, size_t n)
{
    for (size_t i = 0; i < n && i < BLOCK; i += VW) v_store(t + i, v_set(v));
}

static inline vf log_add_exp(vf a, vf b)
{
    const vf d = v_select(v_eq(a, b), v_set(0.f), v_abs(v_sub(a, b)));  // equal infinities differ by 0
    return v_add(v_larger(a, b), v_softplus(v_neg(d)));
}

#define EACH(expr)                                                                                           \
    for (; i + VW <= n; i += VW) {                                                                           \
        const vf a = v_load(pa + i), b = v_load(pb + i);                                                     \
        v_store(y + i, expr);                                                                                \
    }                                                                                                        \
    if (i < n) {                                                                                             \
        const vf a = v_load_part(pa + i, n - i), b = v_load_part(pb + i, n - i);                             \
        v_store_part(y + i, expr, n - i);                                                                    \
    }                                                                                                        \
    break

static void block(int op, float *y, const float *pa, const float *pb, size_t n)
{
    size_t i = 0;
    switch (op) {
    case EBB_ADD: EACH(v_add(a, b));
    case EBB_SUB: EACH(v_sub(a, b));
    case EBB_MUL: EACH(v_mul(a, b));
    case EBB_DIV: EACH(v_div(a, b));
    case EBB_MAX: EACH(v_larger(a, b));
    case EBB_MIN: EACH(v_smaller(a, b));
    case EBB_POW: EACH(v_call2(powf, a, b));
    case EBB_ATAN2: EACH(v_call2(atan2f, a, b));
    case EBB_FMOD: EACH(v_call2(fmodf, a, b));
    case EBB_LOGADDEXP: EACH(log_add_exp(a, b));
    case EBB_FLOOR_DIVIDE: EACH(v_floor(v_div(a, b)));
    case EBB_REMAINDER: EACH(v_call2(remainderf, a, b));
    case EBB_GATE: EACH(v_mul(a, v_sigmoid(b)));
    case EBB_PRELU: EACH(v_leaky(a, b));
    }
}

void EBB_K(binary_f32)(int op, float *y, const float *a, ptrdiff_t step_a, const float *b, ptrdiff_t step_b,
                       size_t n)
{
    float ta[BLOCK], tb[BLOCK];
    if (step_a == 1 && step_b == 1) {
        block(op, y, a, b, n);
        return;
    }
    if (step_a == 0) fill(ta, *a, n);
    if (step_b == 0) fill(tb, *b, n);
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t m = n - i < BLOCK ? n - i : BLOCK;
        block(op, y + i, gather(ta, a, step_a, i, m), gather(tb, b, step_b, i, m), m);
    }
}
