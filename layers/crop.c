// SPDX-License-Identifier: BSD-3-Clause
// crop.c - Crop: a window of the input. Rule: always a view; what reaches outside of the input is refused.
//
// The window comes from expressions, from starts and ends, from the shape of a second input, or from offsets
// and sizes of w, h, d, c, whichever is there first.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "parts/expr.h"
#include <string.h>

enum { REST = -233, W = 0, H, D, C };

typedef struct crop {
    int offset[4], size[4], offset2[4];  // of w, h, d, c; offset2 counts from the far end
    ebb_ints starts, ends, axes;
    const char *text[3];                 // for the same
    const ebb_expr *expr[3];
} crop;

#define ROW(id_, name_, field, ...)                                                                          \
    EBB_INT(crop, id_, name_, field, __VA_ARGS__)
static const ebb_param params[] = {
    ROW(0, "woffset", offset[W]),
    ROW(1, "hoffset", offset[H]),
    ROW(2, "coffset", offset[C]),
    ROW(3, "outw", size[W], .doc = "-233: to the far offset"),
    ROW(4, "outh", size[H]),
    ROW(5, "outc", size[C]),
    ROW(6, "woffset2", offset2[W], .doc = "from the far end"),
    ROW(7, "hoffset2", offset2[H]),
    ROW(8, "coffset2", offset2[C]),
    EBB_INTS(crop, 9, "starts", starts),
    EBB_INTS(crop, 10, "ends", ends),
    EBB_INTS(crop, 11, "axes", axes, .doc = "of starts and ends"),
    ROW(13, "doffset", offset[D]),
    ROW(14, "outd", size[D]),
    ROW(15, "doffset2", offset2[D]),
    EBB_STRING(crop, 19, "starts_expr", text[0]),
    EBB_STRING(crop, 20, "ends_expr", text[1]),
    EBB_STRING(crop, 21, "axes_expr", text[2]),
    {0},
};

static bool has_sizes(const crop *p) { return p->size[W] || p->size[H] || p->size[D] || p->size[C]; }

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    crop *p = st;
    for (int i = 0; i < 3; i++) EBB_TRY(ebb_expr_compile(in, p->text[i], &p->expr[i], e));
    if ((p->expr[0] && p->expr[1]) || (p->starts.n && p->ends.n)) return EBB_OK;
    if (p->expr[0] || p->expr[1] || p->starts.n || p->ends.n)
        return ebb_fail(e, EBB_E_PARAM, "starts and ends come together, here is only one of them");
    if (has_sizes(p)) return EBB_OK;
    if (in->n_in < 2)
        return ebb_fail(e, EBB_E_PARAM,
                        "there are no sizes, no starts and ends, and no second input to take them from");
    if (p->offset[W] == REST)
        return ebb_fail(
            e, EBB_E_UNSUPPORTED,
            "woffset -233 reads the window from the numbers in input 1: shapes that come from data "
            "are not supported, give starts and ends instead");
    return EBB_OK;
}

static bool shape_only(const void *st, int i)
{
    (void)st;
    return i > 0;
}

typedef struct window {
    int at[EBB_MAX_RANK], size[EBB_MAX_RANK];
} window;

// As slices are written in Python: negative numbers count from the end, -233 is open, too much is cut off.
static ebb_status cut(const ebb_desc *x, ebb_ints starts, ebb_ints ends, ebb_ints axes, window *w,
                      ebb_error *e)
{
    if (starts.n != ends.n || (axes.n && axes.n != starts.n))
        return ebb_fail(e, EBB_E_PARAM, "%d starts, %d ends, %d axes: there must be as many of each",
                        starts.n, ends.n, axes.n);
    for (int i = 0; i < starts.n; i++) {
        int axis;
        EBB_TRY(ebb_find_axis(axes.n ? axes.v[i] : i, x->rank, &axis, e));
        const int n = x->dim[axis];
        int from = starts.v[i] == REST ? 0 : starts.v[i], to = ends.v[i] == REST ? n : ends.v[i];
        if (from < 0) from = from < -n ? 0 : from + n;
        if (to <= 0) to += n;
        if (to > n) to = n;
        if (from > to) from = to > 0 ? to : 0;
        w->at[axis] = from, w->size[axis] = to > from ? to - from : 0;
    }
    return EBB_OK;
}

