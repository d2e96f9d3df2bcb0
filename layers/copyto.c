// SPDX-License-Identifier: BSD-3-Clause
// copyto.c - CopyTo: input 1 written over a window of input 0. Rule: in the place of input 0 where nobody
// else reads it; a window of everything is a view of input 1. A window that reaches outside is refused.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "parts/reshape_view.h"

enum { WHOLE = -233 };

typedef struct copyto {
    int w, h, c, d;
    ebb_ints starts, axes;
} copyto;

static const ebb_param params[] = {
    EBB_INT(copyto, 0, "woffset", w, .doc = "without starts"),
    EBB_INT(copyto, 1, "hoffset", h),
    EBB_INT(copyto, 2, "coffset", c),
    EBB_INTS(copyto, 9, "starts", starts, .doc = "negative from the end"),
    EBB_INTS(copyto, 11, "axes", axes, .doc = "of starts"),
    EBB_INT(copyto, 13, "doffset", d),
    {0},
};

// Input 1 with as many axes as input 0: w is w, h is h, and c is c.
static ebb_desc lifted(const ebb_desc *part, int rank)
{
    ebb_desc d = {.dtype = part->dtype, .rank = rank};
    for (int i = 0; i < rank; i++) {
        const int inner = rank - 1 - i;
        const int from = inner < 2         ? part->rank - 1 - inner
                         : part->rank < 3  ? -1
                         : i == 0          ? 0
                         : part->rank == 4 ? 1
                                           : -1;
        d.dim[i] = from < 0 ? 1 : part->dim[from];
        d.stride[i] = from < 0 ? 1 : part->stride[from];
    }
    return d;
}

static ebb_status find_start(const copyto *p, const ebb_desc *x, int *at, ebb_error *e)
{
    for (int i = 0; i < x->rank; i++) {
        const int inner = x->rank - 1 - i;
        at[i] = p->starts.n ? 0 : inner == 0 ? p->w : inner == 1 ? p->h : i == 0 ? p->c : p->d;
    }
    if (p->axes.n && p->axes.n != p->starts.n)
        return ebb_fail(e, EBB_E_PARAM, "%d starts, but %d axes", p->starts.n, p->axes.n);
    for (int i = 0; i < p->starts.n; i++) {
        int axis;
        EBB_TRY(ebb_find_axis(p->axes.n ? p->axes.v[i] : i, x->rank, &axis, e));
        const int start = p->starts.v[i];
        at[axis] = start == WHOLE ? 0 : start < 0 ? start + x->dim[axis] : start;
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *x = &in->in[0], *part = &in->in[1];
    int at[EBB_MAX_RANK];
    EBB_TRY(find_start(st, x, at, e));
    const ebb_desc d = lifted(part, x->rank);
    bool fits = part->rank <= x->rank;
    for (int i = 0; i < x->rank; i++)
        fits &= at[i] >= 0 && at[i] <= x->dim[i] && d.dim[i] <= x->dim[i] - at[i];
    if (!fits)
        return ebb_fail(e, EBB_E_SHAPE,
                        "input 1, %s, does not lie inside of input 0, %s, where it would be written",
                        EBB_SHAPE(part), EBB_SHAPE(x));
    out[0].dtype = x->dtype;
    out[0].rank = x->rank;
    for (int i = 0; i < x->rank; i++) out[0].dim[i] = x->dim[i];
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    for (int i = 0; i < 2; i++) plan->in[i] = (ebb_plan_input){EBB_ANY_ORDER, EBB_BIT(in->out[0].dtype)};
    plan->out[0].follow = 0;
    plan->out[0].steal = EBB_BIT(0);
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    (void)st;
    out[0].from = -1;
    if (!ebb_desc_same_shape(&in->in[0], &in->in[1]) || in->in[0].dtype != in->in[1].dtype) return;
    out[0].from = 1;
    out[0].desc = in->in[1];
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const ebb_desc *y = ebb_blob_desc(out[0]);
    int at[EBB_MAX_RANK];
    EBB_TRY(find_start(st, y, at, e));
    char *to = ebb_blob_data(out[0]);
    if (to != ebb_blob_data(in[0])) ebb_copy(c, y, to, ebb_blob_desc(in[0]), ebb_blob_data(in[0]));
    const ebb_desc from = lifted(ebb_blob_desc(in[1]), y->rank);
    ebb_desc window = *y;
    for (int i = 0; i < y->rank; i++) {
        window.dim[i] = from.dim[i];
        to += at[i] * y->stride[i] * (ptrdiff_t)ebb_dtype_bytes(y->dtype);
    }
    ebb_copy(c, &window, to, &from, ebb_blob_data(in[1]));
    return EBB_OK;
}

const ebb_layer_type ebb_layer_copyto = {
    .size = sizeof(ebb_layer_type), .name = "CopyTo", .doc = "input 1 over a window of input 0",
    .flags = EBB_LAYER_VIEW,
    .in_min = 2, .in_max = 2, .out_min = 1, .out_max = 1, .state_size = sizeof(copyto), .params = params,
    .shape = shape, .plan = plan, .view = view, .cpu = cpu,
};
