// SPDX-License-Identifier: BSD-3-Clause
// depthwise.kern.c - a sum over taps for each channel by itself, of struct ebb_gemm: b is a row of n factors for each
// tap. Rule: a factor is loaded once for several pixels; no pixel is read behind its last channel.
#include "kernel.h"
#include "vec/gemm_tile.h"

enum { ROWS = 4 };
typedef enum kind { F32, F16, I8 } kind;

INLINE vf factor(kind type, const void *b, ptrdiff_t i)
{
    return type == F16 ? v_load_f16((const uint16_t *)b + i) : v_load((const float *)b + i);
}

INLINE vi load_part(const int8_t *p, size_t n)
{
    int8_t t[VW] = {0};
    memcpy(t, p, n);
    return vi_load_i8(t);
}

INLINE void tile_f(kind type, const gemm *g, const panel *p, int row, float *const *to, int R, int V, bool part)
{
    vf acc[GEMM_ROWS][GEMM_NV], w[GEMM_NV];
    UNROLL for (int v = 0; v < V; v++) w[v] = g->bias ? columns(g->bias + p->col, p->tail, v, V) : v_set(0.f);
    UNROLL for (int r = 0; r < R; r++)
        UNROLL for (int v = 0; v < V; v++) acc[r][v] = w[v];
    const void *const *at = g->a + row;
    for (int t = 0; t < g->taps; t++, at += g->a_row) {
        const ptrdiff_t b = (g->tap ? g->tap[t] : t) * p->ld + p->col;
        UNROLL for (int v = 0; v < V; v++) w[v] = factor(type, p->b, b + v * VW);
        UNROLL for (int r = 0; r < R; r++) {
            const float *x = (const float *)at[r] + p->col;
            UNROLL for (int v = 0; v < V; v++)
                acc[r][v] = v_fma(part ? v_load_part(x, p->tail) : v_load(x + v * VW), w[v], acc[r][v]);
        }
    }
    put(p, to, acc, R, V);
}

INLINE void tile_i(kind type, const gemm *g, const panel *p, int row, float *const *to, int R, int V, bool part)
{
    (void)type;
    vi sum[GEMM_ROWS][GEMM_NV], w[GEMM_NV];
    UNROLL for (int r = 0; r < R; r++)
        UNROLL for (int v = 0; v < V; v++) sum[r][v] = vi_set(0);
    const void *const *at = g->a + row;
    for (int t = 0; t < g->taps; t++, at += g->a_row) {
        const int8_t *b = (const int8_t *)p->b + (g->tap ? g->tap[t] : t) * p->ld + p->col;
        UNROLL for (int v = 0; v < V; v++) w[v] = vi_load_i8(b + v * VW);
        UNROLL for (int r = 0; r < R; r++) {
            const int8_t *x = (const int8_t *)at[r] + p->col;
            UNROLL for (int v = 0; v < V; v++) {
                const vi q = part ? load_part(x, p->tail) : vi_load_i8(x + v * VW);
                sum[r][v] = vi_add(sum[r][v], vi_mul(q, w[v]));
            }
        }
    }
    put_sums(g, p, to, sum, R, V);
}

#define PANEL(name, tile, type, V, part)                                                                     \
    static void name(const gemm *g, const panel *p)                                                          \
    {                                                                                                        \
        wide_rows wide;                                                                                      \
        int row = 0;                                                                                         \
        for (; row + ROWS <= g->m; row += ROWS) {                                                            \
            float *const *to = tile_rows(g, &wide, row);                                                     \
            tile(type, g, p, row, to, ROWS, V, part);                                                        \
            finish(g, p, row, ROWS, to);                                                                     \
        }                                                                                                    \
        for (; row < g->m; row++) {                                                                          \
            float *const *to = tile_rows(g, &wide, row);                                                     \
            tile(type, g, p, row, to, 1, V, part);                                                           \
            finish(g, p, row, 1, to);                                                                        \
        }                                                                                                    \
    }
#define PANELS(name, tile, type)                                                                             \
    PANEL(name##_part, tile, type, 1, true)                                                                  \
    PANEL(name##_1, tile, type, 1, false)                                                                    \
    PANEL(name##_all, tile, type, GEMM_NV, false)
PANELS(f32, tile_f, F32)
PANELS(f16, tile_f, F16)
PANELS(i8, tile_i, I8)

// All vectors are full: the last one overlaps what stands before it. Only fewer channels than a vector make a part.
typedef void panel_fn(const gemm *g, const panel *p);
INLINE void run(const gemm *g, panel_fn *part, panel_fn *one, panel_fn *all)
{
    const int n = g->n;
    for (int col = 0; col < n;) {
        const int V = n - col >= GEMM_NV * VW ? GEMM_NV : 1, end = col + V * VW;
        panel p = {.b = g->b, .ld = n, .vecs = V, .tail = n < VW ? (size_t)n : VW};
        p.col = end <= n ? col : n < VW ? 0 : n - VW;
        panel_output(&p, g);
        (n < VW ? part : V == 1 ? one : all)(g, &p);
        col = end;
    }
}

void EBB_K(depthwise_f32)(const struct ebb_gemm *g) { run(g, f32_part, f32_1, f32_all); }
void EBB_K(depthwise_f16)(const struct ebb_gemm *g) { run(g, f16_part, f16_1, f16_all); }
void EBB_K(depthwise_i8)(const struct ebb_gemm *g) { run(g, i8_part, i8_1, i8_all); }
