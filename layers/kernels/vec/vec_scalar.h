// SPDX-License-Identifier: BSD-3-Clause
// vec_scalar.h - one lane of plain C: the reference of the other headers.
#include <math.h>
enum { VW = 1, V_REGS = 16 };
typedef float vf;
typedef int32_t vi;
typedef int vm;
static inline vf v_set(float a) { return a; }
static inline vf v_load(const float *p) { return *p; }
static inline void v_store(float *p, vf a) { *p = a; }
static inline vf v_load_part(const float *p, size_t n) { return n ? *p : 0.f; }
static inline void v_store_part(float *p, vf a, size_t n) { if (n) *p = a; }
static inline vf v_add(vf a, vf b) { return a + b; }
static inline vf v_sub(vf a, vf b) { return a - b; }
static inline vf v_mul(vf a, vf b) { return a * b; }
static inline vf v_div(vf a, vf b) { return a / b; }
static inline vf v_fma(vf a, vf b, vf c) { return a * b + c; }
static inline vf v_neg(vf a) { return -a; }
static inline vf v_abs(vf a) { return fabsf(a); }
static inline vf v_sqrt(vf a) { return sqrtf(a); }
static inline vf v_max(vf a, vf b) { return a > b ? a : b; }
static inline vf v_min(vf a, vf b) { return a < b ? a : b; }
static inline vf v_floor(vf a) { return floorf(a); }
static inline vf v_ceil(vf a) { return ceilf(a); }
static inline vf v_trunc(vf a) { return truncf(a); }
static inline vf v_round(vf a) { return nearbyintf(a); }
static inline vm v_lt(vf a, vf b) { return a < b; }
static inline vm v_le(vf a, vf b) { return a <= b; }
static inline vm v_gt(vf a, vf b) { return a > b; }
static inline vm v_ge(vf a, vf b) { return a >= b; }
static inline vm v_eq(vf a, vf b) { return a == b; }
static inline vf v_select(vm m, vf a, vf b) { return m ? a : b; }
static inline float v_sum(vf a) { return a; }
static inline float v_hmax(vf a) { return a; }
static inline vi vi_set(int32_t a) { return a; }
static inline vi vi_load(const int32_t *p) { return *p; }
static inline vi vi_add(vi a, vi b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static inline vi vi_sub(vi a, vi b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
static inline vi vi_mul(vi a, vi b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
static inline vi vi_and(vi a, vi b) { return a & b; }
static inline vi vi_or(vi a, vi b) { return a | b; }
#define vi_shl(a, n) ((int32_t)((uint32_t)(a) << (n)))
#define vi_shr(a, n) ((a) >> (n))
static inline vi v_bits(vf a) { vi b; memcpy(&b, &a, 4); return b; }
static inline vf v_from_bits(vi a) { vf b; memcpy(&b, &a, 4); return b; }
static inline vi v_to_int(vf a) { return (int32_t)nearbyintf(a); }  // nearest even; in range
static inline vf v_from_int(vi a) { return (float)a; }
static inline vi vi_load_i8(const int8_t *p) { return *p; }
static inline void vi_store_i8(int8_t *p, vi a)
{
    *p = (int8_t)(a > 127 ? 127 : a < -128 ? -128 : a);
}  // saturates
typedef struct vp {
    int32_t a, b;
} vp;
static inline vp vp_load_i8(const int8_t *p) { return (vp){p[0], p[1]}; }
static inline vp vp_load_i8_part(const int8_t *p, size_t n)
{
    return (vp){n > 0 ? p[0] : 0, n > 1 ? p[1] : 0};
}
static inline vp vp_pair(const int8_t *p) { return (vp){p[0], p[1]}; }
static inline vi vi_dot(vi acc, vp a, vp b) { return acc + a.a * b.a + a.b * b.b; }
static inline int32_t vi_sum(vi a) { return a; }
static inline float f16_widen(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest < 0x400u) {  // zero or subnormal: rest * 2^-24
        const float v = (float)rest * 0x1p-24f;
        return sign ? -v : v;
    }
    return v_from_bits(
        (int32_t)(sign | (rest >= 0x7c00u ? (rest << 13) + 0x70000000u : (rest << 13) + 0x38000000u)));
}
static inline vf v_load_f16(const uint16_t *p) { return f16_widen(*p); }
static inline vf v_load_f16_part(const uint16_t *p, size_t n) { return n ? f16_widen(*p) : 0.f; }
static inline vf v_load_bf16(const uint16_t *p) { return v_from_bits((int32_t)((uint32_t)*p << 16)); }
static inline vf v_load_bf16_part(const uint16_t *p, size_t n) { return n ? v_load_bf16(p) : 0.f; }
static inline uint16_t f16_narrow(float f)
{
    const uint32_t b = (uint32_t)v_bits(f), sign = b >> 16 & 0x8000u, a = b & 0x7fffffffu;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
    if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);  // rounds to more than 65504
    if (a < 0x38800000u)  // subnormal: count of 2^-24, by the rounding of a float addition
        return (uint16_t)(sign | ((uint32_t)v_bits(v_from_bits((int32_t)a) + 0.5f) - 0x3f000000u));
    return (uint16_t)(sign | (((a + 0xfffu + (a >> 13 & 1)) >> 13) - 0x1c000u));
}
static inline void v_store_f16(uint16_t *p, vf a) { *p = f16_narrow(a); }
