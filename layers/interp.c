// SPDX-License-Identifier: BSD-3-Clause
// interp.c - Interp: pictures, or rows, of another size; a vector becomes a picture of equal pixels. Rule:
// where the size is given (a parameter, an expression, a second input) steps are in / out, where a scale is, they
// are 1 / scale, although the size was rounded; aligned corners always step from edge to edge. Edges repeat.
#include "parts/expr.h"
#include "kernels/kernels.h"
#include <limits.h>
#include <math.h>
#include <string.h>

enum { NEAREST = 1, BILINEAR, BICUBIC };

typedef struct interp {
    int type, out_h, out_w, dynamic, align;
    float scale_h, scale_w;
    const char *text;
    const ebb_expr *size;
} interp;

static const ebb_param params[] = {
    EBB_INT(interp, 0, "resize_type", type, .max = BICUBIC, .doc = "1 nearest 2 bilinear 3 bicubic"),
    EBB_FLOAT(interp, 1, "height_scale", scale_h, .def = 1),
    EBB_FLOAT(interp, 2, "width_scale", scale_w, .def = 1),
    EBB_INT(interp, 3, "output_height", out_h, .max = INT_MAX, .doc = "both sizes, else the scales decide"),
    EBB_INT(interp, 4, "output_width", out_w, .max = INT_MAX),
    EBB_INT(interp, 5, "dynamic_target_size", dynamic, .doc = "the size of a second input"),
    EBB_INT(interp, 6, "align_corner", align),
    EBB_STRING(interp, 9, "size_expr", text, .doc = "w,h from the inputs' sizes"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    interp *p = st;
    if (p->type < NEAREST)
        return ebb_fail(e, EBB_E_PARAM, "resize_type must be 1, 2 or 3, it is %d", p->type);
    EBB_TRY(ebb_expr_compile(in, p->text, &p->size, e));
    const int n = ebb_expr_count(p->size);
    if (n > 2) return ebb_fail(e, EBB_E_PARAM, "size_expr has %d values, w,h are wanted", n);
    if (p->dynamic && in->n_in < 2 && !n)
        return ebb_fail(e, EBB_E_PARAM, "dynamic_target_size=1 needs a second input or a size_expr");
    return EBB_OK;
}

static bool shape_only(const void *st, int i) { (void)st; return i > 0; }

// A scaled size, or -1 where it is none.
static int scaled(int size, float scale)
{
    const float s = (float)size * scale;
    return s >= 0 && s < 2147483648.f ? (int)s : -1;
}

static bool sized(const interp *p, int n_in) { return p->size || n_in > 1 || (p->out_h && p->out_w); }

static ebb_status find_size(const interp *p, const ebb_shape_in *in, int *h, int *w, ebb_error *e)
{
    const ebb_desc *d = &in->in[0];
    int value[EBB_EXPR_VALUES];
    *h = d->rank == 3 ? d->dim[1] : 1;
    *w = d->rank > 1 ? d->dim[d->rank - 1] : 1;
    if (p->size) {
        EBB_TRY(ebb_expr_eval(p->size, in, value, e));
        *w = value[0];
        if (ebb_expr_count(p->size) > 1) *h = value[1];
    } else if (in->n_in > 1) {
        const ebb_desc *like = &in->in[1];
        *h = like->rank > 1 ? like->dim[like->rank - 2] : 1;
        *w = like->rank ? like->dim[like->rank - 1] : 1;
    } else if (!sized(p, in->n_in)) {
        *h = scaled(*h, p->scale_h), *w = scaled(*w, p->scale_w);
    } else {
        *h = p->out_h, *w = p->out_w;
    }
    if (d->rank == 2) *h = 1;
    if (*h < 1 || *w < 1) return ebb_fail(e, EBB_E_SHAPE, "a result %d high and %d wide is none", *h, *w);
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *d = &in->in[0];
    int h, w;
    if (d->rank < 1 || d->rank > 3 || ebb_desc_count(d) == 0) {
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s; w, h,w or c,h,w that is not empty is needed",
                        EBB_SHAPE(d));
    }
    EBB_TRY(find_size(st, in, &h, &w, e));
    out[0].rank = d->rank == 2 ? 2 : 3;
    out[0].dim[0] = d->dim[0];
    if (d->rank != 2) out[0].dim[1] = h;
    out[0].dim[out[0].rank - 1] = w;
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- run

// Where along an axis to read, and with which weights.
typedef struct taps {
    int n, at[4];
    float weight[4];
} taps;

typedef struct axis {
    int type, size, out;
    bool align;
    float scale;  // 0: the sizes decide
} axis;

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->scratch = ebb_size_mul((size_t)in->out[0].dim[in->out[0].rank - 1], sizeof(taps));
    return EBB_OK;
}

