// SPDX-License-Identifier: BSD-3-Clause
// cumulativesum.c - CumulativeSum: running sums along an axis.
#include "parts/elementwise.h"
#include "kernels/kernels.h"

typedef struct cumulativesum {
    int axis;
} cumulativesum;

static const ebb_param params[] = {
    EBB_INT(cumulativesum, 0, "axis", axis, .doc = "0 is the outermost"),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    EBB_TRY(ebb_find_axis(((const cumulativesum *)st)->axis, in->in[0].rank, NULL, e));
    return ebb_elementwise_shape(st, in, out, e);
}

typedef struct work {
    const ebb_kernels *k;
    float *y;
    const float *x;
    int n;                     // along the axis
    ptrdiff_t step_y, step_x;
    ebb_loop lines;            // the other axes
} work;

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t m, int worker)
{
    (void)worker;
    const work *w = ctx;
    const ptrdiff_t next_y = ebb_loop_step(&w->lines, 0), next_x = ebb_loop_step(&w->lines, 1);
    const size_t count = next_y == 1 ? m : 1;  // lines at once
    for (size_t j = 0; j < m; j += count) {
        float *y = w->y + at[0] + (ptrdiff_t)j * next_y;
        const float *x = w->x + at[1] + (ptrdiff_t)j * next_x;
        const float zero = 0.f;
        w->k->binary_f32(EBB_ADD, y, x, next_x, &zero, 0, count);
        for (int i = 1; i < w->n; i++) {
            y += w->step_y, x += w->step_x;
            if (count == 1) *y = y[-w->step_y] + *x;
            else w->k->binary_f32(EBB_ADD, y, y - w->step_y, 1, x, next_x, count);
        }
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_desc y = *ebb_blob_desc(out[0]), x = *ebb_blob_desc(in[0]);
    const int axis = ebb_axis_at(((const cumulativesum *)st)->axis, x.rank);
    work w = {.k = c->k,
              .y = ebb_f32(out[0]),
              .x = ebb_f32(in[0]),
              .n = x.dim[axis],
              .step_y = y.stride[axis],
              .step_x = x.stride[axis]};
    if (w.n == 0) return EBB_OK;
    y.dim[axis] = x.dim[axis] = 1;
    ebb_loop_init(&w.lines, 2, (const ebb_desc *[]){&y, &x});
    ebb_loop_run(c, &w.lines, w.n < EBB_PIECE / 16 ? EBB_PIECE / w.n : 16, run, &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_cumulativesum = {
    .size = sizeof(ebb_layer_type), .name = "CumulativeSum", .doc = "running sums along an axis",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(cumulativesum), .params = params,
    .shape = shape, .plan = ebb_in_place_plan, .cpu = cpu,
};
