// SPDX-License-Identifier: BSD-3-Clause
// gemm_size.h - the tile of the gemm kernels: rows times vectors of accumulators that fill the registers.
#pragma once

#define GEMM_ROWS 6
#if defined(EBB_VEC_AVX512) || (defined(EBB_VEC_NEON) && defined(__aarch64__))
#define GEMM_NV 4  // of 32 registers
#else
#define GEMM_NV 2
#endif
