// SPDX-License-Identifier: BSD-3-Clause
// kernels.h - one const table of kernels per instruction set.
#pragma once
#include "ops.h"
#include <stddef.h>
#include <stdint.h>

struct ebb_kernels {
    const char *isa;  // "scalar", "avx2", "avx512", "neon"
    int width;        // floats in a vector
#define KERNEL(name, args) void (*name) args;
#include "kernel_list.h"
#undef KERNEL
};
