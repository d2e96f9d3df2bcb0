// SPDX-License-Identifier: BSD-3-Clause
// depthwise.kern.c - a sum over taps for each channel by itself, of struct ebb_gemm: b is a row of n factors for each
// tap. Rule: a factor is loaded once for several pixels, a column that neighbours share once for all of them; no
// pixel is read behind its last channel.
#include "kernel.h"
#include "vec/gemm_tile.h"

enum { WIDE = V_REGS > 16 ? 2 : 1, ROWS = 4, MOST_SLIDE = 5 };
typedef enum kind { F32, F16, I8 } kind;

// 8-bit values and their sums are integers in the same registers.
INLINE vf factor(kind type, const void *b, ptrdiff_t i)
{
    if (type == I8) return v_from_bits(vi_load_i8((const int8_t *)b + i));
    return type == F16 ? v_load_f16((const uint16_t *)b + i) : v_load((const float *)b + i);
}

INLINE vf value(kind type, const void *x, ptrdiff_t i, bool part, size_t n)
{
    if (type != I8) return part ? v_load_part((const float *)x + i, n) : v_load((const float *)x + i);
    if (!part) return v_from_bits(vi_load_i8((const int8_t *)x + i));
    int8_t t[VW] = {0};
    memcpy(t, (const int8_t *)x + i, n);
    return v_from_bits(vi_load_i8(t));
}

INLINE vf add_product(kind type, vf x, vf w, vf sum)
{
    if (type == I8) return v_from_bits(vi_add(v_bits(sum), vi_mul(v_bits(x), v_bits(w))));
    return v_fma(x, w, sum);
}

// Taps one by one, wherever their pixels lie.
INLINE void each_tap(kind type, const gemm *g, const panel *p, int row, vf acc[GEMM_ROWS][GEMM_NV], int R,
                     int V, bool part)
{
    vf w[GEMM_NV];
    const void *const *at = g->a + row;
    for (int t = 0; t < g->taps; t++, at += g->a_row) {
        const ptrdiff_t b = (g->tap ? g->tap[t] : t) * p->ld + p->col;
        UNROLL for (int v = 0; v < V; v++) w[v] = factor(type, p->b, b + v * VW);
        UNROLL for (int r = 0; r < R; r++) UNROLL for (int v = 0; v < V; v++) acc[r][v] =
            add_product(type, value(type, at[r], p->col + v * VW, part, p->tail), w[v], acc[r][v]);
    }
}

// Rows of `slide` taps over pixels side by side: pixel r reads columns r to r + slide - 1.
INLINE void each_row(kind type, const gemm *g, const panel *p, int row, vf acc[GEMM_ROWS][GEMM_NV], int R,
                     int V, bool part, int slide)
{
    vf x[ROWS + MOST_SLIDE - 1][GEMM_NV];
    const void *const *at = g->a + row;
    ptrdiff_t b = p->col;
    for (int t = 0; t < g->taps; t += slide) {
        const void *const *last = at + (slide - 1) * g->a_row;
        UNROLL for (int j = 0; j < R + slide - 1; j++)
            UNROLL for (int v = 0; v < V; v++)
                x[j][v] = value(type, j < R ? at[j] : last[j - slide + 1], p->col + v * VW, part, p->tail);
        UNROLL for (int k = 0; k < slide; k++, b += p->ld)
            UNROLL for (int v = 0; v < V; v++) {
                const vf w = factor(type, p->b, b + v * VW);
                UNROLL for (int r = 0; r < R; r++) acc[r][v] = add_product(type, x[r + k][v], w, acc[r][v]);
            }
        at = last + g->a_row;
    }
}

