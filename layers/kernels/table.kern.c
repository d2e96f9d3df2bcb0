// SPDX-License-Identifier: BSD-3-Clause
// table.kern.c - the kernel table of one instruction set. Rule: it is const data, complete at compile time.
#include "kernel.h"
#include "vec/gemm_size.h"
#include "vec/vec.h"

#define STR2(x) #x
#define STR(x)  STR2(x)

extern const struct ebb_kernels EBB_CAT(ebb_kernels, EBB_ISA);
const struct ebb_kernels EBB_CAT(ebb_kernels, EBB_ISA) = {
    .isa = STR(EBB_ISA),
    .width = VW,
    .gemm_nv = GEMM_NV,
    .gemm_rows = GEMM_ROWS,
#define KERNEL(name, tolerance, args) .name = EBB_K(name),
#include "kernel_list.h"
#undef KERNEL
};
