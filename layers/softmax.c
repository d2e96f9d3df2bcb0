// SPDX-License-Identifier: BSD-3-Clause
// softmax.c - Softmax along one axis. Rule: the largest value is taken off first, so that nothing overflows.
#include "parts/elementwise.h"
#include "kernels/kernels.h"

typedef struct softmax {
    int axis, fixbug0;
} softmax;

static const ebb_param params[] = {
    EBB_INT(softmax, 0, "axis", axis, .doc = "0 is the outermost, -1 the innermost"),
    EBB_INT(softmax, 1, "fixbug0", fixbug0, .doc = "must be 1 unless axis is 0"),
    {0},
};

// Files from before the key meant other axes by the same numbers.
static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const softmax *p = st;
    if (p->axis != 0 && !p->fixbug0)
        return ebb_fail(
            e, EBB_E_PARAM,
            "axis %d lacks 1=1 (fixbug0), as in old files, which may count a batch axis first: make it 0=%d "
            "where that is so, then add 1=1, or convert the model again",
            p->axis, p->axis > 0 ? p->axis - 1 : p->axis);
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    EBB_TRY(ebb_find_axis(((const softmax *)st)->axis, in->in[0].rank, NULL, e));
    return ebb_elementwise_shape(st, in, out, e);
}

typedef struct work {
    const ebb_kernels *k;
    float *y;
    const float *x;
    size_t n;                  // along the axis
    ptrdiff_t step_y, step_x;
    ebb_loop lines;            // the other axes
} work;

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t m, int worker)
{
    (void)worker;
    const work *w = ctx;
    const ptrdiff_t next_y = ebb_loop_step(&w->lines, 0), next_x = ebb_loop_step(&w->lines, 1);
    float *y = w->y + at[0];
    const float *x = w->x + at[1];
    if (next_y == 1 && next_x == 1) {
        w->k->softmax_columns_f32(y, w->step_y, x, w->step_x, w->n, m);
        return;
    }
    for (size_t j = 0; j < m; j++, y += next_y, x += next_x) {
        if (w->step_y == 1 && w->step_x == 1) w->k->softmax_row_f32(y, x, w->n);
        else w->k->softmax_columns_f32(y, w->step_y, x, w->step_x, w->n, 1);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_desc y = *ebb_blob_desc(out[0]), x = *ebb_blob_desc(in[0]);
    const int axis = ebb_axis_at(((const softmax *)st)->axis, x.rank);
    work w = {.k = c->k, .y = ebb_f32(out[0]), .x = ebb_f32(in[0]), .n = (size_t)x.dim[axis],
              .step_y = y.stride[axis], .step_x = x.stride[axis]};
    if (w.n == 0) return EBB_OK;
    y.dim[axis] = x.dim[axis] = 1;
    ebb_loop_init(&w.lines, 2, (const ebb_desc *[]){&y, &x});
    ebb_loop_run(c, &w.lines, w.n < EBB_PIECE / 16 ? EBB_PIECE / (int)w.n : 16, run, &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_softmax = {
    .size = sizeof(ebb_layer_type), .name = "Softmax", .doc = "exp(x) over its sum along an axis",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(softmax), .params = params,
    .init = init, .shape = shape, .plan = ebb_in_place_plan, .cpu = cpu,
};
