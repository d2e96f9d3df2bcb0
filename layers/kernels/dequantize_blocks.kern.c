// SPDX-License-Identifier: BSD-3-Clause
// dequantize_blocks.kern.c - signed numbers of 4, 6 or 8 bits, packed low bits first, to floats. Rule: no byte behind
// the last number is read.
#include "kernel.h"
#include "vec/vec.h"

enum { MOST = 128 };

static inline int8_t extend(unsigned v, unsigned sign) { return (int8_t)((int)(v ^ sign) - (int)sign); }

static void four(int8_t *t, const uint8_t *q, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        t[2 * i] = extend(q[i] & 15u, 8);
        t[2 * i + 1] = extend((unsigned)q[i] >> 4, 8);
    }
    if (n % 2) t[n - 1] = extend(q[n / 2] & 15u, 8);
}

static void six(int8_t *t, const uint8_t *q, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t bit = 6 * i, shift = bit % 8;
        unsigned v = q[bit / 8];
        if (shift > 2) v |= (unsigned)q[bit / 8 + 1] << 8;
        t[i] = extend(v >> shift & 63u, 32);
    }
}

// y[i] = number i * factor[i / block] * input[i]; at most 128 numbers; input may be NULL.
void EBB_K(dequantize_blocks_f32)(float *y, const uint8_t *q, size_t n, int bits, const float *factor, int block,
                       const float *input)
{
    int8_t t[MOST];
    if (bits == 4) four(t, q, n);
    if (bits == 6) six(t, q, n);
    if (bits == 8) memcpy(t, q, n);
    for (size_t from = 0; from < n; from += (size_t)block, factor++) {
        const size_t end = n - from < (size_t)block ? n : from + (size_t)block;
        size_t i = from;
        for (; i + VW <= end; i += VW) v_store(y + i, v_mul(v_from_int(vi_load_i8(t + i)), v_set(*factor)));
        for (; i < end; i++) y[i] = (float)t[i] * *factor;
    }
    for (size_t i = 0; input && i < n; i++) y[i] *= input[i];
}
