// SPDX-License-Identifier: BSD-3-Clause
// yolov5focus.c - YoloV5Focus: each 2x2 square of pixels becomes one pixel of 4 x channels. Rule: block b of
// the channels takes the pixel at row b % 2 and column b / 2 of its square.
#include "own_layers.h"

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st;
    const ebb_desc *x = &in->in[0];
    if (x->rank != 3 || x->dim[1] < 2 || x->dim[2] < 2 || x->dim[0] > INT32_MAX / 4)
        return ebb_fail(e, EBB_E_SHAPE, "needs channels of at least 2x2, not %s", EBB_SHAPE(x));
    out[0].rank = 3;
    out[0].dim[0] = x->dim[0] * 4;
    out[0].dim[1] = x->dim[1] / 2;
    out[0].dim[2] = x->dim[2] / 2;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0].orders = EBB_ANY_ORDER;
    return EBB_OK;
}

typedef struct rows {
    const ebb_desc *in, *out;
    const float *x;
    float *y;
    int y0;
} rows;

static void row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const rows *r = ctx;
    const int channels = r->in->dim[0], at = r->y0 + (int)i;
    for (int px = 0; px < r->out->dim[2]; px++) {
        float *to = r->y + at * r->out->stride[1] + px * r->out->stride[2];
        for (int q = 0; q < 4 * channels; q++) {
            const int block = q / channels;
            to[q * r->out->stride[0]] =
                r->x[q % channels * r->in->stride[0] + (2 * at + block % 2) * r->in->stride[1] +
                     (2 * px + block / 2) * r->in->stride[2]];
        }
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)st, (void)e;
    rows r = {ebb_blob_desc(in[0]), ebb_blob_desc(out[0]), ebb_f32(in[0]), ebb_f32(out[0]), c->y0};
    ebb_parallel(c, c->y1 - c->y0, row, &r);
    return EBB_OK;
}

const ebb_layer_type tool_yolov5focus = {
    .size = sizeof(ebb_layer_type),
    .name = "YoloV5Focus",
    .reads = EBB_PIXEL,
    .doc = "each 2x2 square of pixels becomes one pixel of 4 x channels",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
