// SPDX-License-Identifier: BSD-3-Clause
// broadcast.c - y = a op b over strided operands. Rule: runs are walked in memory order of y; where the innermost
// axis is short, whole rows make a run.
#include "broadcast.h"
#include "elementwise.h"
#include "kernels/kernels.h"

typedef struct work {
    const ebb_kernels *k;
    int op;
    float *y;
    const float *a, *b;
    ebb_loop loop;
    size_t row;         // elements of a row, where rows are short
    ptrdiff_t step[3];  // in a row
} work;

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker)
{
    (void)worker;
    const work *w = ctx;
    const ptrdiff_t step = ebb_loop_step(&w->loop, 0), step_a = ebb_loop_step(&w->loop, 1),
                    step_b = ebb_loop_step(&w->loop, 2);
    float *y = w->y + at[0];
    const float *a = w->a + at[1], *b = w->b + at[2];
    if (step == 1) w->k->binary_f32(w->op, y, a, step_a, b, step_b, n);
    else
        for (size_t i = 0; i < n; i++, y += step, a += step_a, b += step_b)
            w->k->binary_f32(w->op, y, a, 1, b, 1, 1);
}

enum { SOME = 512, SHORT = SOME / 4 };  // elements on the stack, and of a row that is short

// `rows` rows from row `first` on as one run: where they lie, or copied to t, once where a row repeats.
static const float *as_one(const work *w, int operand, float *t, const float *p, size_t first, size_t rows)
{
    const ptrdiff_t outer = ebb_loop_step(&w->loop, operand), inner = w->step[operand];
    p += (ptrdiff_t)first * outer;
    if (inner == 1 && outer == (ptrdiff_t)w->row) return p;
    if (outer == 0 && first > 0) return t;
    float *to = t;
    for (size_t r = 0; r < rows; r++, p += outer)
        for (size_t i = 0; i < w->row; i++) *to++ = p[(ptrdiff_t)i * inner];
    return t;
}

// n rows that lie one behind the other in y.
static void run_rows(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker)
{
    (void)worker;
    const work *w = ctx;
    const size_t some = SOME / w->row;
    float ta[SOME], tb[SOME];
    for (size_t i = 0; i < n; i += some) {
        const size_t rows = n - i < some ? n - i : some;
        w->k->binary_f32(w->op, w->y + at[0] + i * w->row, as_one(w, 1, ta, w->a + at[1], i, rows), 1,
                         as_one(w, 2, tb, w->b + at[2], i, rows), 1, rows * w->row);
    }
}

// Whether the innermost axis is a short row of y, and rows follow each other. Broadcasts in pixel order are
// such: a row is a pixel's channels.
static bool has_short_rows(const ebb_loop *l)
{
    return l->outer > 0 && l->rank > 1 && l->dim[l->rank - 1] <= SHORT && ebb_loop_step(l, 0) == 1 &&
           l->stride[0][l->rank - 2] == l->dim[l->rank - 1];
}

void ebb_binary(const ebb_cpu *c, int op, ebb_operand y, ebb_operand a, ebb_operand b)
{
    work w = {.k = c->k, .op = op, .y = y.data, .a = a.data, .b = b.data};
    ebb_loop_init(&w.loop, 3, (const ebb_desc *[]){&y.desc, &a.desc, &b.desc});
    if (has_short_rows(&w.loop)) {
        for (int k = 0; k < 3; k++) w.step[k] = ebb_loop_step(&w.loop, k);
        w.row = (size_t)ebb_loop_take_row(&w.loop);
        ebb_loop_run(c, &w.loop, ebb_rows_piece(w.row), run_rows, &w);
    } else {
        ebb_loop_run(c, &w.loop, EBB_PIECE, run, &w);
    }
}
