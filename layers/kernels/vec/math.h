// SPDX-License-Identifier: BSD-3-Clause
// math.h - elementary functions on vectors, from the operations of vec.h. Rule: NaN stays NaN, overflow gives
// an infinity, and a lane depends on its own input only, so vectors and tails agree. Errors stay near 2 ulp.
#pragma once
#include "vec.h"
#include <math.h>

// The first n lanes, n at most VW; a constant VW costs no branch.
static inline vf v_load_any(const float *p, size_t n) { return n >= VW ? v_load(p) : v_load_part(p, n); }
static inline void v_store_any(float *p, vf a, size_t n)
{
    if (n >= VW) v_store(p, a);
    else v_store_part(p, a, n);
}

// n < VW values, and `fill` in the other lanes.
static inline vf v_load_fill(const float *p, size_t n, float fill)
{
    float t[VW];
    v_store(t, v_set(fill));
    memcpy(t, p, n * sizeof *t);
    return v_load(t);
}

// Values between bounds; NaN stays NaN.
static inline vf v_clamp(vf x, vf lo, vf hi) { return v_min(hi, v_max(lo, x)); }

// The larger and the smaller; NaN when either is.
static inline vf v_larger(vf a, vf b) { return v_select(v_eq(a, a), v_max(a, b), a); }
static inline vf v_smaller(vf a, vf b) { return v_select(v_eq(a, a), v_min(a, b), a); }

// The sign of s on the magnitude of a (which is not negative).
static inline vf v_with_sign(vf a, vf s)
{
    return v_from_bits(vi_or(v_bits(a), vi_and(v_bits(s), vi_set(INT32_MIN))));
}

// exp(r) - 1 for |r| <= 0.35.
static inline vf exp_tail(vf r)
{
    vf p = v_fma(v_set(0x1.6a1a62p-10f), r, v_set(0x1.123fc8p-7f));
    p = v_fma(p, r, v_set(0x1.555916p-5f));
    p = v_fma(p, r, v_set(0x1.55548ap-3f));
    p = v_fma(p, r, v_set(0x1.fffffcp-2f));
    return v_fma(v_mul(r, r), p, r);
}

// x = n ln 2 + r; 2^n in two factors, so that the ends of the range are reached.
static inline vf v_exp(vf x)
{
    const vf magic = v_set(0x1.8p23f);  // adding it rounds to an integer that stands in the low bits
    const vf c = v_clamp(x, v_set(-105.f), v_set(90.f));
    const vf t = v_fma(c, v_set(0x1.715476p0f), magic), n = v_sub(t, magic);
    const vf r = v_fma(n, v_set(0x1.bd0106p-13f), v_fma(n, v_set(-0x1.63p-1f), c));
    const vi k = vi_sub(v_bits(t), v_bits(magic)), half = vi_shr(k, 1), one = v_bits(v_set(1.f));
    const vf a = v_from_bits(vi_add(vi_shl(half, 23), one));
    const vf b = v_from_bits(vi_add(vi_shl(vi_sub(k, half), 23), one));
    return v_mul(v_mul(v_add(exp_tail(r), v_set(1.f)), a), b);
}

static inline vf v_expm1(vf x)
{
    return v_select(v_lt(v_abs(x), v_set(0.35f)), exp_tail(x), v_sub(v_exp(x), v_set(1.f)));
}

// x = 2^e m with m near 1; log m by s = f / (2 + f), f = m - 1.
static inline vf v_log(vf x)
{
    const vm tiny = v_lt(x, v_set(0x1p-126f));
    const vi bits = v_bits(v_select(tiny, v_mul(x, v_set(0x1p23f)), x));
    const vi e = vi_shr(vi_sub(bits, v_bits(v_set(0x1.6a09e6p-1f))), 23);
    const vf f = v_sub(v_from_bits(vi_sub(bits, vi_shl(e, 23))), v_set(1.f));
    const vf k = v_add(v_from_int(e), v_select(tiny, v_set(-23.f), v_set(0.f)));
    const vf s = v_div(f, v_add(f, v_set(2.f))), z = v_mul(s, s), square = v_mul(v_mul(f, f), v_set(0.5f));
    vf p = v_fma(v_set(0x1.e31f8cp-3f), z, v_set(0x1.2437d2p-2f));
    p = v_fma(p, z, v_set(0x1.999a7ep-2f));
    p = v_mul(v_fma(p, z, v_set(0x1.555554p-1f)), z);
    const vf low = v_fma(k, v_set(-0x1.bd0106p-13f), v_mul(s, v_add(square, p)));
    const vf y = v_fma(k, v_set(0x1.63p-1f), v_sub(f, v_sub(square, low)));
    const vf ends =
        v_select(v_lt(x, v_set(0.f)), v_set(NAN), v_select(v_eq(x, v_set(0.f)), v_set(-INFINITY), x));
    return v_select(v_gt(x, v_set(0.f)), v_select(v_eq(x, v_set(INFINITY)), x, y), ends);
}

