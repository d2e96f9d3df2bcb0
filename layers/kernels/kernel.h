// SPDX-License-Identifier: BSD-3-Clause
// kernel.h - included first by every *.kern.c. EBB_ISA comes from the build.
#pragma once
#include "kernels.h"
#define EBB_CAT2(a, b) a##_##b
#define EBB_CAT(a, b)  EBB_CAT2(a, b)
#define EBB_K(name)    EBB_CAT(ebb_##name, EBB_ISA)  // relu_f32 -> ebb_relu_f32_avx2
#define KERNEL(name, tolerance, args) void EBB_K(name) args;
#include "kernel_list.h"
#undef KERNEL
