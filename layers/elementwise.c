// SPDX-License-Identifier: BSD-3-Clause
// elementwise.c - what all y = f(x) layers share. Rule: one pass, in memory order, split evenly over threads.
#include "elementwise.h"

ebb_status ebb_elementwise_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    out[0].rank = in->in[0].rank;
    for (int i = 0; i < out[0].rank; i++) out[0].dim[i] = in->in[0].dim[i];
    return EBB_OK;
}

ebb_status ebb_elementwise_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->out[0].steal = 0;
    return EBB_OK;
}

enum { PIECE = 4096 };  // elements: large enough to hide the call, small enough to share out

typedef struct work {
    const void *st;
    const ebb_kernels *k;
    float *y;
    const float *x;
    ebb_elementwise_fn *run;
    ebb_loop loop;
    int pieces;  // per run
} work;

static void piece(void *ctx, int i, int worker)
{
    (void)worker;
    const work *w = ctx;
    const int inner = w->loop.rank - 1;
    const size_t len = (size_t)w->loop.dim[inner], from = (size_t)(i % w->pieces) * PIECE;
    const size_t n = len - from < PIECE ? len - from : PIECE;
    ptrdiff_t at[EBB_LOOP_MAX];
    ebb_loop_at(&w->loop, i / w->pieces, at);
    float *y = w->y + at[0];
    const float *x = w->x + at[1];
    const ptrdiff_t sy = w->loop.stride[0][inner], sx = w->loop.stride[1][inner];
    if (sy == 1 && sx == 1) {
        w->run(w->st, w->k, y + from, x + from, n);
    } else {
        for (size_t j = from; j < from + n; j++) w->run(w->st, w->k, y + (ptrdiff_t)j * sy, x + (ptrdiff_t)j * sx, 1);
    }
}

void ebb_elementwise(const void *st, const ebb_cpu *c, const ebb_blob *in, ebb_blob *out, ebb_elementwise_fn *run)
{
    work w = {.st = st, .k = c->k, .y = ebb_f32(out), .x = ebb_f32(in), .run = run};
    ebb_loop_init(&w.loop, 2, (const ebb_desc *[]){ebb_blob_desc(out), ebb_blob_desc(in)});
    w.pieces = (w.loop.dim[w.loop.rank - 1] + PIECE - 1) / PIECE;
    ebb_parallel(c, w.loop.outer * w.pieces, piece, &w);
}