static ebb_status cut_by_expressions(const crop *p, const ebb_shape_in *in, window *w, ebb_error *e)
{
    int v[3][EBB_EXPR_VALUES];
    ebb_ints list[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        if (p->expr[i]) EBB_TRY(ebb_expr_eval(p->expr[i], in, v[i], e));
        list[i] = (ebb_ints){ebb_expr_count(p->expr[i]), v[i]};
    }
    return cut(&in->in[0], list[0], list[1], list[2], w, e);
}

// The place among w, h, d, c of axis i.
static int slot(int rank, int i)
{
    const int inner = rank - 1 - i;
    return inner < 2 ? inner : i == 0 ? C : D;
}

static void cut_like(const crop *p, const ebb_desc *x, const ebb_desc *like, window *w)
{
    for (int i = 0; i < x->rank; i++) {
        const int inner = x->rank - 1 - i;
        w->at[i] = p->offset[slot(x->rank, i)];
        if (inner < 2) w->size[i] = inner < like->rank ? like->dim[like->rank - 1 - inner] : 1;
        else if (i == 0 && like->rank >= 3) w->size[i] = like->dim[0];
        else if (i == 1 && like->rank == 4) w->size[i] = like->dim[1];
    }
}

// Offsets that are -233 from the outermost inwards leave their numbers to the inner slots: with coffset -233,
// w and h mean h and c.
static ebb_status cut_by_sizes(const crop *p, const ebb_desc *x, window *w, ebb_error *e)
{
    int given = x->rank;
    while (given > 1 && p->offset[slot(x->rank, x->rank - given)] == REST) given--;
    for (int i = 0; i < given; i++) {
        const int s = slot(x->rank, x->rank - given + i);
        const int64_t rest = (int64_t)x->dim[i] - p->offset[s] - p->offset2[s];
        w->at[i] = p->offset[s];
        w->size[i] = p->size[s] != REST && p->size[s] < rest ? p->size[s]
                     : rest < 0 || rest > INT32_MAX          ? -1
                                                             : (int)rest;
        if (w->size[i] == 0)
            return ebb_fail(e, EBB_E_SHAPE,
                            "axis %d of %d elements would have none left; give size -233 for all of them", i,
                            x->dim[i]);
    }
    return EBB_OK;
}

static ebb_status find_window(const crop *p, const ebb_shape_in *in, window *w, ebb_error *e)
{
    const ebb_desc *x = &in->in[0];
    for (int i = 0; i < x->rank; i++) w->at[i] = 0, w->size[i] = x->dim[i];
    if (p->expr[0]) return cut_by_expressions(p, in, w, e);
    if (p->starts.n) return cut(x, p->starts, p->ends, p->axes, w, e);
    if (has_sizes(p)) return cut_by_sizes(p, x, w, e);
    cut_like(p, x, &in->in[1], w);
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *x = &in->in[0];
    window w;
    EBB_TRY(find_window(st, in, &w, e));
    for (int i = 0; i < x->rank; i++)
        if (w.at[i] < 0 || w.size[i] < 0 || w.size[i] > x->dim[i] - w.at[i])
            return ebb_fail(e, EBB_E_SHAPE, "%d elements from %d on are outside of axis %d, which has %d",
                            w.size[i], w.at[i], i, x->dim[i]);
    out[0].dtype = x->dtype;
    out[0].rank = x->rank;
    memcpy(out[0].dim, w.size, sizeof w.size);
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    const ebb_desc *x = &in->in[0];
    window w;
    find_window(st, in, &w, NULL);
    const bool empty = ebb_desc_count(&out[0].desc) == 0;
    for (int i = 0; i < x->rank; i++) {
        out[0].desc.stride[i] = x->stride[i];
        if (!empty) out[0].offset += w.at[i] * x->stride[i];
    }
}

const ebb_layer_type ebb_layer_crop = {
    .size = sizeof(ebb_layer_type), .name = "Crop", .doc = "a window of the input", .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = -1, .out_min = 1, .out_max = 1, .state_size = sizeof(crop), .params = params,
    .init = init, .shape_only = shape_only, .shape = shape, .view = view,
};
