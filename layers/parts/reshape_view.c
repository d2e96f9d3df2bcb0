// SPDX-License-Identifier: BSD-3-Clause
// reshape_view.c - reshapes without a copy. Rule: axes of both sides are matched in groups of equal size; a
// group is a view when its input axes step as one.
#include "reshape_view.h"

// Sets the strides of out's axes [from, to) that step as one with `step` between elements.
static void split_axis(ebb_desc *out, int from, int to, ptrdiff_t step)
{
    for (int i = to - 1; i >= from; i--) {
        out->stride[i] = step;
        step = ebb_stride_mul(step, out->dim[i]);
    }
}

// Whether axes [from, to) step as one; *step is the distance of neighbours.
static bool one_step(const ebb_desc *in, int from, int to, ptrdiff_t *step)
{
    ptrdiff_t next = 1;
    bool first = true;
    for (int i = to - 1; i >= from; i--) {
        if (in->dim[i] == 1) continue;
        if (first) *step = in->stride[i];
        else if (in->stride[i] != next) return false;
        first = false;
        next = ebb_stride_mul(in->stride[i], in->dim[i]);
    }
    return true;
}

bool ebb_reshape_view(const ebb_desc *in, ebb_desc *out)
{
    split_axis(out, 0, out->rank, 1);
    if (ebb_desc_count(out) == 0) return true;
    int i = in->rank, o = out->rank;  // axes from here on are done
    ptrdiff_t step = 1;
    while (i > 0 || o > 0) {
        const int i_end = i, o_end = o;
        size_t a = i > 0 ? (size_t)in->dim[--i] : 1, b = o > 0 ? (size_t)out->dim[--o] : 1;
        while (a != b) {
            if (a < b) a *= (size_t)in->dim[--i];  // fits: no more than the elements
            else b *= (size_t)out->dim[--o];  // fits: the same
        }
        if (!one_step(in, i, i_end, &step)) return false;
        split_axis(out, o, o_end, step);
        step *= (ptrdiff_t)a;  // for axes of one element
    }
    return true;
}

void ebb_reshape_views(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    (void)st;
    out[0].from = ebb_reshape_view(&in->in[0], &out[0].desc) ? 0 : -1;
}

void ebb_same_views(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    (void)st;
    for (int k = 0; k < in->n_out; k++) {
        out[k].from = in->n_in == 1 ? 0 : k;
        out[k].desc = in->in[out[k].from];
    }
}

ebb_status ebb_same_shapes(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    for (int k = 0; k < in->n_out; k++) {
        const ebb_desc *x = &in->in[in->n_in == 1 ? 0 : k];
        out[k].dtype = x->dtype;
        out[k].rank = x->rank;
        for (int i = 0; i < x->rank; i++) out[k].dim[i] = x->dim[i];
    }
    return EBB_OK;
}
