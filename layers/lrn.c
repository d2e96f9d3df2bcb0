// SPDX-License-Identifier: BSD-3-Clause
// lrn.c - LRN: x * (bias + alpha * mean of squares nearby) ^ -beta, nearby in channels or in the plane. Rule:
// what lies outside counts as 0, and the mean is over the whole window.
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include <limits.h>
#include <string.h>

enum { ACROSS_CHANNELS, WITHIN_CHANNEL };

typedef struct lrn {
    int region, size;
    float alpha, beta, bias;
} lrn;

#define FLOAT(id_, name_, field, def_) \
    EBB_FLOAT(lrn, id_, name_, field, .def = def_)
static const ebb_param params[] = {
    EBB_INT(lrn, 0, "region_type", region, .max = WITHIN_CHANNEL,
            .doc = "0 across channels 1 within a channel"),
    EBB_INT(lrn, 1, "local_size", size, .def = 5, .min = 1, .max = 32768),
    FLOAT(2, "alpha", alpha, 1),
    FLOAT(3, "beta", beta, 0.75f),
    FLOAT(4, "bias", bias, 1),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    if (in->in[0].rank != 3)
        return ebb_fail(e, EBB_E_SHAPE, "the input has %d axes, c,h,w is needed", in->in[0].rank);
    return ebb_elementwise_shape(st, in, out, e);
}

// Channels on each side that may be in the window.
static size_t reach(const lrn *p, size_t channels)
{
    const size_t half = (size_t)(p->size / 2);
    return half < channels ? half : channels;
}

// Sums of one pixel; across channels also their squares, with zeros on both sides.
static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const lrn *p = st;
    const size_t c = (size_t)in->in[0].dim[0],
                 squares = p->region == ACROSS_CHANNELS ? ebb_size_add(c, ebb_size_mul(2, reach(p, c))) : 0;
    plan->worker_scratch = ebb_size_mul(ebb_size_add(c, squares), sizeof(float));
    if (p->region == ACROSS_CHANNELS) plan->out[0].steal = EBB_BIT(0);
    return EBB_OK;
}

typedef struct work {
    const lrn *p;
    const ebb_cpu *cpu;
    const ebb_desc *x, *y;
    const float *in;
    float *out;
} work;

static void sum_across(const work *w, const float *x, float *sum, size_t n)
{
    static const float none[3];
    const size_t half = reach(w->p, n);
    float *squares = sum + n;
    memset(squares, 0, half * sizeof *squares);
    memset(squares + half + n, 0, half * sizeof *squares);
    w->cpu->k->unary_f32(EBB_SQUARE, squares + half, x, n, none);
    w->cpu->k->lrn_window_f32(sum, squares, n, 2 * half + 1);
}

static void sum_within(const work *w, int y, int x, float *sum, size_t n)
{
    const int size = w->p->size, top = y - size / 2, left = x - size / 2, from = left < 0 ? 0 : left;
    const int to = left + size > w->x->dim[2] ? w->x->dim[2] : left + size;
    memset(sum, 0, n * sizeof *sum);
    for (int r = top < 0 ? 0 : top; r < top + size && r < w->x->dim[1]; r++)
        w->cpu->k->reduce_f32(EBB_SUM_SQUARE, sum, w->in + r * w->x->stride[1] + from * w->x->stride[2],
                              (size_t)(to - from), w->x->stride[2], n, 1, NULL);
}

static void row(void *ctx, size_t i, int worker)
{
    const work *w = ctx;
    const lrn *p = w->p;
    const int y = w->cpu->y0 + (int)i;
    const size_t n = (size_t)w->x->dim[0];
    const float count = p->region == ACROSS_CHANNELS ? (float)p->size : (float)p->size * (float)p->size;
    float *sum = ebb_worker_scratch(w->cpu, worker);
    for (int x = 0; x < w->x->dim[2]; x++) {
        const float *from = w->in + y * w->x->stride[1] + x * w->x->stride[2];
        if (p->region == ACROSS_CHANNELS) sum_across(w, from, sum, n);
        else sum_within(w, y, x, sum, n);
        w->cpu->k->lrn_scale_f32(w->out + y * w->y->stride[1] + x * w->y->stride[2], from, sum, n, p->bias,
                                 p->alpha / count, p->beta);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    work w = {.p = st,
              .cpu = c,
              .x = ebb_blob_desc(in[0]),
              .y = ebb_blob_desc(out[0]),
              .in = ebb_f32(in[0]),
              .out = ebb_f32(out[0])};
    ebb_parallel(c, c->y1 - c->y0, row, &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_lrn = {
    .size = sizeof(ebb_layer_type), .name = "LRN", .doc = "x over a power of the squares nearby",
    .reads = EBB_PIXEL, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(lrn), .params = params,
    .shape = shape, .plan = plan, .cpu = cpu,
};
