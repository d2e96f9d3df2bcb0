// SPDX-License-Identifier: BSD-3-Clause
// vec_neon.h - 4 lanes; AArch64 NEON (ARMv8.0), and 32-bit NEON with what vec_neon32.h adds.
#include <arm_neon.h>
#if defined(__aarch64__)
enum { VW = 4, V_REGS = 32 };
#else
#include "vec_neon32.h"
enum { VW = 4, V_REGS = 16 };
#endif
typedef float32x4_t vf;
typedef int32x4_t vi;
typedef uint32x4_t vm;
static inline vf v_set(float a) { return vdupq_n_f32(a); }
static inline vf v_load(const float *p) { return vld1q_f32(p); }
static inline void v_store(float *p, vf a) { vst1q_f32(p, a); }
static inline vf v_load_part(const float *p, size_t n)
{
    float t[4] = {0};
    memcpy(t, p, n * sizeof *t);
    return vld1q_f32(t);
}
static inline void v_store_part(float *p, vf a, size_t n)
{
    float t[4];
    vst1q_f32(t, a);
    memcpy(p, t, n * sizeof *t);
}
static inline vf v_add(vf a, vf b) { return vaddq_f32(a, b); }
static inline vf v_sub(vf a, vf b) { return vsubq_f32(a, b); }
static inline vf v_mul(vf a, vf b) { return vmulq_f32(a, b); }
static inline vf v_div(vf a, vf b) { return vdivq_f32(a, b); }
static inline vf v_fma(vf a, vf b, vf c) { return vfmaq_f32(c, a, b); }
#if defined(__aarch64__)
#define v_fma_lane(a, b, lane, c) vfmaq_laneq_f32(c, a, b, lane)
#endif
static inline vf v_neg(vf a) { return vnegq_f32(a); }
static inline vf v_abs(vf a) { return vabsq_f32(a); }
static inline vf v_sqrt(vf a) { return vsqrtq_f32(a); }
static inline vf v_max(vf a, vf b) { return vmaxq_f32(a, b); }
static inline vf v_min(vf a, vf b) { return vminq_f32(a, b); }
static inline vf v_floor(vf a) { return vrndmq_f32(a); }
static inline vf v_ceil(vf a) { return vrndpq_f32(a); }
static inline vf v_trunc(vf a) { return vrndq_f32(a); }
static inline vf v_round(vf a) { return vrndnq_f32(a); }
static inline vm v_lt(vf a, vf b) { return vcltq_f32(a, b); }
static inline vm v_le(vf a, vf b) { return vcleq_f32(a, b); }
static inline vm v_gt(vf a, vf b) { return vcgtq_f32(a, b); }
static inline vm v_ge(vf a, vf b) { return vcgeq_f32(a, b); }
static inline vm v_eq(vf a, vf b) { return vceqq_f32(a, b); }
static inline vf v_select(vm m, vf a, vf b) { return vbslq_f32(m, a, b); }
static inline float v_sum(vf a) { return vaddvq_f32(a); }
static inline float v_hmax(vf a) { return vmaxvq_f32(a); }
static inline vi vi_set(int32_t a) { return vdupq_n_s32(a); }
static inline vi vi_load(const int32_t *p) { return vld1q_s32(p); }
static inline vi vi_add(vi a, vi b) { return vaddq_s32(a, b); }
static inline vi vi_sub(vi a, vi b) { return vsubq_s32(a, b); }
static inline vi vi_mul(vi a, vi b) { return vmulq_s32(a, b); }
static inline vi vi_and(vi a, vi b) { return vandq_s32(a, b); }
static inline vi vi_or(vi a, vi b) { return vorrq_s32(a, b); }
#define vi_shl(a, n) vshlq_n_s32(a, n)
#define vi_shr(a, n) vshrq_n_s32(a, n)
static inline vi v_bits(vf a) { return vreinterpretq_s32_f32(a); }
static inline vf v_from_bits(vi a) { return vreinterpretq_f32_s32(a); }
static inline vi v_to_int(vf a) { return vcvtnq_s32_f32(a); }
static inline vf v_from_int(vi a) { return vcvtq_f32_s32(a); }
static inline vi vi_load_i8(const int8_t *p)
{
    int8_t t[8] = {0};
    memcpy(t, p, 4);
    return vmovl_s16(vget_low_s16(vmovl_s8(vld1_s8(t))));
}
static inline void vi_store_i8(int8_t *p, vi a)
{
    const int16x4_t w = vqmovn_s32(a);
    int8_t t[8];
    vst1_s8(t, vqmovn_s16(vcombine_s16(w, w)));
    memcpy(p, t, 4);
}
typedef int8x8_t vp;
static inline vp vp_load_i8(const int8_t *p) { return vld1_s8(p); }
static inline vp vp_load_i8_part(const int8_t *p, size_t n)
{
    int8_t t[8] = {0};
    memcpy(t, p, n);
    return vld1_s8(t);
}
static inline vp vp_pair(const int8_t *p)
{
    int16_t t;
    memcpy(&t, p, 2);
    return vreinterpret_s8_s16(vdup_n_s16(t));
}
static inline vi vi_dot(vi acc, vp a, vp b) { return vpadalq_s16(acc, vmull_s8(a, b)); }
static inline int32_t vi_sum(vi a) { return vaddvq_s32(a); }
static inline vf v_load_f16(const uint16_t *p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
static inline vf v_load_f16_part(const uint16_t *p, size_t n)
{
    uint16_t t[4] = {0};
    memcpy(t, p, n * sizeof *t);
    return v_load_f16(t);
}
static inline vf v_load_bf16(const uint16_t *p)
{
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}
static inline vf v_load_bf16_part(const uint16_t *p, size_t n)
{
    uint16_t t[4] = {0};
    memcpy(t, p, n * sizeof *t);
    return v_load_bf16(t);
}
static inline void v_store_f16(uint16_t *p, vf a) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a))); }
