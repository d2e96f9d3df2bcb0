// SPDX-License-Identifier: BSD-3-Clause
// diag.c - Diag: the diagonal of a matrix, or a matrix with that diagonal. Rule: the first is a view.
#include "ebb_layer.h"
#include "parts/fill.h"

typedef struct diag {
    int diagonal;
} diag;

static const ebb_param params[] = {
    EBB_INT(diag, 0, "diagonal", diagonal, .min = -INT32_MAX, .max = INT32_MAX,
            .doc = "0 the main one, above it positive"),
    {0},
};

static int down(const diag *p) { return p->diagonal < 0 ? -p->diagonal : 0; }
static int right(const diag *p) { return p->diagonal > 0 ? p->diagonal : 0; }

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const diag *p = st;
    const ebb_desc *x = &in->in[0];
    out[0].dtype = x->dtype;
    if (x->rank == 1) {
        const int64_t n = (int64_t)x->dim[0] + down(p) + right(p);
        if (n > INT32_MAX)
            return ebb_fail(e, EBB_E_SHAPE, "a matrix of %lld rows is too large", (long long)n);
        out[0].rank = 2;
        out[0].dim[0] = out[0].dim[1] = (int)n;
        return EBB_OK;
    }
    if (x->rank != 2)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, but a diagonal needs one or two axes",
                        EBB_SHAPE(x));
    const int h = x->dim[0] - down(p), w = x->dim[1] - right(p), n = h < w ? h : w;
    out[0].rank = 1;
    out[0].dim[0] = n > 0 ? n : 0;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[0] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    plan->out[0].order = EBB_PLANAR;
    plan->out[0].follow = -1;
    return EBB_OK;
}

// The diagonal of a matrix as a line, from element *at on.
static ebb_desc diagonal(const diag *p, const ebb_desc *d, int n, ptrdiff_t *at)
{
    *at = n ? down(p) * d->stride[0] + right(p) * d->stride[1] : 0;
    return (ebb_desc){d->dtype, 1, {n}, {n ? d->stride[0] + d->stride[1] : 1}};
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    const diag *p = st;
    const ebb_desc *x = &in->in[0];
    out[0].from = x->rank == 2 ? 0 : -1;
    if (x->rank != 2) return;
    out[0].desc = diagonal(p, x, out[0].desc.dim[0], &out[0].offset);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const ebb_desc *y = ebb_blob_desc(out[0]), *x = ebb_blob_desc(in[0]);
    const ptrdiff_t cell = (ptrdiff_t)ebb_dtype_bytes(y->dtype);
    char *to = ebb_blob_data(out[0]);
    const char *from = ebb_blob_data(in[0]);
    ptrdiff_t at;
    if (x->rank == 2) {
        const ebb_desc line = diagonal(st, x, y->dim[0], &at);
        ebb_copy(c, y, to, &line, from + at * cell);
        return EBB_OK;
    }
    const ebb_desc line = diagonal(st, y, x->dim[0], &at);
    ebb_fill(c, y, to, 0);
    ebb_copy(c, &line, to + at * cell, x, from);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_diag = {
    .size = sizeof(ebb_layer_type), .name = "Diag", .doc = "a matrix's diagonal, or a matrix with one",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(diag), .params = params,
    .shape = shape, .plan = plan, .view = view, .cpu = cpu,
};
