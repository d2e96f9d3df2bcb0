// SPDX-License-Identifier: BSD-3-Clause
// gemm.kern.c - gathered rows times packed panels. Rule: an accumulator stays in its register from the first
// product to the last, and a panel is used for all rows before the next one.
#include "kernel.h"
#include "vec/gemm_tile.h"

INLINE vf b_at(int half, const char *q, int v)
{
    return half ? v_load_f16((const uint16_t *)q + v * VW) : v_load((const float *)q + v * VW);
}

// VW products at a time, from rows of A that are loaded as vectors. Returns how many are left.
#if defined(v_fma_lane)
#define LANE(l)                                                                                              \
    UNROLL for (int v = 0; v < V; v += 2) {                                                                  \
        const vf b0 = b_at(half, *q, v), b1 = v + 1 < V ? b_at(half, *q, v + 1) : b0;                        \
        UNROLL for (int r = 0; r < R; r++) {                                                                 \
            acc[r][v] = v_fma_lane(b0, x[r], l, acc[r][v]);                                                  \
            if (v + 1 < V) acc[r][v + 1] = v_fma_lane(b1, x[r], l, acc[r][v + 1]);                           \
        }                                                                                                    \
    }                                                                                                        \
    *q += ld;
INLINE int by_lanes(int half, int n, const char **a, const char **q, ptrdiff_t ld, vf acc[GEMM_ROWS][GEMM_NV], int R, int V)
{
    ptrdiff_t i = 0;
    for (; n >= VW; n -= VW, i += VW * (ptrdiff_t)sizeof(float)) {
        vf x[GEMM_ROWS];
        UNROLL for (int r = 0; r < R; r++) x[r] = v_load((const float *)(a[r] + i));
        LANE(0) LANE(1) LANE(2) LANE(3)
    }
    UNROLL for (int r = 0; r < R; r++) a[r] += i;
    return n;
}
#else
#define by_lanes(half, n, ...) (n)
#endif

INLINE void tile_f(int half, const gemm *g, const panel *p, int row, float *const *to, int R, int V)
{
    vf acc[GEMM_ROWS][GEMM_NV], b[GEMM_NV];
    const char *a[GEMM_ROWS];
    if (g->add) {
        UNROLL for (int r = 0; r < R; r++)
            UNROLL for (int v = 0; v < V; v++) acc[r][v] = columns(to[r] + p->c_offset, p->tail, v, V);
    } else {
        UNROLL for (int v = 0; v < V; v++) b[v] =
            g->bias ? columns(g->bias + p->col, p->tail, v, V) : v_set(0.f);
        UNROLL for (int r = 0; r < R; r++)
            UNROLL for (int v = 0; v < V; v++) acc[r][v] = b[v];
    }
    const ptrdiff_t each = half ? sizeof(uint16_t) : sizeof(float), ld = p->ld * each;
    const ptrdiff_t from = g->a_offset * (ptrdiff_t)sizeof(float),
                    step = g->a_step * (ptrdiff_t)sizeof(float);
    const void *const *at = g->a + row;
    const char *q = p->b;
    for (int t = 0; t < g->taps; t++, at += g->a_row) {
        UNROLL for (int r = 0; r < R; r++) a[r] = (const char *)at[r] + from;
        if (g->tap) q = (const char *)p->b + g->tap[t] * g->k * ld;
        int left = g->k;
        if (step == sizeof(float)) left = by_lanes(half, left, a, &q, ld, acc, R, V);
        for (; left; left--, q += ld) {
            UNROLL for (int v = 0; v < V; v++) b[v] = b_at(half, q, v);
            UNROLL for (int r = 0; r < R; r++) {
                const vf x = v_set(*(const float *)a[r]);
                a[r] += step;
                UNROLL for (int v = 0; v < V; v++) acc[r][v] = v_fma(x, b[v], acc[r][v]);
            }
        }
    }
    put(p, to, acc, R, V);
}