static void add(taps *t, int at, int size, float weight)
{
    at = at < 0 ? 0 : at >= size ? size - 1 : at;
    if (weight == 0.f) return;
    if (t->n && t->at[t->n - 1] == at) {
        t->weight[t->n - 1] += weight;
    } else {
        t->at[t->n] = at, t->weight[t->n] = weight;
        t->n++;
    }
}

static void cubic(float t, float w[4])
{
    const float a = -0.75f, far = 1.f + t, back = 1.f - t;
    w[0] = ((a * far - 5.f * a) * far + 8.f * a) * far - 4.f * a;
    w[1] = ((a + 2.f) * t - (a + 3.f)) * t * t + 1.f;
    w[2] = ((a + 2.f) * back - (a + 3.f)) * back * back + 1.f;
    w[3] = 1.f - w[0] - w[1] - w[2];
}

// Pixels of the input from one of the output to the next.
static double step_of(const axis *x)
{
    if (x->align) return x->out > 1 ? (double)(x->size - 1) / (x->out - 1) : 0;
    return x->scale > 0 ? 1. / x->scale : (double)x->size / x->out;
}

static void place(const axis *x, int i, taps *t)
{
    const double step = step_of(x);
    const float at_all = (float)(x->align ? i * step : (i + 0.5) * step - 0.5);
    const float f = fminf(at_all, (float)x->size), whole = floorf(f), part = f - whole;  // tiny scales reach far
    const int first = (int)whole;
    t->n = 0;
    if (x->type == NEAREST) {
        const float at = (float)i * (x->scale > 0 ? 1.f / x->scale : (float)x->size / (float)x->out);
        add(t, at < (float)x->size ? (int)at : x->size - 1, x->size, 1.f);
    } else if (x->type == BILINEAR) {
        add(t, first, x->size, 1.f - part);
        add(t, first + 1, x->size, part);
    } else {
        float w[4];
        cubic(part, w);
        for (int k = 0; k < 4; k++) add(t, first - 1 + k, x->size, w[k]);
    }
}

typedef struct work {
    const ebb_kernels *k;
    axis y, x;
    const float *in;
    float *out;
    ptrdiff_t in_row, in_pixel, out_row, out_pixel;
    size_t channels;
    int y0;
    const taps *columns;
} work;

static void row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const work *w = ctx;
    const int y = w->y0 + (int)i;
    taps rows;
    place(&w->y, y, &rows);
    for (int x = 0; x < w->x.out; x++) {
        const taps *columns = &w->columns[x];
        const float *from[16];
        float weight[16];
        int n = 0;
        for (int r = 0; r < rows.n; r++)
            for (int c = 0; c < columns->n; c++, n++) {
                from[n] = w->in + rows.at[r] * w->in_row + columns->at[c] * w->in_pixel;
                weight[n] = rows.weight[r] * columns->weight[c];
            }
        float *to = w->out + y * w->out_row + x * w->out_pixel;
        if (n == 1 && weight[0] == 1.f) memcpy(to, from[0], w->channels * sizeof *to);
        else w->k->weighted_sum_f32(to, from, weight, n, 0, w->channels);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const interp *p = st;
    const ebb_desc *di = ebb_blob_desc(in[0]), *dout = ebb_blob_desc(out[0]);
    const int last_in = di->rank - 1, last_out = dout->rank - 1;
    taps *columns = c->scratch;
    work w = {.k = c->k,
              .in = ebb_f32(in[0]),
              .out = ebb_f32(out[0]),
              .channels = (size_t)di->dim[0],
              .columns = columns};
    w.y = (axis){.type = p->type, .size = 1, .out = 1, .align = p->align};
    w.x = (axis){.type = p->type, .size = 1, .out = dout->dim[last_out], .align = p->align};
    w.out_pixel = dout->stride[last_out];
    if (di->rank > 1) w.x.size = di->dim[last_in], w.in_pixel = di->stride[last_in];
    if (di->rank > 2) w.y.size = di->dim[1], w.in_row = di->stride[1];
    if (dout->rank > 2) w.y.out = dout->dim[1], w.out_row = dout->stride[1], w.y0 = c->y0;
    if (!sized(p, c->n_in)) w.y.scale = p->scale_h, w.x.scale = p->scale_w;
    for (int i = 0; i < w.x.out; i++) place(&w.x, i, &columns[i]);
    ebb_parallel(c, dout->rank > 2 ? c->y1 - c->y0 : 1, row, &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_interp = {
    .size = sizeof(ebb_layer_type), .name = "Interp", .doc = "a picture of another size",
    .reads = EBB_PIXEL, .in_min = 1, .in_max = -1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(interp), .params = params,
    .init = init, .shape_only = shape_only, .shape = shape, .plan = plan, .cpu = cpu,
};