INLINE void tile(kind type, const gemm *g, const panel *p, int row, int R, int V, bool part, int slide)
{
    vf acc[GEMM_ROWS][GEMM_NV];
    wide_rows wide;
    UNROLL for (int v = 0; v < V; v++)
        acc[0][v] = type != I8 && g->bias ? columns(g->bias + p->col, p->tail, v, V) : v_set(0.f);
    UNROLL for (int r = 1; r < R; r++)
        UNROLL for (int v = 0; v < V; v++) acc[r][v] = acc[0][v];
    if (slide) {
        each_row(type, g, p, row, acc, R, V, part, slide);
    } else {
        each_tap(type, g, p, row, acc, R, V, part);
    }
    float *const *to = tile_rows(g, &wide, row);
    if (type == I8) {
        vi sum[GEMM_ROWS][GEMM_NV];
        UNROLL for (int r = 0; r < R; r++)
            UNROLL for (int v = 0; v < V; v++) sum[r][v] = v_bits(acc[r][v]);
        put_sums(g, p, to, sum, R, V);
    } else {
        put(p, to, acc, R, V);
    }
    if (p->unfinished) finish(g, p, row, R, to);
}

// All channels of R pixels. All vectors are full: the last one overlaps what stands before it. Only fewer channels than
// a vector make a part.
INLINE void across(kind type, const gemm *g, panel *p, int row, int R, int slide)
{
    const int n = g->n;
    const ptrdiff_t c_offset = p->c_offset;
    if (n < VW) tile(type, g, p, row, R, 1, true, slide);
    for (int col = 0; n >= VW && col < n; col += p->vecs * VW) {
        p->vecs = n - col >= WIDE * VW ? WIDE : 1;
        p->col = n - col < VW ? n - VW : col;
        p->c_offset = g->narrow ? 0 : c_offset + p->col;
        if (WIDE > 1 && p->vecs == WIDE) {
            tile(type, g, p, row, R, WIDE, false, slide);
        } else {
            tile(type, g, p, row, R, 1, false, slide);
        }
    }
    p->c_offset = c_offset;
}

typedef void across_fn(const gemm *g, panel *p, int row);
typedef struct across_fns {
    across_fn *plain, *three, *five, *one;
} across_fns;
#define ACROSS(name, type)                                                                                   \
    static void name##_plain(const gemm *g, panel *p, int row) { across(type, g, p, row, ROWS, 0); }         \
    static void name##_three(const gemm *g, panel *p, int row) { across(type, g, p, row, ROWS, 3); }         \
    static void name##_five(const gemm *g, panel *p, int row) { across(type, g, p, row, ROWS, 5); }          \
    static void name##_one(const gemm *g, panel *p, int row) { across(type, g, p, row, 1, 0); }              \
    static const across_fns name##_fns = {name##_plain, name##_three, name##_five, name##_one};
ACROSS(f32, F32)
ACROSS(f16, F16)
ACROSS(i8, I8)

// The pixels of a block, in runs that lie side by side where columns are shared. The last pixels of a run overlap what
// stands before them, where there are enough.
static void run(const gemm *g, const across_fns *f)
{
    panel p = {.b = g->b, .ld = g->n, .vecs = 1, .tail = g->n < VW ? (size_t)g->n : VW};
    panel_output(&p, g);
    across_fn *const several = g->slide == 3 ? f->three : g->slide == 5 ? f->five : f->plain;
    int row = 0;
    for (int end = g->slide ? g->run0 : g->m; row < g->m; end = row + g->run) {
        if (end > g->m) end = g->m;
        const bool enough = end - row >= ROWS;
        for (; row + ROWS <= end; row += ROWS) several(g, &p, row);
        if (enough && row < end) several(g, &p, end - ROWS);
        for (; !enough && row < end; row++) f->one(g, &p, row);
        row = end;
    }
}

void EBB_K(depthwise_f32)(const struct ebb_gemm *g) { run(g, &f32_fns); }
void EBB_K(depthwise_f16)(const struct ebb_gemm *g) { run(g, &f16_fns); }
void EBB_K(depthwise_i8)(const struct ebb_gemm *g) { run(g, &i8_fns); }
