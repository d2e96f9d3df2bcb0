// SPDX-License-Identifier: BSD-3-Clause
// unary.kern.c - y = op(x). Rule: NaN stays NaN, whatever the function.
#include "kernel.h"
#include "vec/activation.h"

static inline vf sign(vf x)
{
    const vf zero = v_set(0.f);
    return v_select(v_gt(x, zero), v_set(1.f), v_select(v_lt(x, zero), v_set(-1.f), x));
}

static inline vf gelu(vf x)
{
    return v_mul(v_mul(v_set(0.5f), x), v_add(v_set(1.f), v_erf(v_mul(x, v_set(0x1.6a09e6p-1f)))));
}

static inline vf gelu_tanh(vf x)
{
    const vf cube = v_mul(v_mul(x, x), v_mul(x, v_set(0.044715f)));
    return v_mul(v_mul(v_set(0.5f), x),
                 v_add(v_set(1.f), v_tanh(v_mul(v_set(0x1.988454p-1f), v_add(x, cube)))));
}

static inline vf shrink(vf x, vf bias, vf lambda)
{
    const vf inside = v_select(v_le(v_abs(x), lambda), v_set(0.f), x);  // NaN is not inside
    return v_select(v_gt(x, lambda), v_sub(x, bias),
                    v_select(v_lt(x, v_neg(lambda)), v_add(x, bias), inside));
}

#define EACH(expr)                                                                                           \
    for (; i + VW <= n; i += VW) {                                                                           \
        const vf x = v_load(px + i);                                                                         \
        v_store(y + i, expr);                                                                                \
    }                                                                                                        \
    if (i < n) {                                                                                             \
        const vf x = v_load_part(px + i, n - i);                                                             \
        v_store_part(y + i, expr, n - i);                                                                    \
    }                                                                                                        \
    break

void EBB_K(unary_f32)(int op, float *y, const float *px, size_t n, const float *p)
{
    const vf a = v_set(p[0]), b = v_set(p[1]), c = v_set(p[2]), zero = v_set(0.f), one = v_set(1.f);
    size_t i = 0;
    switch (op) {
    case EBB_ABS: EACH(v_abs(x));
    case EBB_NEG: EACH(v_neg(x));
    case EBB_FLOOR: EACH(v_floor(x));
    case EBB_CEIL: EACH(v_ceil(x));
    case EBB_SQUARE: EACH(v_mul(x, x));
    case EBB_SQRT: EACH(v_sqrt(x));
    case EBB_RSQRT: EACH(v_div(one, v_sqrt(x)));
    case EBB_EXP: EACH(v_exp(x));
    case EBB_LOG: EACH(v_log(x));
    case EBB_SIN: EACH(v_call(sinf, x));
    case EBB_COS: EACH(v_call(cosf, x));
    case EBB_TAN: EACH(v_call(tanf, x));
    case EBB_ASIN: EACH(v_call(asinf, x));
    case EBB_ACOS: EACH(v_call(acosf, x));
    case EBB_ATAN: EACH(v_call(atanf, x));
    case EBB_RECIPROCAL: EACH(v_select(v_eq(x, zero), v_set(NAN), v_div(one, x)));  // 0: files count on NaN
    case EBB_TANH: EACH(v_tanh(x));
    case EBB_LOG10: EACH(v_mul(v_log(x), v_set(0x1.bcb7b2p-2f)));
    case EBB_ROUND: EACH(v_round(x));
    case EBB_TRUNC: EACH(v_trunc(x));
    case EBB_SIGN: EACH(sign(x));
    case EBB_EXPM1: EACH(v_expm1(x));
    case EBB_SINH: EACH(v_call(sinhf, x));
    case EBB_ASINH: EACH(v_call(asinhf, x));
    case EBB_COSH: EACH(v_call(coshf, x));
    case EBB_ACOSH: EACH(v_call(acoshf, x));
    case EBB_ATANH: EACH(v_call(atanhf, x));
    case EBB_LOG1P: EACH(v_call(log1pf, x));
    case EBB_SIGMOID: EACH(v_sigmoid(x));
    case EBB_SWISH: EACH(v_div(x, v_add(one, v_exp(v_neg(x)))));
    case EBB_MISH: EACH(v_mish(x));
    case EBB_SOFTPLUS: EACH(v_softplus(x));
    case EBB_ERF: EACH(v_erf(x));
    case EBB_GELU: EACH(gelu(x));
    case EBB_GELU_TANH: EACH(gelu_tanh(x));
    case EBB_EXP_OF: EACH(v_exp(v_fma(x, a, b)));
    case EBB_BASE_TO: EACH(v_call2(powf, c, v_fma(x, a, b)));
    case EBB_LOG_OF: EACH(v_mul(v_log(v_fma(x, a, b)), c));
    case EBB_POWER_OF: EACH(v_call2(powf, v_fma(x, a, b), c));
    case EBB_LINEAR: EACH(v_fma(x, a, b));
    case EBB_CLIP: EACH(v_clamp(x, a, b));
    case EBB_ELU: EACH(v_select(v_lt(x, zero), v_mul(v_expm1(v_mul(x, c)), a), v_mul(x, b)));
    case EBB_HARD_SIGMOID: EACH(v_clamp(v_fma(x, a, b), zero, one));
    case EBB_HARD_SWISH: EACH(v_hard_swish(x, a, b));
    case EBB_THRESHOLD: EACH(v_select(v_gt(x, a), one, v_select(v_le(x, a), zero, x)));
    case EBB_SHRINK: EACH(shrink(x, a, b));
    }
}
