// SPDX-License-Identifier: BSD-3-Clause
// roipooling.c - ROIPooling: the largest pixel of each bin of a region, channel by channel. Rule: bins are
// cut to the picture; an empty one gives 0.
#include "parts/roi.h"
#include <math.h>
#include <string.h>

static const ebb_param params[] = {EBB_ROI_ROWS, {0}};

// A side of the region in whole pixels.
typedef struct side {
    int from, length;
} side;

static int whole(float x) { return x >= 1e6f ? 1000000 : x > -1e6f ? (int)roundf(x) : -1000000; }

static side side_of(float a, float b)
{
    const int from = whole(a), length = whole(b) - from + 1;
    return (side){from, length < 1 ? 1 : length};
}

// Pixels [lo, hi) of bin i of n.
static void bin(const side *s, int i, int n, int size, int *lo, int *hi)
{
    const float step = (float)s->length / (float)n;
    const int from = s->from + (int)floorf((float)i * step), to = s->from + (int)ceilf((float)(i + 1) * step);
    *lo = from < 0 ? 0 : from > size ? size : from;
    *hi = to < 0 ? 0 : to > size ? size : to;
}

typedef struct job {
    const ebb_roi *p;
    const ebb_blob *x;
    ebb_blob *out;
    side h, v;
    int y0;
} job;

static void keep_larger(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++) y[i] = x[i] > y[i] || x[i] != x[i] ? x[i] : y[i];
}

static void one_row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const ebb_desc *d = ebb_blob_desc(j->x), *o = ebb_blob_desc(j->out);
    const int row = j->y0 + (int)i, channels = d->dim[0];
    int top, bottom, left, right;
    bin(&j->v, row, j->p->pooled_height, d->dim[1], &top, &bottom);
    for (int col = 0; col < o->dim[2]; col++) {
        float *y = ebb_f32(j->out) + row * o->stride[1] + col * o->stride[2];
        bin(&j->h, col, j->p->pooled_width, d->dim[2], &left, &right);
        const float *first = ebb_f32(j->x) + top * d->stride[1] + left * d->stride[2];
        if (bottom <= top || right <= left) {
            memset(y, 0, (size_t)channels * sizeof(float));
            continue;
        }
        memcpy(y, first, (size_t)channels * sizeof(float));
        for (int b = 0; b < bottom - top; b++)
            for (int a = 0; a < right - left; a++)
                keep_larger(y, first + b * d->stride[1] + a * d->stride[2], channels);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    float box[4];
    ebb_roi_read(st, in[1], box);
    job j = {st, in[0], out[0], side_of(box[0], box[2]), side_of(box[1], box[3]), c->y0};
    ebb_parallel(c, c->y1 - c->y0, one_row, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_roipooling = {
    .size = sizeof(ebb_layer_type), .name = "ROIPooling", .doc = "the largest pixel of each bin of a region",
    .reads = EBB_PIXEL, .in_min = 2, .in_max = 2, .out_min = 1, .out_max = 1,
    .state_size = sizeof(ebb_roi), .params = params,
    .init = ebb_roi_init, .shape = ebb_roi_shape, .plan = ebb_roi_plan, .cpu = cpu,
};
