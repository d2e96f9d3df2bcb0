// SPDX-License-Identifier: BSD-3-Clause
// elementwise.c - what all y = f(x) layers share. Rule: one pass, in memory order, split evenly over threads.
#include "elementwise.h"
#include "half.h"

ebb_status ebb_elementwise_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    out[0].rank = in->in[0].rank;
    for (int i = 0; i < out[0].rank; i++) out[0].dim[i] = in->in[0].dim[i];
    return EBB_OK;
}

int ebb_axis_at(int axis, int rank) { return rank == 1 ? 0 : axis < 0 ? axis + rank : axis; }

ebb_status ebb_find_axis(int axis, int rank, int *at, ebb_error *e)
{
    if (rank == 1) axis = 0;
    if (axis < -rank || axis >= rank)
        return ebb_fail(e, EBB_E_SHAPE, "there is no axis %d in a blob with %d axes", axis, rank);
    if (at) *at = ebb_axis_at(axis, rank);
    return EBB_OK;
}

ebb_status ebb_in_place_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->out[0].steal |= EBB_BIT(0);
    return EBB_OK;
}

typedef struct work {
    const void *st;
    const ebb_kernels *k;
    char *y;
    const char *x;
    ebb_dtype ty, tx;
    ebb_elementwise_fn *run;
    ebb_loop loop;
} work;

// What is not a run of f32 passes through f32 on the stack, a little at a time.
static void part_by_part(const work *w, char *y, ptrdiff_t sy, const char *x, ptrdiff_t sx, size_t n)
{
    enum { SOME = 256 };
    float t[SOME];
    for (size_t i = 0; i < n; i += SOME) {
        const size_t m = n - i < SOME ? n - i : SOME;
        ebb_half_load(w->k, w->tx, t, x + (ptrdiff_t)i * sx * (ptrdiff_t)ebb_dtype_bytes(w->tx), sx, m);
        w->run(w->st, w->k, t, t, m);
        ebb_half_store(w->k, w->ty, y + (ptrdiff_t)i * sy * (ptrdiff_t)ebb_dtype_bytes(w->ty), sy, t, m);
    }
}

static void part(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker)
{
    (void)worker;
    const work *w = ctx;
    char *y = w->y + at[0] * (ptrdiff_t)ebb_dtype_bytes(w->ty);
    const char *x = w->x + at[1] * (ptrdiff_t)ebb_dtype_bytes(w->tx);
    const ptrdiff_t sy = ebb_loop_step(&w->loop, 0), sx = ebb_loop_step(&w->loop, 1);
    if (sy == 1 && sx == 1 && w->ty == EBB_F32 && w->tx == EBB_F32)
        w->run(w->st, w->k, (float *)y, (const float *)x, n);
    else part_by_part(w, y, sy, x, sx, n);
}

void ebb_elementwise(const void *st, const ebb_cpu *c, const ebb_blob *in, ebb_blob *out,
                     ebb_elementwise_fn *run)
{
    const ebb_desc *dy = ebb_blob_desc(out), *dx = ebb_blob_desc(in);
    work w = {.st = st,
              .k = c->k,
              .y = ebb_blob_data(out),
              .x = ebb_blob_data(in),
              .ty = dy->dtype,
              .tx = dx->dtype,
              .run = run};
    ebb_loop_init(&w.loop, 2, (const ebb_desc *[]){dy, dx});
    ebb_loop_run(c, &w.loop, EBB_PIECE, part, &w);
}