static inline vf v_sigmoid(vf x) { return v_div(v_set(1.f), v_add(v_set(1.f), v_exp(v_neg(x)))); }

static inline vf v_tanh(vf x)
{
    const vf a = v_abs(x), z = v_mul(x, x), one = v_set(1.f);
    vf p = v_fma(v_set(-0x1.722a7p-8f), z, v_set(0x1.5157d8p-6f));
    p = v_fma(p, z, v_set(-0x1.b81dbcp-5f));
    p = v_fma(p, z, v_set(0x1.110646p-3f));
    p = v_mul(v_fma(p, z, v_set(-0x1.55552ep-2f)), z);
    const vf big = v_sub(one, v_div(v_set(2.f), v_add(v_exp(v_add(a, a)), one)));
    return v_with_sign(v_select(v_lt(a, v_set(0.625f)), v_fma(a, p, a), big), x);
}

static inline vf v_erf(vf x)
{
    const vf a = v_min(v_set(4.f), v_abs(x)), z = v_mul(a, a);
    vf p = v_fma(v_set(0x1.496a0ap-14f), z, v_set(-0x1.a3f6fp-11f));
    p = v_fma(p, z, v_set(0x1.5405bp-8f));
    p = v_fma(p, z, v_set(-0x1.b7f90cp-6f));
    p = v_fma(p, z, v_set(0x1.ce2cf8p-4f));
    p = v_fma(p, z, v_set(-0x1.81273ep-2f));
    p = v_fma(p, z, v_set(0.128379167f));  // 2 / sqrt(pi) - 1
    vf q = v_fma(v_set(-0x1.05561p-19f), a, v_set(0x1.0828bp-15f));  // of -log(erfc(a)) / a
    q = v_fma(q, a, v_set(-0x1.a39f1p-13f));
    q = v_fma(q, a, v_set(0x1.d98bfep-12f));
    q = v_fma(q, a, v_set(0x1.fc37e2p-10f));
    q = v_fma(q, a, v_set(-0x1.5f6b58p-6f));
    q = v_fma(q, a, v_set(0x1.ab5efap-4f));
    q = v_fma(q, a, v_set(0x1.45a3aep-1f));
    q = v_fma(q, a, v_set(0x1.20e42cp0f));
    const vf big = v_sub(v_set(1.f), v_exp(v_neg(v_mul(q, a))));
    return v_select(v_lt(a, v_set(1.f)), v_fma(x, p, x), v_with_sign(big, x));
}

// log(1 + exp(x)), also where exp(x) overflows or vanishes beside 1.
static inline vf v_softplus(vf x)
{
    const vf t = v_exp(v_neg(v_abs(x))), u = v_add(v_set(1.f), t);
    const vf lost = v_div(v_sub(t, v_sub(u, v_set(1.f))), u);  // of t, when 1 + t was rounded
    return v_add(v_max(v_set(0.f), x), v_add(v_log(u), lost));
}

// x tanh(softplus(x)) = x n / (n + 2) with n = e (e + 2), e = exp(x); above 20 the fraction is 1.
static inline vf v_mish(vf x)
{
    const vf e = v_exp(v_min(v_set(20.f), x)), n = v_mul(e, v_add(e, v_set(2.f)));
    return v_mul(x, v_div(n, v_add(n, v_set(2.f))));
}

// x^y for x >= 0; its relative error grows with |y log x|. v_call2(powf, x, y) has none of these limits.
static inline vf v_pow_pos(vf x, vf y) { return v_exp(v_mul(y, v_log(x))); }

// A function of the C library, lane by lane.
static inline vf v_call(float (*f)(float), vf x)
{
    float t[VW];
    v_store(t, x);
    for (int i = 0; i < VW; i++) t[i] = f(t[i]);
    return v_load(t);
}
static inline vf v_call2(float (*f)(float, float), vf x, vf y)
{
    float t[VW], u[VW];
    v_store(t, x);
    v_store(u, y);
    for (int i = 0; i < VW; i++) t[i] = f(t[i], u[i]);
    return v_load(t);
}
