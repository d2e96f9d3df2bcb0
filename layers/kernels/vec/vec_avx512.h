// SPDX-License-Identifier: BSD-3-Clause
// vec_avx512.h - 16 lanes; AVX-512 F, BW, VL, DQ.
#include <immintrin.h>
enum { VW = 16, V_REGS = 32 };
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;
static inline __mmask16 part_mask(size_t n) { return (__mmask16)((1u << n) - 1u); }
static inline vf v_set(float a) { return _mm512_set1_ps(a); }
static inline vf v_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void v_store(float *p, vf a) { _mm512_storeu_ps(p, a); }
static inline vf v_load_part(const float *p, size_t n) { return _mm512_maskz_loadu_ps(part_mask(n), p); }
static inline void v_store_part(float *p, vf a, size_t n) { _mm512_mask_storeu_ps(p, part_mask(n), a); }
static inline vf v_add(vf a, vf b) { return _mm512_add_ps(a, b); }
static inline vf v_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
static inline vf v_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vf v_div(vf a, vf b) { return _mm512_div_ps(a, b); }
static inline vf v_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline vf v_neg(vf a) { return _mm512_xor_ps(a, _mm512_set1_ps(-0.f)); }
static inline vf v_abs(vf a) { return _mm512_abs_ps(a); }
static inline vf v_sqrt(vf a) { return _mm512_sqrt_ps(a); }
static inline vf v_max(vf a, vf b) { return _mm512_max_ps(a, b); }
static inline vf v_min(vf a, vf b) { return _mm512_min_ps(a, b); }
static inline vf v_floor(vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
static inline vf v_ceil(vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
static inline vf v_trunc(vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
static inline vf v_round(vf a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vm v_lt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline vm v_le(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline vm v_gt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
static inline vm v_ge(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
static inline vm v_eq(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
static inline vf v_select(vm m, vf a, vf b) { return _mm512_mask_blend_ps(m, b, a); }
static inline float v_sum(vf a) { return _mm512_reduce_add_ps(a); }
static inline float v_hmax(vf a) { return _mm512_reduce_max_ps(a); }
static inline vi vi_set(int32_t a) { return _mm512_set1_epi32(a); }
static inline vi vi_load(const int32_t *p) { return _mm512_loadu_si512(p); }
static inline vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
static inline vi vi_sub(vi a, vi b) { return _mm512_sub_epi32(a, b); }
static inline vi vi_mul(vi a, vi b) { return _mm512_mullo_epi32(a, b); }
static inline vi vi_and(vi a, vi b) { return _mm512_and_si512(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm512_or_si512(a, b); }
#define vi_shl(a, n) _mm512_slli_epi32(a, n)
#define vi_shr(a, n) _mm512_srai_epi32(a, n)
static inline vi v_bits(vf a) { return _mm512_castps_si512(a); }
static inline vf v_from_bits(vi a) { return _mm512_castsi512_ps(a); }
static inline vi v_to_int(vf a) { return _mm512_cvtps_epi32(a); }
static inline vf v_from_int(vi a) { return _mm512_cvtepi32_ps(a); }
static inline vi vi_load_i8(const int8_t *p)
{
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
}
static inline void vi_store_i8(int8_t *p, vi a) { _mm_storeu_si128((__m128i *)p, _mm512_cvtsepi32_epi8(a)); }
typedef __m512i vp;
static inline vp vp_load_i8(const int8_t *p)
{
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p));
}
static inline vp vp_load_i8_part(const int8_t *p, size_t n)
{
    return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8((__mmask32)((1ull << n) - 1ull), p));
}
static inline vp vp_pair(const int8_t *p)
{
    int16_t t;
    memcpy(&t, p, 2);
    return _mm512_cvtepi8_epi16(_mm256_set1_epi16(t));
}
static inline vi vi_dot(vi acc, vp a, vp b) { return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b)); }
static inline int32_t vi_sum(vi a) { return _mm512_reduce_add_epi32(a); }
static inline vf v_load_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
static inline vf v_load_f16_part(const uint16_t *p, size_t n)
{
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(part_mask(n), p));
}
static inline vf v_load_bf16(const uint16_t *p)
{
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
}
static inline vf v_load_bf16_part(const uint16_t *p, size_t n)
{
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(part_mask(n), p)), 16));
}
static inline void v_store_f16(uint16_t *p, vf a)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}
