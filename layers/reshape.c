// SPDX-License-Identifier: BSD-3-Clause
// reshape.c - Reshape: the same elements in c, h, w order, other axes. Rule: a view where the strides allow;
// sizes that do not hold exactly these elements are refused.
//
// Old files may set `permute`: then the elements are counted with the outermost axis innermost, as pictures lie in
// h, w, c order, on both sides.
#include "ebb_layer.h"
#include "parts/expr.h"
#include "parts/reshape_view.h"
#include <limits.h>

enum { ABSENT = -233, NO_BATCH = 233 };

typedef struct reshape {
    int w, h, c, d, permute, in_batch, out_batch;
    const char *text;
    const ebb_expr *expr;
    int rank;
} reshape;

static const ebb_param params[] = {
    EBB_INT(reshape, 0, "w", w, .def = ABSENT, .doc = "0 keeps, -1 takes what is left, -233 absent"),
    EBB_INT(reshape, 1, "h", h, .def = ABSENT),
    EBB_INT(reshape, 2, "c", c, .def = ABSENT),
    EBB_INT(reshape, 3, "permute", permute, .min = 0, .max = 1,
            .doc = "1: elements in h, w, c order, in old files"),
    EBB_STRING(reshape, 6, "shape_expr", text, .doc = "w, h, d, c"),
    EBB_INT(reshape, 11, "d", d, .def = ABSENT),
    EBB_INT(reshape, 12, "input_batch_axis", in_batch, .def = NO_BATCH),
    EBB_INT(reshape, 13, "output_batch_axis", out_batch, .def = NO_BATCH),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    reshape *p = st;
    if (p->in_batch != NO_BATCH || p->out_batch != NO_BATCH)
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "batch axes %d and %d: only single images are supported, without 12= and 13=",
                        p->in_batch, p->out_batch);
    EBB_TRY(ebb_expr_compile(in, p->text, &p->expr, e));
    p->rank = p->expr          ? ebb_expr_count(p->expr)
              : p->w == ABSENT ? 0
              : p->h == ABSENT ? 1
              : p->c == ABSENT ? 2
              : p->d == ABSENT ? 3
                               : 4;
    if (p->rank < 1 || p->rank > EBB_MAX_RANK)
        return ebb_fail(e, EBB_E_PARAM, "%d sizes, but a shape has 1 to %d", p->rank, EBB_MAX_RANK);
    return EBB_OK;
}

static bool shape_only(const void *st, int i)
{
    (void)st;
    return i > 0;
}

// The size of the input's axis of that name, which out's axis i keeps when its size is 0.
static int kept(const ebb_desc *x, int rank, int i)
{
    const int inner = rank - 1 - i;  // 0 w, 1 h, then d (of four axes), c
    if (inner < 2) return inner < x->rank ? x->dim[x->rank - 1 - inner] : 1;
    if (i > 0) return x->rank == 4 ? x->dim[1] : 1;
    return x->rank >= 3 ? x->dim[0] : 1;
}

// Sizes as written, outermost first.
static ebb_status wanted(const reshape *p, const ebb_shape_in *in, int *dim, ebb_error *e)
{
    int size[EBB_EXPR_VALUES] = {p->w, p->h, p->rank == 4 ? p->d : p->c, p->c};
    if (p->expr) EBB_TRY(ebb_expr_eval(p->expr, in, size, e));
    for (int i = 0; i < p->rank; i++) dim[i] = size[p->rank - 1 - i];
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const reshape *p = st;
    const ebb_desc *x = &in->in[0];
    ebb_desc *y = &out[0];
    size_t others = 1;
    int open = -1;
    y->dtype = x->dtype;
    y->rank = p->rank;
    EBB_TRY(wanted(p, in, y->dim, e));
    for (int i = 0; i < y->rank; i++) {
        if (y->dim[i] == 0) y->dim[i] = kept(x, y->rank, i);
        if (y->dim[i] < -1 || (y->dim[i] == -1 && open >= 0))
            return ebb_fail(e, EBB_E_SHAPE, "%s is no shape: sizes are 0 and up, and one may be -1",
                            EBB_SHAPE(y));
        if (y->dim[i] == -1) open = i;
        else others = ebb_size_mul(others, (size_t)y->dim[i]);
    }
    const size_t n = ebb_desc_count(x);
    if (open >= 0 && others > 0 && n / others <= INT_MAX) y->dim[open] = (int)(n / others);
    if (ebb_desc_count(y) == n) return EBB_OK;
    return ebb_fail(e, EBB_E_SHAPE, "%zu elements of %s do not fit into %s", n,
                    EBB_SHAPE(x), EBB_SHAPE(y));
}

// The same elements with the outermost axis innermost.
static ebb_desc outermost_last(const ebb_desc *d)
{
    ebb_desc r = *d;
    for (int i = 0; i < d->rank; i++) {
        r.dim[i] = d->dim[(i + 1) % d->rank];
        r.stride[i] = d->stride[(i + 1) % d->rank];
    }
    return r;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    ebb_desc *d = &out[0].desc;
    if (!((const reshape *)st)->permute) {
        if (!ebb_reshape_view(&in->in[0], d)) out[0].from = EBB_BY_COPY;
        return;
    }
    const ebb_desc x = outermost_last(&in->in[0]);
    ebb_desc y = outermost_last(d);
    if (!ebb_reshape_view(&x, &y)) out[0].from = EBB_BY_CPU;
    for (int i = 0; i < d->rank; i++) d->stride[(i + 1) % d->rank] = y.stride[i];
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[0] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    plan->out[0].follow = -1;
    return EBB_OK;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_desc x = *ebb_blob_desc(in[0]), y = *ebb_blob_desc(out[0]);
    if (((const reshape *)st)->permute) x = outermost_last(&x), y = outermost_last(&y);
    ebb_copy(c, &y, ebb_blob_data(out[0]), &x, ebb_blob_data(in[0]));
    return EBB_OK;
}

const ebb_layer_type ebb_layer_reshape = {
    .size = sizeof(ebb_layer_type), .name = "Reshape", .doc = "the same elements, other axes",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = -1, .out_min = 1, .out_max = 1, .state_size = sizeof(reshape), .params = params,
    .init = init, .shape_only = shape_only, .shape = shape, .plan = plan, .view = view, .cpu = cpu,
};
