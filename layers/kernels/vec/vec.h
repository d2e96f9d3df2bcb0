// SPDX-License-Identifier: BSD-3-Clause
// vec.h - the vector operations kernels are written in; one header per instruction set.
//
// vf: VW floats; vi: VW 32-bit integers; vm: a mask per lane. The _part forms touch the first n < VW elements
// only and load zeros into the others. v_max and v_min give the second operand when either is NaN (NEON:
// NaN), so v_max(bound, x) keeps a NaN x. v_fma(a, b, c) = a * b + c. vp: 2 * VW small integers;
// vp_pair repeats two bytes; vi_dot(acc, a, b) adds, per lane, a[2i] * b[2i] + a[2i+1] * b[2i+1]. V_REGS: vector
// registers there are. v_fma_lane(a, b, lane, c) = a * b[lane] + c, where it is defined.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(EBB_VEC_AVX512)
#include "vec_avx512.h"
#elif defined(EBB_VEC_AVX2)
#include "vec_avx2.h"
#elif defined(EBB_VEC_NEON)
#include "vec_neon.h"
#else
#include "vec_scalar.h"
#endif
