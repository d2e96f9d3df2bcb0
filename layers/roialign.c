// SPDX-License-Identifier: BSD-3-Clause
// roialign.c - ROIAlign: means of interpolated samples over the bins of a region. Rule: version 0 cuts its
// bins to the picture, version 1 leaves out samples that lie outside.
#include "kernels/kernels.h"
#include "parts/roi.h"
#include <math.h>

typedef struct align {
    ebb_roi roi;
    int sampling_ratio, aligned, version;
} align;

static const ebb_param params[] = {
    EBB_ROI_ROWS,
    EBB_INT(align, 3, "sampling_ratio", sampling_ratio,
            .doc = "samples along an edge of a bin; 0: one a pixel"),
    EBB_INT(align, 4, "aligned", aligned, .max = 1, .doc = "1: pixels have their centres at .5"),
    EBB_INT(align, 5, "version", version, .max = 1),
    {0},
};

// Samples along one axis of a bin: the i-th at from + (i + 0.5) * step.
typedef struct line {
    float from, step;
    int n;
    bool empty;
} line;

static int count(float n) { return n < 1.f ? 0 : n > 65536.f ? 65536 : (int)n; }

static line bin_line(const align *p, float start, float bin, int i, int size)
{
    line l = {.from = start + (float)i * bin};
    float length = bin;
    if (p->version == 0) {
        const float hi = (float)size, end = fminf(fmaxf(start + (float)(i + 1) * bin, 0.f), hi);
        l.from = fminf(fmaxf(l.from, 0.f), hi);
        l.empty = !(end > l.from);
        length = end - l.from;
    }
    l.n = p->sampling_ratio > 0 ? p->sampling_ratio : count(ceilf(length));
    l.step = bin / (float)l.n;
    return l;
}

// The two pixels around x and the weight of the second; false when the sample is left out.
static bool around(const align *p, float x, int size, int at[2], float *second)
{
    if (p->version == 1 && !(x >= -1.f && x <= (float)size)) return false;
    x = x > 0.f ? x : 0.f;
    at[0] = x < (float)(size - 1) ? (int)x : size - 1;
    at[1] = at[0] + 1 < size ? at[0] + 1 : at[0];
    *second = at[1] > at[0] ? x - (float)at[0] : 0.f;
    return true;
}

typedef struct job {
    const align *p;
    const ebb_kernels *k;
    const ebb_blob *x;
    ebb_blob *out;
    float x1, y1, bin_w, bin_h;
    int y0;
} job;

static void one_bin(const job *j, const line *h, const line *v, float *y)
{
    const ebb_desc *d = ebb_blob_desc(j->x);
    const float *base = ebb_f32(j->x);
    const size_t channels = (size_t)d->dim[0];
    const double samples = (double)h->n * v->n, one = h->empty || v->empty || samples == 0 ? 0 : 1 / samples;
    j->k->weighted_sum_f32(y, NULL, NULL, 0, 0, channels);
    for (int b = 0; b < v->n && one > 0; b++) {
        int ry[2], rx[2];
        float wy, wx;
        if (!around(j->p, v->from + ((float)b + 0.5f) * v->step, d->dim[1], ry, &wy)) continue;
        for (int a = 0; a < h->n; a++) {
            if (!around(j->p, h->from + ((float)a + 0.5f) * h->step, d->dim[2], rx, &wx)) continue;
            const float *row[2] = {base + ry[0] * d->stride[1], base + ry[1] * d->stride[1]}, s = (float)one;
            const float *x[4] = {row[0] + rx[0] * d->stride[2], row[0] + rx[1] * d->stride[2],
                                 row[1] + rx[0] * d->stride[2], row[1] + rx[1] * d->stride[2]};
            const float w[4] = {(1 - wy) * (1 - wx) * s, (1 - wy) * wx * s, wy * (1 - wx) * s, wy * wx * s};
            j->k->weighted_sum_f32(y, x, w, 4, 1, channels);
        }
    }
}

static void one_row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const ebb_desc *d = ebb_blob_desc(j->x), *o = ebb_blob_desc(j->out);
    const int row = j->y0 + (int)i;
    const line v = bin_line(j->p, j->y1, j->bin_h, row, d->dim[1]);
    for (int col = 0; col < o->dim[2]; col++) {
        const line h = bin_line(j->p, j->x1, j->bin_w, col, d->dim[2]);
        one_bin(j, &h, &v, ebb_f32(j->out) + row * o->stride[1] + col * o->stride[2]);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const align *p = st;
    float box[4];
    ebb_roi_read(&p->roi, in[1], box);
    const float shift = p->aligned ? 0.5f : 0.f, least = p->aligned ? -INFINITY : 1.f;
    const float w = fmaxf(box[2] - box[0], least), h = fmaxf(box[3] - box[1], least);
    job j = {p, c->k, in[0], out[0], box[0] - shift, box[1] - shift, w / (float)p->roi.pooled_width,
             h / (float)p->roi.pooled_height, c->y0};
    ebb_parallel(c, c->y1 - c->y0, one_row, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_roialign = {
    .size = sizeof(ebb_layer_type),
    .name = "ROIAlign",
    .doc = "means of interpolated samples over the bins of a region",
    .reads = EBB_PIXEL,
    .in_min = 2,
    .in_max = 2,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(align),
    .params = params,
    .init = ebb_roi_init,
    .shape = ebb_roi_shape,
    .plan = ebb_roi_plan,
    .cpu = cpu,
};
