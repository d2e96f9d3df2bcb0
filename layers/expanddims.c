// SPDX-License-Identifier: BSD-3-Clause
// expanddims.c - ExpandDims: new axes of one element. Rule: axes count in the result; what names no axis of
// it is ignored, and a result of more than four axes leaves the shape as it is.
#include "ebb_layer.h"
#include "parts/reshape_view.h"

typedef struct expanddims {
    ebb_ints axes;
} expanddims;

static const ebb_param params[] = {
    EBB_INTS(expanddims, 3, "axes", axes),
    {0},
};

static bool is_new(const expanddims *p, int axis, int rank)
{
    for (int i = 0; i < p->axes.n; i++)
        if (p->axes.v[i] == axis || p->axes.v[i] == axis - rank) return true;
    return false;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const expanddims *p = st;
    const ebb_desc *x = &in->in[0];
    const int rank = x->rank + p->axes.n;
    int made = 0;
    for (int i = 0; rank <= EBB_MAX_RANK && i < rank; i++) made += is_new(p, i, rank);
    if (made == 0) return ebb_same_shapes(st, in, out, e);
    out[0].dtype = x->dtype;
    out[0].rank = rank;
    // An axis that was named twice leaves room, which stays 1 on the outer side.
    for (int i = rank - 1, from = x->rank - 1; i >= 0; i--)
        out[0].dim[i] = is_new(p, i, rank) || from < 0 ? 1 : x->dim[from--];
    return EBB_OK;
}

const ebb_layer_type ebb_layer_expanddims = {
    .size = sizeof(ebb_layer_type), .name = "ExpandDims", .doc = "new axes of one element",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(expanddims), .params = params,
    .shape = shape, .view = ebb_reshape_views,
};
