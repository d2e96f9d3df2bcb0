// SPDX-License-Identifier: BSD-3-Clause
// fold.c - Fold: columns of a matrix are windows, added up into a picture. Rule: what falls into the pads is
// dropped.
#include "parts/windows.h"
#include <string.h>

typedef struct fold {
    ebb_windows win;
    int output_w, output_h;
} fold;

static const ebb_param params[] = {
    EBB_WINDOW_ROWS,
    EBB_INT(fold, 20, "output_w", output_w),
    EBB_INT(fold, 21, "output_h", output_h, .like = EBB_LIKE(20)),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const fold *p = st;
    ebb_axis ax, ay;
    EBB_TRY(ebb_windows_init(&p->win, false, e));
    if (!ebb_windows_x(&p->win, p->output_w, &ax) || !ebb_windows_y(&p->win, p->output_h, &ay))
        return ebb_fail(e, EBB_E_PARAM, "no window of %dx%d fits into the output of %dx%d", p->win.kernel_h,
                        p->win.kernel_w, p->output_h, p->output_w);
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const fold *p = st;
    const ebb_desc *x = &in->in[0];
    ebb_axis ax, ay;
    ebb_windows_x(&p->win, p->output_w, &ax);
    ebb_windows_y(&p->win, p->output_h, &ay);
    const long long kernel = (long long)p->win.kernel_w * p->win.kernel_h;
    if (x->rank != 2 || x->dim[0] % kernel || x->dim[1] != (long long)ax.out * ay.out)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, must be channels * %lld x %lld windows",
                        EBB_SHAPE(x), kernel, (long long)ax.out * ay.out);
    out->rank = 3;
    out->dim[0] = (int)(x->dim[0] / kernel);
    out->dim[1] = p->output_h;
    out->dim[2] = p->output_w;
    return EBB_OK;
}

typedef struct job {
    const fold *p;
    const ebb_blob *x;
    ebb_blob *out;
    ebb_axis ax, ay;
} job;

// Adds one place of all windows of a channel.
static void add_place(const job *j, float *y, const float *x, int u, int v)
{
    const ebb_windows *w = &j->p->win;
    const ptrdiff_t line = ebb_blob_desc(j->out)->stride[1];
    for (int wy = 0; wy < j->ay.out; wy++) {
        const long long ty = (long long)wy * w->stride_h + (long long)u * w->dilation_h - j->ay.before;
        for (int wx = 0; wx < j->ax.out; wx++, x++) {
            const long long tx = (long long)wx * w->stride_w + (long long)v * w->dilation_w - j->ax.before;
            if (ty >= 0 && ty < j->p->output_h && tx >= 0 && tx < j->p->output_w)
                y[(ptrdiff_t)ty * line + tx] += *x;
        }
    }
}

static void one_channel(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const int c = (int)i;
    const ebb_windows *w = &j->p->win;
    const ebb_desc *d = ebb_blob_desc(j->out), *x = ebb_blob_desc(j->x);
    float *y = ebb_f32(j->out) + c * d->stride[0];
    for (int r = 0; r < d->dim[1]; r++) memset(y + r * d->stride[1], 0, (size_t)d->dim[2] * sizeof(float));
    for (int u = 0; u < w->kernel_h; u++)
        for (int v = 0; v < w->kernel_w; v++)
            add_place(j, y,  // fits: channels of the input
                      ebb_f32(j->x) + ((ptrdiff_t)(c * w->kernel_h + u) * w->kernel_w + v) * x->stride[0], u,
                      v);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    job j = {.p = st, .x = in[0], .out = out[0]};
    ebb_windows_x(&j.p->win, j.p->output_w, &j.ax);
    ebb_windows_y(&j.p->win, j.p->output_h, &j.ay);
    ebb_parallel(c, ebb_blob_desc(out[0])->dim[0], one_channel, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_fold = {
    .size = sizeof(ebb_layer_type), .name = "Fold", .doc = "adds the columns of a matrix up into a picture",
    .reads = EBB_PLANAR, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(fold), .params = params, .init = init, .shape = shape, .cpu = cpu,
};
