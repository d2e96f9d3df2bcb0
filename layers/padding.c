// SPDX-License-Identifier: BSD-3-Clause
// padding.c - Padding: borders of a constant, of the edge, or of the mirrored inside. Rule: axis after axis,
// innermost first, each border is one copy from what is there already; no border is a view.
#include "ebb_layer.h"
#include "parts/fill.h"
#include "parts/reshape_view.h"

enum { CONSTANT, EDGE, REFLECT };
enum { FROM_INPUT = -233 };  // a border that ncnn reads from input 1

typedef struct padding {
    int top, bottom, left, right, front, behind;
    int type, n_values;
    float value;
    const float *values;  // one a channel of the output, instead of value
} padding;

#define BORDER(id_, name_)                                                                                   \
    EBB_INT(padding, id_, #name_, name_, .min = FROM_INPUT, .max = INT32_MAX)
static const ebb_param params[] = {
    BORDER(0, top),
    BORDER(1, bottom),
    BORDER(2, left),
    BORDER(3, right),
    EBB_INT(padding, 4, "type", type, .max = 2, .doc = "0 constant, 1 edge, 2 reflect"),
    EBB_FLOAT(padding, 5, "value", value),
    EBB_INT(padding, 6, "per_channel_pad_data_size", n_values, .max = INT32_MAX),
    BORDER(7, front),
    BORDER(8, behind),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    const padding *p = st;
    static const char *const name[] = {"top", "bottom", "left", "right", "front", "behind"};
    const int border[] = {p->top, p->bottom, p->left, p->right, p->front, p->behind};
    bool from_input = in->n_in > 1;
    for (int i = 0; i < 6; i++) {
        from_input |= border[i] == FROM_INPUT;
        if (border[i] < 0 && !from_input)
            return ebb_fail(e, EBB_E_PARAM, "%s is %d: a border is 0 or more, Crop takes away", name[i],
                            border[i]);
    }
    if (!from_input) return EBB_OK;
    return ebb_fail(
        e, EBB_E_UNSUPPORTED,
        "its borders are numbers in input 1, and shapes that come from data are not supported: write them "
        "as 0=top 1=bottom 2=left 3=right, and take that input away");
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    padding *p = st;
    if (p->n_values == 0) return EBB_OK;
    ebb_weights w;
    EBB_TRY(ebb_load_weights(l, (size_t)p->n_values, EBB_RAW, &w, e));
    EBB_TRY(ebb_load_keep(l, &w, e));
    p->values = w.data;
    return EBB_OK;
}

// Borders of axis i: rows and columns by name, front and behind of c, or of d where there is one.
static void borders(const padding *p, int rank, int i, int *before, int *after)
{
    const int inner = rank - 1 - i;
    *before = inner == 0 ? p->left : inner == 1 ? p->top : inner == 2 ? p->front : 0;
    *after = inner == 0 ? p->right : inner == 1 ? p->bottom : inner == 2 ? p->behind : 0;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const padding *p = st;
    const ebb_desc *x = &in->in[0];
    out[0].dtype = x->dtype;
    out[0].rank = x->rank;
    for (int i = 0; i < x->rank; i++) {
        int before, after;
        borders(p, x->rank, i, &before, &after);
        const int most = before > after ? before : after, n = x->dim[i];
        if (p->type != CONSTANT && most > 0 && (n == 0 || (p->type == REFLECT && most >= n)))
            return ebb_fail(e, EBB_E_SHAPE, "a border of %d cannot come from the %d elements of axis %d",
                            most, n, i);
        if ((int64_t)n + before + after > INT32_MAX)
            return ebb_fail(e, EBB_E_SHAPE, "axis %d of %d elements is too long with borders of %d and %d", i,
                            n, before, after);
        out[0].dim[i] = n + before + after;
    }
    if (!p->values || p->type != CONSTANT || x->rank < 3) return EBB_OK;
    if (p->n_values != out[0].dim[0])
        return ebb_fail(e, EBB_E_SHAPE, "%d values for %d channels", p->n_values, out[0].dim[0]);
    if (x->dtype == EBB_I8 || x->dtype == EBB_I32)
        return ebb_fail(e, EBB_E_UNSUPPORTED, "values per channel are for floats, the input is %s",
                        ebb_dtype_name(x->dtype));
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[0] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    if (ebb_desc_same_shape(&in->in[0], &out[0].desc)) ebb_same_views(st, in, out);
    else out[0].from = -1;
}

// A box of the output: sizes, and its first element.
typedef struct box {
    ebb_desc desc;
    ptrdiff_t at;
    int channel;  // of that element
} box;

static box whole(const ebb_desc *y) { return (box){.desc = *y}; }

static void narrow(box *b, int axis, int from, int n)
{
    b->desc.dim[axis] = n;
    b->at += from * b->desc.stride[axis];
    if (axis == 0) b->channel += from;
}

static void *place(const ebb_blob *y, ptrdiff_t at)
{
    return (char *)ebb_blob_data(y) + at * (ptrdiff_t)ebb_dtype_bytes(ebb_blob_desc(y)->dtype);
}

static void fill_constant(const padding *p, const ebb_cpu *c, const ebb_blob *y, const box *b)
{
    if (!p->values || b->desc.rank < 3) {
        ebb_fill(c, &b->desc, place(y, b->at), p->value);
        return;
    }
    ebb_desc from = b->desc;
    from.dtype = EBB_F32;
    for (int i = 0; i < from.rank; i++) from.stride[i] = i == 0;
    ebb_copy(c, &b->desc, place(y, b->at), &from, p->values + b->channel);
}

// The border [from, from + n) of `axis`: a constant, or a copy of what begins at `source`, one element for
// all or running backwards.
static void fill_border(const padding *p, const ebb_cpu *c, const ebb_blob *y, box b, int axis, int from,
                        int n, int source)
{
    box s = b;
    if (n == 0) return;
    narrow(&b, axis, from, n);
    if (p->type == CONSTANT) {
        fill_constant(p, c, y, &b);
        return;
    }
    narrow(&s, axis, source, n);
    s.desc.stride[axis] = p->type == EDGE ? 0 : -s.desc.stride[axis];
    ebb_copy(c, &b.desc, place(y, b.at), &s.desc, place(y, s.at));
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const padding *p = st;
    const ebb_desc *x = ebb_blob_desc(in[0]), *y = ebb_blob_desc(out[0]);
    int before[EBB_MAX_RANK], after[EBB_MAX_RANK];
    box inside = whole(y);
    for (int i = 0; i < y->rank; i++) {
        borders(p, y->rank, i, &before[i], &after[i]);
        narrow(&inside, i, before[i], x->dim[i]);
    }
    ebb_copy(c, &inside.desc, place(out[0], inside.at), x, ebb_blob_data(in[0]));
    for (int axis = y->rank - 1; axis >= 0; axis--) {
        box b = whole(y);  // inner axes with their borders, outer ones without
        for (int i = 0; i < axis; i++) narrow(&b, i, before[i], x->dim[i]);
        const int first = before[axis], end = first + x->dim[axis], edge = p->type == EDGE;
        fill_border(p, c, out[0], b, axis, 0, first, first + (p->type == REFLECT ? first : 0));
        fill_border(p, c, out[0], b, axis, end, after[axis], edge ? end - 1 : end - 2);
    }
    return EBB_OK;
}

const ebb_layer_type ebb_layer_padding = {
    .size = sizeof(ebb_layer_type), .name = "Padding",
    .doc = "borders of a constant, the edge or the mirrored inside",
    .flags = EBB_LAYER_VIEW, .in_min = 1, .in_max = 2, .out_min = 1, .out_max = 1,
    .state_size = sizeof(padding),
    .params = params, .init = init, .load = load, .shape = shape, .plan = plan, .view = view, .cpu = cpu,
};
