// SPDX-License-Identifier: BSD-3-Clause
// slice.c - Slice: the input in pieces along one axis. Rule: all pieces are views; pieces that reach past the
// end are refused.
#include "ebb_layer.h"
#include "parts/elementwise.h"

enum { SHARE = -233 };

typedef struct slice {
    ebb_ints slices, indices;
    int axis;
} slice;

static const ebb_param params[] = {
    EBB_INTS(slice, 0, "slices", slices, .doc = "sizes; -233 is an equal share of what is left"),
    EBB_INT(slice, 1, "axis", axis),
    EBB_INTS(slice, 2, "indices", indices,
             .doc = "ends instead of sizes, negative ones from the end; the last piece takes the rest"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    const slice *p = st;
    if (p->indices.n ? p->indices.n >= in->n_out - 1 : p->slices.n >= in->n_out) return EBB_OK;
    return ebb_fail(e, EBB_E_PARAM, "%d outputs, but only %d %s", in->n_out,
                    p->indices.n ? p->indices.n : p->slices.n, p->indices.n ? "indices" : "slices");
}

// The size of piece k of n, which begins at `at` of `total`.
static int piece_size(const slice *p, int k, int n, int at, int total)
{
    if (p->indices.n) {
        if (k == n - 1) return total - at;
        return (p->indices.v[k] < 0 ? total : 0) + p->indices.v[k] - at;
    }
    return p->slices.v[k] == SHARE ? (total - at) / (n - k) : p->slices.v[k];
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *x = &in->in[0];
    int axis, at = 0;
    EBB_TRY(ebb_find_axis(((const slice *)st)->axis, x->rank, &axis, e));
    for (int k = 0; k < in->n_out; k++) {
        const int total = x->dim[axis], n = piece_size(st, k, in->n_out, at, total);
        if (n < 0 || n > total - at)
            return ebb_fail(e, EBB_E_SHAPE, "output %d would be %d elements from %d on, of %d on axis %d", k,
                            n, at, total, axis);
        out[k].dtype = x->dtype;
        out[k].rank = x->rank;
        for (int i = 0; i < x->rank; i++) out[k].dim[i] = i == axis ? n : x->dim[i];
        at += n;
    }
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    const ebb_desc *x = &in->in[0];
    int axis;
    ptrdiff_t at = 0;
    ebb_find_axis(((const slice *)st)->axis, x->rank, &axis, NULL);
    for (int k = 0; k < in->n_out; k++) {
        for (int i = 0; i < x->rank; i++) out[k].desc.stride[i] = x->stride[i];
        if (ebb_desc_count(&out[k].desc)) out[k].offset = at * x->stride[axis];
        at += out[k].desc.dim[axis];
    }
}

const ebb_layer_type ebb_layer_slice = {
    .size = sizeof(ebb_layer_type), .name = "Slice", .doc = "pieces along one axis", .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = -1, .state_size = sizeof(slice), .params = params,
    .init = init, .shape = shape, .view = view,
};
