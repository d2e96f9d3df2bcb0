// SPDX-License-Identifier: BSD-3-Clause
// roi.c - reads the region of ROIAlign and ROIPooling. Rule: it is four numbers, in whatever shape.
#include "roi.h"

ebb_status ebb_roi_init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const ebb_roi *p = st;
    if (p->pooled_width < 1 || p->pooled_height < 1)
        return ebb_fail(e, EBB_E_PARAM, "pooled_height is %d and pooled_width %d, both must be at least 1",
                        p->pooled_height, p->pooled_width);
    return EBB_OK;
}

ebb_status ebb_roi_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_roi *p = st;
    const ebb_desc *x = &in->in[0], *r = &in->in[1];
    if (x->rank != 3 || ebb_desc_count(x) == 0 || ebb_desc_count(r) != 4 || r->dim[r->rank - 1] != 4)
        return ebb_fail(e, EBB_E_SHAPE,
                        "the inputs are %s and %s, must be channels x height x width and a region of 4",
                        EBB_SHAPE(x), EBB_SHAPE(r));
    out->rank = 3;
    out->dim[0] = x->dim[0];
    out->dim[1] = p->pooled_height;
    out->dim[2] = p->pooled_width;
    return EBB_OK;
}

ebb_status ebb_roi_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[1].orders = EBB_ANY_ORDER;
    return EBB_OK;
}

void ebb_roi_read(const ebb_roi *p, const ebb_blob *b, float box[4])
{
    const ebb_desc *d = ebb_blob_desc(b);
    for (int i = 0; i < 4; i++) box[i] = ebb_f32(b)[i * d->stride[d->rank - 1]] * p->spatial_scale;
}
