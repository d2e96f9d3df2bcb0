// SPDX-License-Identifier: BSD-3-Clause
// concat.c - Concat: inputs one after the other along one axis. Rule: inputs are read by their strides,
// whatever they are; a single one is a view.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "parts/reshape_view.h"
#include <limits.h>

typedef struct concat {
    int axis;
} concat;

static const ebb_param params[] = {
    EBB_INT(concat, 0, "axis", axis, .doc = "0 is the outermost, -1 the innermost"),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    int axis;
    EBB_TRY(ebb_find_axis(((const concat *)st)->axis, in->in[0].rank, &axis, e));
    ebb_desc sum = in->in[0];
    for (int i = 1; i < in->n_in; i++) {
        ebb_desc rest = in->in[i];
        const int n = rest.dim[axis];
        rest.dim[axis] = sum.dim[axis];
        if (!ebb_desc_same_shape(&rest, &sum))
            return ebb_fail(e, EBB_E_SHAPE, "input %d is %s, which does not continue %s along axis %d", i,
                            EBB_SHAPE(&in->in[i]), EBB_SHAPE(&in->in[0]),
                            axis);
        if (n > INT_MAX - sum.dim[axis])
            return ebb_fail(e, EBB_E_SHAPE, "the inputs are too long together for axis %d", axis);
        sum.dim[axis] += n;
    }
    out[0].dtype = sum.dtype;
    out[0].rank = sum.rank;
    for (int i = 0; i < sum.rank; i++) out[0].dim[i] = sum.dim[i];
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    for (int i = 0; i < in->n_in; i++)
        plan->in[i] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    if (in->n_in == 1) ebb_same_views(st, in, out);
    else out[0].from = -1;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const ebb_desc *y = ebb_blob_desc(out[0]);
    const int axis = ebb_axis_at(((const concat *)st)->axis, y->rank);
    char *to = ebb_blob_data(out[0]);
    const ptrdiff_t step = y->stride[axis] * (ptrdiff_t)ebb_dtype_bytes(y->dtype);
    for (int i = 0; i < c->n_in; i++) {
        const ebb_desc *x = ebb_blob_desc(in[i]);
        ebb_desc part = *y;
        part.dim[axis] = x->dim[axis];
        ebb_copy(c, &part, to, x, ebb_blob_data(in[i]));
        to += x->dim[axis] * step;  // fits: inside the output
    }
    return EBB_OK;
}

const ebb_layer_type ebb_layer_concat = {
    .size = sizeof(ebb_layer_type), .name = "Concat", .doc = "inputs one after the other along one axis",
    .flags = EBB_LAYER_VIEW, .in_min = 1, .in_max = -1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(concat),
    .params = params, .shape = shape, .plan = plan, .view = view, .cpu = cpu,
};
