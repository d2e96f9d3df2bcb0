// SPDX-License-Identifier: BSD-3-Clause
// order.c - copies between orders, shapes and dtypes. Rule: element i in c, h, w order goes to element i in
// c, h, w order; how both sides lie in memory only decides the way.
#include "order.h"
#include "threads.h"
#include <limits.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- numbers

static uint32_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

float ebb_f16_to_f32(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = (uint32_t)(h & 0x7fffu) << 13;
    if (rest >= 0x7c00u << 13) return from_bits(sign | rest | 0x7f800000u);                 // infinity, NaN
    if (rest >= 0x0400u << 13) return from_bits(sign | (rest + ((127u - 15u) << 23)));      // normal
    return from_bits(sign | bits(from_bits(rest + (113u << 23)) - from_bits(113u << 23)));  // below 2^-14
}

uint16_t ebb_f32_to_f16(float f)
{
    const uint32_t sign = bits(f) >> 16 & 0x8000u, rest = bits(f) & 0x7fffffffu;
    if (rest > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | (rest >> 13 & 0x3ffu));
    if (rest >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);  // rounds past 65504
    if (rest < 113u << 23)  // the sum's last bit stands for 2^-24, and it rounds
        return (uint16_t)(sign | (bits(from_bits(rest) + 0.5f) - bits(0.5f)));
    return (uint16_t)(sign | ((rest - ((127u - 15u) << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13));
}

float ebb_bf16_to_f32(uint16_t h) { return from_bits((uint32_t)h << 16); }

uint16_t ebb_f32_to_bf16(float f)
{
    const uint32_t u = bits(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(u >> 16 | 0x40u);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

static bool is_float(ebb_dtype t) { return t == EBB_F32 || t == EBB_F16 || t == EBB_BF16; }

bool ebb_order_can_convert(ebb_dtype to, ebb_dtype from)
{
    return to == from || (is_float(to) && is_float(from));
}

// ------------------------------------------------------------------------------------------- runs

// n elements: y[i * sy] = x[i * sx].
typedef void run_fn(void *to, ptrdiff_t sy, const void *from, ptrdiff_t sx, size_t n);

#define RUN(name, to_type, from_type, expr)                                                                  \
    static void name(void *to, ptrdiff_t sy, const void *from, ptrdiff_t sx, size_t n)                       \
    {                                                                                                        \
        to_type *restrict y = to;                                                                            \
        const from_type *restrict x = from;                                                                  \
        if (sy == 1 && sx == 1)                                                                              \
            for (size_t i = 0; i < n; i++) y[i] = expr(x[i]);                                                \
        else if (sy == 1)                                                                                    \
            for (size_t i = 0; i < n; i++) y[i] = expr(x[(ptrdiff_t)i * sx]);                                \
        else                                                                                                 \
            for (size_t i = 0; i < n; i++) y[(ptrdiff_t)i * sy] = expr(x[(ptrdiff_t)i * sx]);                \
    }
#define SAME(x)     (x)
#define F16_BF16(x) ebb_f32_to_bf16(ebb_f16_to_f32(x))
#define BF16_F16(x) ebb_f32_to_f16(ebb_bf16_to_f32(x))
typedef uint16_t __attribute__((may_alias)) cell16;
typedef uint32_t __attribute__((may_alias)) cell32;
RUN(run_8, uint8_t, uint8_t, SAME)
RUN(run_16, cell16, cell16, SAME)
RUN(run_32, cell32, cell32, SAME)
RUN(f16_f32, float, uint16_t, ebb_f16_to_f32)
RUN(bf16_f32, float, uint16_t, ebb_bf16_to_f32)
RUN(f32_f16, uint16_t, float, ebb_f32_to_f16)
RUN(f32_bf16, uint16_t, float, ebb_f32_to_bf16)
RUN(f16_bf16, uint16_t, uint16_t, F16_BF16)
RUN(bf16_f16, uint16_t, uint16_t, BF16_F16)

static run_fn *run_for(ebb_dtype to, ebb_dtype from)
{
    static run_fn *const convert[][3] = {
        [EBB_F32] = {run_32, f16_f32, bf16_f32},
        [EBB_F16] = {f32_f16, run_16, bf16_f16},
        [EBB_BF16] = {f32_bf16, f16_bf16, run_16},
    };
    if (to == EBB_I8) return run_8;
    return to == EBB_I32 ? run_32 : convert[to][from];
}

// ------------------------------------------------------------------------------------------- one shape

// Both sides as one shape of at most EBB_MAX_RANK axes, such that a step along any axis is a step on both
// sides. False when the axes do not nest (4x6 to 3x8), or when it takes more axes.
static bool refine(const ebb_desc *to, const ebb_desc *from, ebb_desc *y, ebb_desc *x)
{
    int dim[EBB_MAX_RANK], n = 0;  // innermost first
    ptrdiff_t sy[EBB_MAX_RANK], sx[EBB_MAX_RANK];
    int i = to->rank, j = from->rank, a = 1, b = 1;  // what is left of the current axes
    ptrdiff_t step_y = 0, step_x = 0;
    for (;;) {
        while (a == 1 && i > 0) a = to->dim[--i], step_y = to->stride[i];
        while (b == 1 && j > 0) b = from->dim[--j], step_x = from->stride[j];
        if (a == 1 && b == 1) break;
        const int part = a < b ? a : b;
        if (a % part || b % part) return false;
        if (n && step_y == ebb_stride_mul(sy[n - 1], dim[n - 1]) &&
            step_x == ebb_stride_mul(sx[n - 1], dim[n - 1]) && dim[n - 1] <= INT_MAX / part) {
            dim[n - 1] *= part;  // fits: just looked
        } else {
            if (n == EBB_MAX_RANK) return false;
            dim[n] = part, sy[n] = step_y, sx[n] = step_x, n++;
        }
        a /= part, b /= part;
        step_y = ebb_stride_mul(step_y, part), step_x = ebb_stride_mul(step_x, part);
    }
    y->rank = x->rank = n;
    for (int k = 0; k < n; k++) {
        y->dim[k] = x->dim[k] = dim[n - 1 - k];
        y->stride[k] = sy[n - 1 - k], x->stride[k] = sx[n - 1 - k];
    }
    return true;
}

// Elements: a tile's row is a cache line of f32; an item is worth a thread's trip.
enum { TILE = 16, SHORT = 8, ITEM = 16384 };

typedef struct copy {
    run_fn *run;
    char *y;
    const char *x;
    size_t y_bytes, x_bytes;  // of an element
    ebb_loop loop;
    int row;            // the axis walked together with the innermost one, -1: none
    int rows, columns;  // of an item
    size_t row_items, column_items;
    int tile;                   // columns copied before the next row's
    const ebb_desc *to, *from;  // of a copy that does not refine
    size_t count;
} copy;

static int at_most(int n, int limit) { return n < limit ? n : limit; }
static int ceil_div(int n, int by) { return n / by + (n % by != 0); }

static void swap_axes(ebb_loop *l, int a, int b)
{
    const int dim = l->dim[a];
    l->dim[a] = l->dim[b], l->dim[b] = dim;
    for (int side = 0; side < 2; side++) {
        const ptrdiff_t s = l->stride[side][a];
        l->stride[side][a] = l->stride[side][b], l->stride[side][b] = s;
    }
}

// The axis that is walked in tiles together with the innermost one, else -1: the one along which the source
// runs, or the next one where the innermost is so short that calls would cost more than the copy.
static int across_axis(const ebb_loop *l)
{
    const int inner = l->rank - 1;
    for (int i = 0; i < inner && l->stride[1][inner] != 1; i++)
        if (l->stride[1][i] == 1) return i;
    return l->dim[inner] < SHORT ? inner - 1 : -1;
}

// Whole rows of the innermost axis, or tiles over two axes with the shorter one outside when it is very short
// (a picture's channels).
static void divide(copy *c)
{
    ebb_loop *l = &c->loop;
    const int inner = l->rank - 1, across = across_axis(l);
    c->row = across < 0 ? inner - 1 : across;
    if (across >= 0 && l->dim[inner] < TILE && l->dim[inner] < l->dim[across]) swap_axes(l, inner, across);
    if (across >= 0) {
        c->rows = at_most(l->dim[across], TILE);
        c->tile = TILE * TILE / c->rows;
        c->columns = at_most(l->dim[inner], ITEM / c->rows);
    } else {
        c->tile = c->columns = at_most(l->dim[inner], ITEM);
        c->rows = ITEM / c->columns;
    }
    c->column_items = (size_t)ceil_div(l->dim[inner], c->columns);
    c->row_items = c->row < 0 ? 1 : (size_t)ceil_div(l->dim[c->row], c->rows);
}

// Offsets of the first element of item i, whose axes but `row` and the innermost stand at one place.
static void item_at(const copy *c, size_t i, ptrdiff_t *y, ptrdiff_t *x)
{
    const ebb_loop *l = &c->loop;
    *y = *x = 0;
    for (int axis = l->rank - 2; axis >= 0; axis--) {
        if (axis == c->row) continue;
        const ptrdiff_t at = (ptrdiff_t)(i % (size_t)l->dim[axis]);
        i /= (size_t)l->dim[axis];
        *y += at * l->stride[0][axis];
        *x += at * l->stride[1][axis];
    }
}

static void item(void *ctx, size_t i, int worker)
{
    (void)worker;
    const copy *c = ctx;
    const ebb_loop *l = &c->loop;
    const int inner = l->rank - 1, column = (int)(i % c->column_items) * c->columns;
    const int row = (int)(i / c->column_items % c->row_items) * c->rows;
    const int columns = at_most(l->dim[inner] - column, c->columns);
    const int rows = c->row < 0 ? 1 : at_most(l->dim[c->row] - row, c->rows);
    const ptrdiff_t row_y = c->row < 0 ? 0 : l->stride[0][c->row],
                    row_x = c->row < 0 ? 0 : l->stride[1][c->row];
    const ptrdiff_t step_y = l->stride[0][inner], step_x = l->stride[1][inner];
    ptrdiff_t y, x;
    item_at(c, i / c->column_items / c->row_items, &y, &x);
    y += row * row_y, x += row * row_x;
    for (int from = 0; from < columns; from += c->tile) {
        const int n = at_most(columns - from, c->tile);
        const ptrdiff_t at_y = y + (column + from) * step_y, at_x = x + (column + from) * step_x;
        for (int r = 0; r < rows; r++)
            c->run(c->y + (at_y + r * row_y) * (ptrdiff_t)c->y_bytes, step_y,
                   c->x + (at_x + r * row_x) * (ptrdiff_t)c->x_bytes, step_x, (size_t)n);
    }
}

// ------------------------------------------------------------------------------------------- two shapes

// Offset of element i in c, h, w order; *run elements from there are one stride of the last axis apart. Never
// of rank 0: a single number is one shape with the other side.
static ptrdiff_t element_at(const ebb_desc *d, size_t i, size_t *run)
{
    ptrdiff_t offset = 0;
    const int last = d->rank - 1;
    *run = (size_t)d->dim[last] - i % (size_t)d->dim[last];
    for (int axis = last; axis >= 0; axis--) {
        offset += (ptrdiff_t)(i % (size_t)d->dim[axis]) * d->stride[axis];
        i /= (size_t)d->dim[axis];
    }
    return offset;
}

static void stretch(void *ctx, size_t i, int worker)
{
    (void)worker;
    const copy *c = ctx;
    size_t at = ebb_size_mul(i, ITEM), end = c->count - at > ITEM ? at + ITEM : c->count, n = 0;
    for (; at < end; at += n) {
        size_t y_run, x_run;
        const ptrdiff_t y = element_at(c->to, at, &y_run), x = element_at(c->from, at, &x_run);
        n = y_run < x_run ? y_run : x_run;
        if (n > end - at) n = end - at;
        c->run(c->y + y * (ptrdiff_t)c->y_bytes, c->to->stride[c->to->rank - 1],
               c->x + x * (ptrdiff_t)c->x_bytes, c->from->stride[c->from->rank - 1], n);
    }
}

void ebb_order_copy(const ebb_desc *to, void *dst, const ebb_desc *from, const void *src, ebb_pool *pool,
                    int threads)
{
    copy c = {.run = run_for(to->dtype, from->dtype),
              .y = dst,
              .x = src,
              .to = to,
              .from = from,
              .y_bytes = ebb_dtype_bytes(to->dtype),
              .x_bytes = ebb_dtype_bytes(from->dtype),
              .count = ebb_desc_count(to)};
    if (c.count == 0) return;
    ebb_desc y, x;
    if (refine(to, from, &y, &x)) {
        ebb_loop_init(&c.loop, 2, (const ebb_desc *[]){&y, &x});
        divide(&c);
        size_t items = ebb_size_mul(c.row_items, c.column_items);
        for (int axis = 0; axis < c.loop.rank - 1; axis++)
            if (axis != c.row) items = ebb_size_mul(items, (size_t)c.loop.dim[axis]);
        ebb_pool_run(pool, threads, items, item, &c);
    } else {
        ebb_pool_run(pool, threads, (c.count - 1) / ITEM + 1, stretch, &c);
    }
}

void ebb_copy(const ebb_cpu *cpu, const ebb_desc *to, void *dst, const ebb_desc *from, const void *src)
{
    ebb_order_copy(to, dst, from, src, cpu->pool, cpu->threads);
}
