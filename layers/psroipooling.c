// SPDX-License-Identifier: BSD-3-Clause
// psroipooling.c - PSROIPooling: averages over the bins of one region, each bin from its own channel.
// Rule: geometry is clipped to the map before it becomes an index.
#include "parts/boxes.h"
#include <limits.h>
#include <math.h>

typedef struct psroi {
    int pooled_width, pooled_height, output_dim;
    float spatial_scale;
} psroi;

static const ebb_param params[] = {
    EBB_INT(psroi, 0, "pooled_width", pooled_width, .def = 7, .min = 1, .max = INT_MAX),
    EBB_INT(psroi, 1, "pooled_height", pooled_height, .def = 7, .min = 1, .max = INT_MAX),
    EBB_FLOAT(psroi, 2, "spatial_scale", spatial_scale, .def = 0.0625f, .doc = "map / image"),
    EBB_INT(psroi, 3, "output_dim", output_dim, .min = 0, .max = INT_MAX),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const psroi *p = st;
    const ebb_desc *map = &in->in[0], *roi = &in->in[1];
    // Divided, since the product may overflow.
    const bool fits = map->rank == 3 && map->dim[0] % p->pooled_width == 0 &&
                      map->dim[0] / p->pooled_width % p->pooled_height == 0 &&
                      map->dim[0] / p->pooled_width / p->pooled_height == p->output_dim;
    if (!fits || ebb_desc_count(roi) < 4)
        return ebb_fail(e, EBB_E_SHAPE,
                        "map and region are %s and %s; %d * %d * %d channels and 4 numbers expected",
                        EBB_SHAPE(map), EBB_SHAPE(roi), p->output_dim,
                        p->pooled_height, p->pooled_width);
    out[0].rank = 3;
    out[0].dim[0] = p->output_dim, out[0].dim[1] = p->pooled_height, out[0].dim[2] = p->pooled_width;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0].orders = plan->in[1].orders = EBB_ANY_ORDER;
    return EBB_OK;
}

typedef struct work {
    const psroi *p;
    const ebb_desc *map, *to;
    const float *x;
    float *y;
    float from[2], bin[2];  // of the region on the map: vertical, horizontal
} work;

// A place on an axis as a whole number in 0..max; 0 for NaN.
static int inside(float v, int max) { return v > 0.f ? (v < (float)max ? (int)v : max) : 0; }

static void bounds(const work *k, int axis, int i, int *from, int *to)
{
    const int max = k->map->dim[1 + axis];
    *from = inside(floorf(k->from[axis] + (float)i * k->bin[axis]), max);
    *to = inside(ceilf(k->from[axis] + (float)(i + 1) * k->bin[axis]), max);
}

static float average(const work *k, int q, int i, int j)
{
    const ptrdiff_t *s = k->map->stride;
    const float *x = k->x + ((q * k->p->pooled_height + i) * k->p->pooled_width + j) * s[0];
    int y0, y1, x0, x1;
    bounds(k, 0, i, &y0, &y1);
    bounds(k, 1, j, &x0, &x1);
    if (y1 <= y0 || x1 <= x0) return 0.f;
    float sum = 0.f;
    for (int v = y0; v < y1; v++)
        for (int u = x0; u < x1; u++) sum += x[v * s[1] + u * s[2]];
    return sum / ((float)(y1 - y0) * (float)(x1 - x0));
}

static void channel(void *ctx, size_t at, int worker)
{
    (void)worker;
    const work *k = ctx;
    const int q = (int)at;
    const ptrdiff_t *s = k->to->stride;
    for (int i = 0; i < k->p->pooled_height; i++)
        for (int j = 0; j < k->p->pooled_width; j++)
            k->y[q * s[0] + i * s[1] + j * s[2]] = average(k, q, i, j);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const psroi *p = st;
    work k = {.p = p, .map = ebb_blob_desc(in[0]), .to = ebb_blob_desc(out[0]), .x = ebb_f32(in[0]),
              .y = ebb_f32(out[0])};
    float r[4];  // x0, y0, x1, y1, the last ones included
    for (size_t i = 0; i < 4; i++) r[i] = ebb_f32(in[1])[ebb_element(ebb_blob_desc(in[1]), i)];
    const int bins[2] = {p->pooled_height, p->pooled_width};
    for (int axis = 0; axis < 2; axis++) {
        const float from = roundf(r[1 - axis]) * p->spatial_scale;
        const float size = roundf(r[3 - axis] + 1.f) * p->spatial_scale - from;
        k.from[axis] = from;
        k.bin[axis] = (size > 0.1f ? size : 0.1f) / (float)bins[axis];
    }
    ebb_parallel(c, p->output_dim, channel, &k);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_psroipooling = {
    .size = sizeof(ebb_layer_type), .name = "PSROIPooling",
    .doc = "averages of the bins of a region, a channel for each",
    .reads = EBB_PLANAR,
    .in_min = 2, .in_max = 2, .out_min = 1, .out_max = 1,
    .state_size = sizeof(psroi), .params = params,
    .shape = shape, .plan = plan, .cpu = cpu,
};
