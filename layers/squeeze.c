// SPDX-License-Identifier: BSD-3-Clause
// squeeze.c - Squeeze: drops axes of one element. Rule: what names no such axis is ignored, as it always was,
// and one axis stays.
#include "ebb_layer.h"
#include "parts/reshape_view.h"

typedef struct squeeze {
    int w, h, c, d;
    ebb_ints axes;
} squeeze;

static const ebb_param params[] = {
    EBB_INT(squeeze, 0, "squeeze_w", w, .doc = "without axes"),
    EBB_INT(squeeze, 1, "squeeze_h", h),
    EBB_INT(squeeze, 2, "squeeze_c", c),
    EBB_INTS(squeeze, 3, "axes", axes),
    EBB_INT(squeeze, 11, "squeeze_d", d),
    {0},
};

static bool named(const squeeze *p, int axis, int rank)
{
    for (int i = 0; i < p->axes.n; i++)
        if (p->axes.v[i] == axis || p->axes.v[i] == axis - rank) return true;
    if (p->axes.n) return false;
    if (axis == rank - 1) return p->w;
    if (axis == rank - 2) return p->h;
    return axis == 0 ? p->c : p->d;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)e;
    const ebb_desc *x = &in->in[0];
    out[0].dtype = x->dtype;
    for (int i = 0; i < x->rank; i++)
        if (x->dim[i] != 1 || !named(st, i, x->rank)) out[0].dim[out[0].rank++] = x->dim[i];
    if (out[0].rank == 0) out[0].dim[out[0].rank++] = 1;
    return EBB_OK;
}

const ebb_layer_type ebb_layer_squeeze = {
    .size = sizeof(ebb_layer_type), .name = "Squeeze", .doc = "drops axes of one element",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(squeeze), .params = params,
    .shape = shape, .view = ebb_reshape_views,
};