INLINE void tile_i(const gemm *g, const panel *p, int row, float *const *to, int R, int V)
{
    vi sum[GEMM_ROWS][GEMM_NV];
    vp b[GEMM_NV];
    const int8_t *a[GEMM_ROWS];
    UNROLL for (int r = 0; r < R; r++)
        UNROLL for (int v = 0; v < V; v++) sum[r][v] = vi_set(0);
    const ptrdiff_t ld = 2 * p->ld;
    const void *const *at = g->a + row;
    const int8_t *q = p->b;
    for (int t = 0; t < g->taps; t++, at += g->a_row) {
        UNROLL for (int r = 0; r < R; r++) a[r] = (const int8_t *)at[r] + g->a_offset;
        if (g->tap) q = (const int8_t *)p->b + g->tap[t] * ((g->k + 1) / 2) * ld;
        for (int i = 0; i < g->k; i += 2, q += ld) {
            UNROLL for (int v = 0; v < V; v++) b[v] = vp_load_i8(q + 2 * v * VW);
            UNROLL for (int r = 0; r < R; r++) {
                const vp x = vp_pair(a[r] + i);
                UNROLL for (int v = 0; v < V; v++) sum[r][v] = vi_dot(sum[r][v], x, b[v]);
            }
        }
    }
    put_sums(g, p, to, sum, R, V);
}

// A function for each height and width, so that every one has its registers to itself.
#define ARGS const gemm *g, const panel *p, int row, float *const *to
typedef void tile_fn(ARGS);
#define TILE(V, R)                                                                                           \
    static void f32_##V##x##R(ARGS) { tile_f(0, g, p, row, to, R, V); }                                      \
    static void f16_##V##x##R(ARGS) { tile_f(1, g, p, row, to, R, V); }                                      \
    static void i8_##V##x##R(ARGS) { tile_i(g, p, row, to, R, V); }
#define HEIGHTS(X, V) X(V, 1) X(V, 2) X(V, 3) X(V, 4) X(V, 5) X(V, 6)
#if GEMM_NV > 2
#define WIDTHS(X) HEIGHTS(X, 1) HEIGHTS(X, 2) HEIGHTS(X, 3) HEIGHTS(X, 4)
#else
#define WIDTHS(X) HEIGHTS(X, 1) HEIGHTS(X, 2)
#endif
WIDTHS(TILE)

#define F32(V, R) [V - 1][R - 1] = f32_##V##x##R,
#define F16(V, R) [V - 1][R - 1] = f16_##V##x##R,
#define I8(V, R)  [V - 1][R - 1] = i8_##V##x##R,
static tile_fn *const f32_tiles[GEMM_NV][GEMM_ROWS] = {WIDTHS(F32)};
static tile_fn *const f16_tiles[GEMM_NV][GEMM_ROWS] = {WIDTHS(F16)};
static tile_fn *const i8_tiles[GEMM_NV][GEMM_ROWS] = {WIDTHS(I8)};

// Panels are as wide as each other, to a vector; the last one is as long as its columns.
static panel panel_at(const gemm *g, int i, size_t each, int k)
{
    const int vecs = (g->n + VW - 1) / VW, panels = (vecs + GEMM_NV - 1) / GEMM_NV;
    const int v0 = (int)((int64_t)vecs * i / panels), v1 = (int)((int64_t)vecs * (i + 1) / panels);
    const int end = v1 * VW < g->n ? v1 * VW : g->n;
    panel p = {.col = v0 * VW, .vecs = v1 - v0, .ld = end - v0 * VW, .tail = (size_t)(end - (v1 - 1) * VW)};
    p.b = (const char *)g->b + each * (size_t)p.col * (size_t)k * (size_t)g->b_taps;
    panel_output(&p, g);
    return p;
}

static void run(const gemm *g, tile_fn *const tiles[GEMM_NV][GEMM_ROWS], size_t each, int k)
{
    wide_rows wide;
    for (int i = g->panel0; i < g->panel1; i++) {
        const panel p = panel_at(g, i, each, k);
        for (int row = 0; row < g->m; row += GEMM_ROWS) {
            const int rows = g->m - row < GEMM_ROWS ? g->m - row : GEMM_ROWS;
            float *const *to = tile_rows(g, &wide, row);
            tiles[p.vecs - 1][rows - 1](g, &p, row, to);
            if (p.unfinished) finish(g, &p, row, rows, to);
        }
    }
}

void EBB_K(gemm_f32)(const struct ebb_gemm *g) { run(g, f32_tiles, sizeof(float), g->k); }
void EBB_K(gemm_f16)(const struct ebb_gemm *g) { run(g, f16_tiles, sizeof(uint16_t), g->k); }
void EBB_K(gemm_i8)(const struct ebb_gemm *g) { run(g, i8_tiles, sizeof(int8_t), (g->k + 1) & ~1); }
