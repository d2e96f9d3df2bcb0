// SPDX-License-Identifier: BSD-3-Clause
// rotaryembed.kern.c - turns n pairs: (a, b) becomes (a cos - b sin, a sin + b cos). Rule: pairs are `apart`,
// or neighbours when that is 0; the second of a pair takes its angle `second` further on.
#include "kernel.h"
#include "vec/vec.h"

static void neighbours(float *y, const float *x, const float *cos, const float *sin, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float a = x[2 * i], b = x[2 * i + 1];
        y[2 * i] = a * cos[i] - b * sin[i];
        y[2 * i + 1] = a * sin[i] + b * cos[i];
    }
}

void EBB_K(rotary_f32)(float *y, const float *x, const float *cos, const float *sin, size_t n, int apart,
                       int second)
{
    if (apart == 0) {
        neighbours(y, x, cos, sin, n);
        return;
    }
    size_t i = 0;
    for (; i + VW <= n; i += VW) {
        const vf a = v_load(x + i), b = v_load(x + apart + i);
        v_store(y + i, v_sub(v_mul(a, v_load(cos + i)), v_mul(b, v_load(sin + i))));
        v_store(y + apart + i, v_add(v_mul(a, v_load(sin + second + i)), v_mul(b, v_load(cos + second + i))));
    }
    for (; i < n; i++) {
        const float a = x[i], b = x[apart + i];
        y[i] = a * cos[i] - b * sin[i];
        y[apart + i] = a * sin[second + i] + b * cos[second + i];
    }
}
