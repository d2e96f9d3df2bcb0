// SPDX-License-Identifier: BSD-3-Clause
// gather.kern.c - elements that stand apart, side by side. Rule: the steps of images have loops of their own, which
// compilers turn into shuffles.
#include "kernel.h"
#include <string.h>

void EBB_K(gather_f32)(float *restrict to, const float *restrict from, ptrdiff_t step, size_t n)
{
    if (step == 1) {
        memcpy(to, from, n * sizeof *to);
    } else if (step == 2) {
        for (size_t i = 0; i < n; i++) to[i] = from[i * 2];
    } else {
        for (size_t i = 0; i < n; i++) to[i] = from[(ptrdiff_t)i * step];
    }
}
