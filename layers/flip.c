// SPDX-License-Identifier: BSD-3-Clause
// flip.c - Flip: axes backwards. Rule: a copy from strides that run the other way; without axes a view.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "parts/reshape_view.h"

typedef struct flip {
    ebb_ints axes;
} flip;

static const ebb_param params[] = {
    EBB_INTS(flip, 0, "axes", axes),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const flip *p = st;
    for (int i = 0; i < p->axes.n; i++) EBB_TRY(ebb_find_axis(p->axes.v[i], in->in[0].rank, NULL, e));
    return ebb_same_shapes(st, in, out, e);
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[0] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    if (((const flip *)st)->axes.n == 0) ebb_same_views(st, in, out);
    else out[0].from = -1;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const flip *p = st;
    (void)e;
    ebb_desc from = *ebb_blob_desc(in[0]);
    ptrdiff_t first = 0;
    bool backwards[EBB_MAX_RANK] = {false};
    for (int i = 0; i < p->axes.n; i++) {
        backwards[ebb_axis_at(p->axes.v[i], from.rank)] = true;
    }
    for (int i = 0; i < from.rank; i++) {
        if (!backwards[i] || from.dim[i] == 0) continue;
        first += (from.dim[i] - 1) * from.stride[i];
        from.stride[i] = -from.stride[i];
    }
    ebb_copy(c, ebb_blob_desc(out[0]), ebb_blob_data(out[0]), &from,
             (char *)ebb_blob_data(in[0]) + first * (ptrdiff_t)ebb_dtype_bytes(from.dtype));
    return EBB_OK;
}

const ebb_layer_type ebb_layer_flip = {
    .size = sizeof(ebb_layer_type), .name = "Flip", .doc = "axes backwards", .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(flip), .params = params,
    .shape = shape, .plan = plan, .view = view, .cpu = cpu,
};
