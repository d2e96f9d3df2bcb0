// SPDX-License-Identifier: BSD-3-Clause
// gemm_tile.h - what the kernels of struct ebb_gemm share: panels of columns, and how a tile of accumulators is
// written.
#pragma once
#include "activation.h"
#include "gemm_size.h"
#include "quantize.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

typedef struct ebb_gemm gemm;

// Columns that are computed together.
typedef struct panel {
    const void *b;
    ptrdiff_t ld;        // columns of B's rows
    int col, vecs;       // first column; vectors
    size_t tail;         // columns in the last vector
    ptrdiff_t c_offset;  // elements to add to the rows that tiles write
    bool bounded;        // the activation is a pair of bounds
    float lo, hi;
    bool unfinished;     // tiles leave something to do
} panel;

static inline void panel_output(panel *p, const gemm *g)
{
    p->c_offset = g->narrow ? 0 : g->c_offset + p->col;
    p->bounded = g->act == 1 || g->act == 3;
    p->lo = g->act == 1 ? 0.f : g->act_a;
    p->hi = g->act == 1 ? INFINITY : g->act_b;
    p->unfinished = g->narrow || (g->act && !p->bounded);
}

INLINE vf columns(const float *p, size_t tail, int v, int V)
{
    return v == V - 1 ? v_load_part(p + v * VW, tail) : v_load(p + v * VW);
}

// Writes R rows of V vectors.
INLINE void put(const panel *p, float *const *to, vf y[GEMM_ROWS][GEMM_NV], int R, int V)
{
    float *c[GEMM_ROWS];
    const size_t tail = p->tail;
    UNROLL for (int r = 0; r < R; r++) c[r] = to[r] + p->c_offset;
    if (p->bounded) {
        const vf lo = v_set(p->lo), hi = v_set(p->hi);
        UNROLL for (int r = 0; r < R; r++)
            UNROLL for (int v = 0; v < V; v++) y[r][v] = v_clamp(y[r][v], lo, hi);
    }
    UNROLL for (int r = 0; r < R; r++)
        UNROLL for (int v = 0; v < V - 1; v++) v_store(c[r] + v * VW, y[r][v]);
    if (tail == VW) {
        UNROLL for (int r = 0; r < R; r++) v_store(c[r] + (V - 1) * VW, y[r][V - 1]);
    } else {
        UNROLL for (int r = 0; r < R; r++) v_store_part(c[r] + (V - 1) * VW, y[r][V - 1], tail);
    }
}

// The same for 8-bit products: sums, scaled, and the bias. Not fused: each rounding is one of the reference's, for the
// next layer quantises the result, and a number that falls the other way there makes a whole step.
INLINE void put_sums(const gemm *g, const panel *p, float *const *to, vi sum[GEMM_ROWS][GEMM_NV], int R,
                     int V)
{
    vf y[GEMM_ROWS][GEMM_NV];
    UNROLL for (int v = 0; v < V; v++) {
        const vf scale = columns(g->scale + p->col, p->tail, v, V);
        const vf bias = g->bias ? columns(g->bias + p->col, p->tail, v, V) : v_set(0.f);
        UNROLL for (int r = 0; r < R; r++) y[r][v] = v_add(v_mul(v_from_int(sum[r][v]), scale), bias);
    }
    put(p, to, y, R, V);
}

// Where tiles write: c itself, or rows that the step to 8 bits reads.
typedef struct wide_rows {
    float row[GEMM_ROWS][GEMM_NV * VW], *at[GEMM_ROWS];
} wide_rows;

static inline float *const *tile_rows(const gemm *g, wide_rows *w, int row)
{
    if (!g->narrow) return (float *const *)g->c + row;
    for (int r = 0; r < GEMM_ROWS; r++) w->at[r] = w->row[r];
    return w->at;
}

// What tiles leave to do: activations other than bounds, and the step to 8 bits.
static __attribute__((noinline)) void finish(const gemm *g, const panel *p, int row, int rows,
                                             float *const *from)
{
    const vf a = v_set(g->act_a), b = v_set(g->act_b), scale = v_set(g->narrow_scale);
    const int n = (p->vecs - 1) * VW + (int)p->tail, act = p->bounded ? 0 : g->act;
    for (int r = 0; r < rows; r++) {
        float *y = from[r] + p->c_offset;
        for (int i = 0; i < n; i += VW) {
            const size_t part = (size_t)(n - i < VW ? n - i : VW);
            const vf x = v_activate(v_load_part(y + i, part), act, a, b);
            if (g->narrow) {
                int8_t q[VW];
                vi_store_i8(q, v_quantize(v_mul(x, scale)));
                memcpy((int8_t *)g->c[row + r] + g->c_offset + p->col + i, q, part);
            } else {
                v_store_part(y + i, x, part);
            }
        }
    }
}
