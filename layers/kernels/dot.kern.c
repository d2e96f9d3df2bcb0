// SPDX-License-Identifier: BSD-3-Clause
// dot.kern.c - y[j * sy + r] += x[j] . w[r]: vectors times the rows of a matrix. Rule: w is streamed once for
// four vectors, several rows at a time.
#include "kernel.h"
#include "vec/vec.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
enum { ALONE = 8, PAIR = 4, FOUR = V_REGS > 16 ? 4 : 2 };  // rows at a time for 1, 2 and 4 vectors

INLINE vf row(int half, const void *w, ptrdiff_t i)
{
    return half ? v_load_f16((const uint16_t *)w + i) : v_load((const float *)w + i);
}

INLINE vf row_part(int half, const void *w, ptrdiff_t i, size_t n)
{
    return half ? v_load_f16_part((const uint16_t *)w + i, n) : v_load_part((const float *)w + i, n);
}

INLINE void tile(int half, int R, int V, float *y, ptrdiff_t sy, const float *x, ptrdiff_t sx, const void *w,
                 ptrdiff_t sw, ptrdiff_t w0, size_t n)
{
    vf acc[4][8], a[4];
    UNROLL for (int r = 0; r < R; r++)
        UNROLL for (int v = 0; v < V; v++) acc[v][r] = v_set(0.f);
    size_t i = 0;
    for (; i + VW <= n; i += VW) {
        UNROLL for (int v = 0; v < V; v++) a[v] = v_load(x + v * sx + i);
        UNROLL for (int r = 0; r < R; r++) {
            const vf b = row(half, w, w0 + r * sw + (ptrdiff_t)i);
            UNROLL for (int v = 0; v < V; v++) acc[v][r] = v_fma(a[v], b, acc[v][r]);
        }
    }
    if (i < n) {
        UNROLL for (int v = 0; v < V; v++) a[v] = v_load_part(x + v * sx + i, n - i);
        UNROLL for (int r = 0; r < R; r++) {
            const vf b = row_part(half, w, w0 + r * sw + (ptrdiff_t)i, n - i);
            UNROLL for (int v = 0; v < V; v++) acc[v][r] = v_fma(a[v], b, acc[v][r]);
        }
    }
    UNROLL for (int v = 0; v < V; v++)
        UNROLL for (int r = 0; r < R; r++) y[v * sy + r] += v_sum(acc[v][r]);
}

INLINE void rows(int half, int R, int V, float *y, ptrdiff_t sy, const float *x, ptrdiff_t sx, const void *w,
                 ptrdiff_t sw, int nw, size_t n)
{
    int r = 0;
    for (; r + R <= nw; r += R) tile(half, R, V, y + r, sy, x, sx, w, sw, r * sw, n);
    for (; r < nw; r++) tile(half, 1, V, y + r, sy, x, sx, w, sw, r * sw, n);
}

INLINE void dot(int half, float *y, ptrdiff_t sy, const float *x, ptrdiff_t sx, int nx, const void *w,
                ptrdiff_t sw, int nw, size_t n)
{
    int j = 0;
    for (; j + 4 <= nx; j += 4) rows(half, FOUR, 4, y + j * sy, sy, x + j * sx, sx, w, sw, nw, n);
    for (; j + 2 <= nx; j += 2) rows(half, PAIR, 2, y + j * sy, sy, x + j * sx, sx, w, sw, nw, n);
    if (j < nx) rows(half, ALONE, 1, y + j * sy, sy, x + j * sx, sx, w, sw, nw, n);
}

void EBB_K(dot_f32)(float *y, ptrdiff_t sy, const float *x, ptrdiff_t sx, int nx, const float *w,
                    ptrdiff_t sw, int nw, size_t n)
{
    dot(0, y, sy, x, sx, nx, w, sw, nw, n);
}

void EBB_K(dot_f16)(float *y, ptrdiff_t sy, const float *x, ptrdiff_t sx, int nx, const uint16_t *w,
                    ptrdiff_t sw, int nw, size_t n)
{
    dot(1, y, sy, x, sx, nx, w, sw, nw, n);
}

INLINE void tile_i8(int R, int V, int32_t *y, ptrdiff_t sy, const int8_t *x, ptrdiff_t sx, const int8_t *w,
                    ptrdiff_t sw, size_t n)
{
    vi acc[4][8];
    vp a[4];
    UNROLL for (int r = 0; r < R; r++)
        UNROLL for (int v = 0; v < V; v++) acc[v][r] = vi_set(0);
    size_t i = 0;
    for (; i + 2 * VW <= n; i += 2 * VW) {
        UNROLL for (int v = 0; v < V; v++) a[v] = vp_load_i8(x + v * sx + i);
        UNROLL for (int r = 0; r < R; r++) {
            const vp b = vp_load_i8(w + r * sw + i);
            UNROLL for (int v = 0; v < V; v++) acc[v][r] = vi_dot(acc[v][r], a[v], b);
        }
    }
    if (i < n) {
        UNROLL for (int v = 0; v < V; v++) a[v] = vp_load_i8_part(x + v * sx + i, n - i);
        UNROLL for (int r = 0; r < R; r++) {
            const vp b = vp_load_i8_part(w + r * sw + i, n - i);
            UNROLL for (int v = 0; v < V; v++) acc[v][r] = vi_dot(acc[v][r], a[v], b);
        }
    }
    UNROLL for (int v = 0; v < V; v++)
        UNROLL for (int r = 0; r < R; r++) y[v * sy + r] += vi_sum(acc[v][r]);
}

INLINE void rows_i8(int R, int V, int32_t *y, ptrdiff_t sy, const int8_t *x, ptrdiff_t sx, const int8_t *w,
                    ptrdiff_t sw, int nw, size_t n)
{
    int r = 0;
    for (; r + R <= nw; r += R) tile_i8(R, V, y + r, sy, x, sx, w + r * sw, sw, n);
    for (; r < nw; r++) tile_i8(1, V, y + r, sy, x, sx, w + r * sw, sw, n);
}

void EBB_K(dot_i8)(int32_t *y, ptrdiff_t sy, const int8_t *x, ptrdiff_t sx, int nx, const int8_t *w,
                   ptrdiff_t sw, int nw, size_t n)
{
    int j = 0;
    for (; j + 4 <= nx; j += 4) rows_i8(FOUR, 4, y + j * sy, sy, x + j * sx, sx, w, sw, nw, n);
    for (; j + 2 <= nx; j += 2) rows_i8(PAIR, 2, y + j * sy, sy, x + j * sx, sx, w, sw, nw, n);
    if (j < nx) rows_i8(ALONE, 1, y + j * sy, sy, x + j * sx, sx, w, sw, nw, n);
}
