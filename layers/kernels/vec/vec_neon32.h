// SPDX-License-Identifier: BSD-3-Clause
// vec_neon32.h - the AArch64 instructions that vec_neon.h uses and 32-bit NEON (with VFPv4) lacks, by their names there.
// Rule: the same values, but for subnormal numbers, which 32-bit NEON takes for zero.
static inline float32x4_t vdivq_f32(float32x4_t a, float32x4_t b)
{
    float x[4], y[4];
    vst1q_f32(x, a);
    vst1q_f32(y, b);
    for (int i = 0; i < 4; i++) x[i] /= y[i];
    return vld1q_f32(x);
}
static inline float32x4_t vsqrtq_f32(float32x4_t a)
{
    float x[4];
    vst1q_f32(x, a);
    for (int i = 0; i < 4; i++) x[i] = __builtin_sqrtf(x[i]);
    return vld1q_f32(x);
}
// r where |a| < 2^23, with a's sign; otherwise a, which is whole already, infinite or NaN.
static inline float32x4_t whole(float32x4_t a, float32x4_t r)
{
    const uint32x4_t sign = vdupq_n_u32(0x80000000u);
    return vbslq_f32(vcltq_f32(vabsq_f32(a), vdupq_n_f32(0x1p23f)), vbslq_f32(sign, a, r), a);
}
static inline float32x4_t minus_where(uint32x4_t m, float32x4_t a, float step)
{
    return vsubq_f32(a, vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(vdupq_n_f32(step)))));
}
static inline float32x4_t vrndq_f32(float32x4_t a) { return whole(a, vcvtq_f32_s32(vcvtq_s32_f32(a))); }
static inline float32x4_t vrndmq_f32(float32x4_t a)
{
    const float32x4_t t = vrndq_f32(a);
    return whole(a, minus_where(vcgtq_f32(t, a), t, 1));
}
static inline float32x4_t vrndpq_f32(float32x4_t a)
{
    const float32x4_t t = vrndq_f32(a);
    return whole(a, minus_where(vcltq_f32(t, a), t, -1));
}
// Adding 2^23 leaves no room for a fraction.
static inline float32x4_t vrndnq_f32(float32x4_t a)
{
    const float32x4_t big = vdupq_n_f32(0x1p23f);
    return whole(a, vsubq_f32(vaddq_f32(vabsq_f32(a), big), big));
}
static inline int32x4_t vcvtnq_s32_f32(float32x4_t a) { return vcvtq_s32_f32(vrndnq_f32(a)); }
static inline float vaddvq_f32(float32x4_t a)
{
    const float32x2_t pairs = vpadd_f32(vget_low_f32(a), vget_high_f32(a));
    return vget_lane_f32(vpadd_f32(pairs, pairs), 0);
}
static inline float vmaxvq_f32(float32x4_t a)
{
    const float32x2_t pairs = vpmax_f32(vget_low_f32(a), vget_high_f32(a));
    return vget_lane_f32(vpmax_f32(pairs, pairs), 0);
}
static inline int32x4_t vpaddq_s32(int32x4_t a, int32x4_t b)
{
    return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)),
                        vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
}
static inline int32_t vaddvq_s32(int32x4_t a)
{
    const int32x2_t pairs = vpadd_s32(vget_low_s32(a), vget_high_s32(a));
    return vget_lane_s32(vpadd_s32(pairs, pairs), 0);
}
