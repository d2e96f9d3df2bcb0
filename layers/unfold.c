// SPDX-License-Identifier: BSD-3-Clause
// unfold.c - Unfold: the windows over a picture as columns of a matrix. Rule: pixels outside the picture are
// pad_value, known by position.
#include "parts/windows.h"

typedef struct unfold {
    ebb_windows win;
    float pad_value;
} unfold;

static const ebb_param params[] = {
    EBB_WINDOW_ROWS,
    EBB_FLOAT(unfold, 18, "pad_value", pad_value),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    return ebb_windows_init(&((const unfold *)st)->win, true, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_windows *w = &((const unfold *)st)->win;
    const ebb_desc *x = &in->in[0];
    ebb_axis ax, ay;
    if (x->rank != 3)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, must be channels x height x width", EBB_SHAPE(x));
    if (!ebb_windows_x(w, x->dim[2], &ax) || !ebb_windows_y(w, x->dim[1], &ay))
        return ebb_fail(e, EBB_E_SHAPE, "no window of %dx%d fits into the input %s", w->kernel_h, w->kernel_w,
                        EBB_SHAPE(x));
    const size_t taps = ebb_size_mul((size_t)w->kernel_w, (size_t)w->kernel_h),
                 rows = ebb_size_mul((size_t)x->dim[0], taps), cols = ebb_size_mul((size_t)ax.out, (size_t)ay.out);
    if (rows > INT32_MAX || cols > INT32_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "the output would be %zux%zu, sizes end at %d", rows, cols,
                        INT32_MAX);
    out->rank = 2;
    out->dim[0] = (int)rows;
    out->dim[1] = (int)cols;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0].orders = EBB_ANY_ORDER;
    return EBB_OK;
}

typedef struct job {
    const unfold *p;
    const ebb_blob *x;
    ebb_blob *out;
    ebb_axis ax, ay;
} job;

// Row i of the output: channel i / kernel, one place in the window, all windows.
static void one_row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const ebb_windows *w = &j->p->win;
    const ebb_desc *d = ebb_blob_desc(j->x);
    const size_t kw = (size_t)w->kernel_w, kh = (size_t)w->kernel_h;
    const int v = (int)(i % kw), u = (int)(i / kw % kh), c = (int)(i / kw / kh);
    float *y = ebb_f32(j->out) + (ptrdiff_t)i * ebb_blob_desc(j->out)->stride[0];
    for (int oy = 0; oy < j->ay.out; oy++) {
        const long long sy = (long long)oy * w->stride_h + (long long)u * w->dilation_h - j->ay.before;
        const float *row = ebb_f32(j->x) + c * d->stride[0] + (ptrdiff_t)sy * d->stride[1];
        for (int ox = 0; ox < j->ax.out; ox++) {
            const long long sx = (long long)ox * w->stride_w + (long long)v * w->dilation_w - j->ax.before;
            const bool inside = sy >= 0 && sy < d->dim[1] && sx >= 0 && sx < d->dim[2];
            *y++ = inside ? row[(ptrdiff_t)sx * d->stride[2]] : j->p->pad_value;
        }
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    job j = {.p = st, .x = in[0], .out = out[0]};
    const ebb_desc *d = ebb_blob_desc(in[0]);
    ebb_windows_x(&j.p->win, d->dim[2], &j.ax);
    ebb_windows_y(&j.p->win, d->dim[1], &j.ay);
    ebb_parallel(c, ebb_blob_desc(out[0])->dim[0], one_row, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_unfold = {
    .size = sizeof(ebb_layer_type), .name = "Unfold", .doc = "windows over a picture as columns of a matrix",
    .reads = EBB_PLANAR, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(unfold), .params = params, .init = init, .shape = shape, .plan = plan, .cpu = cpu,
};
