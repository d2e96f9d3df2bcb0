// SPDX-License-Identifier: BSD-3-Clause
// yolodetectionoutput.c - YoloDetectionOutput (v2) and Yolov3DetectionOutput: anchor maps -> rows of label,
// score, box. Rule: maps are read by their strides, so nothing is converted for it.
#include "parts/boxes.h"
#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct yolo {
    int num_class, num_box;
    float confidence_threshold, nms_threshold;
    ebb_floats biases, mask, anchors_scale;
    bool v3;
} yolo;

#define YOLO_ROWS                                                                                            \
    EBB_INT(yolo, 0, "num_class", num_class, .def = 20, .min = 1, .max = INT_MAX / 2),                       \
    EBB_INT(yolo, 1, "num_box", num_box, .def = 5, .min = 1, .max = INT_MAX, .doc = "anchors of a cell"),    \
    EBB_FLOAT(yolo, 2, "confidence_threshold", confidence_threshold, .def = 0.01f),                          \
    EBB_FLOAT(yolo, 3, "nms_threshold", nms_threshold, .def = 0.45f),                                        \
    EBB_FLOATS(yolo, 4, "biases", biases, .doc = "width and height of each anchor")

static const ebb_param params[] = {YOLO_ROWS, {0}};
static const ebb_param params_v3[] = {
    YOLO_ROWS,
    EBB_FLOATS(yolo, 5, "mask", mask, .doc = "num_box anchors for each input"),
    EBB_FLOATS(yolo, 6, "anchors_scale", anchors_scale, .doc = "pixels of a cell, for each input"),
    {0},
};

// Some files hold the bits of a float here, written as a whole number: 1077936128 is 3.
static double mask_value(float v)
{
    if (!(v >= 0x1p29f && v < 0x1p31f)) return (double)v;
    const int32_t bits = (int32_t)v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

// The anchor of box `box` of input `input`; -1: the file names none.
static int anchor(const yolo *p, int input, int box)
{
    const long long at = (long long)input * p->num_box + box;
    if (!p->v3) return box < p->biases.n / 2 ? box : -1;
    const double v = at < p->mask.n ? mask_value(p->mask.v[at]) : -1;
    return v >= 0 && v < p->biases.n / 2 ? (int)v : -1;
}

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    const yolo *p = st;
    for (int i = 0; i < in->n_in; i++)
        for (int box = 0; box < p->num_box; box++)
            if (anchor(p, i, box) < 0)
                return ebb_fail(e, EBB_E_PARAM,
                                "box %d of input %d has no anchor: biases has %d values, mask %d", box, i,
                                p->biases.n, p->mask.n);
    if (p->v3 && p->anchors_scale.n < in->n_in)
        return ebb_fail(e, EBB_E_PARAM, "anchors_scale has %d values for %d inputs", p->anchors_scale.n,
                        in->n_in);
    return EBB_OK;
}

static ebb_status init_v3(void *st, const ebb_init *in, ebb_error *e)
{
    ((yolo *)st)->v3 = true;
    return init(st, in, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const yolo *p = st;
    size_t rows = 0;
    for (int i = 0; i < in->n_in; i++) {
        const ebb_desc *d = &in->in[i];
        if (d->rank != 3 || d->dim[0] / p->num_box != p->num_class + 5)
            return ebb_fail(e, EBB_E_SHAPE, "input %d is %s; %d boxes of 5 + %d channels expected", i,
                            EBB_SHAPE(d), p->num_box, p->num_class);
        const size_t count = ebb_desc_count(d);
        if (count > INT_MAX)
            return ebb_fail(e, EBB_E_SHAPE, "input %d has more than %d elements", i, INT_MAX);
        const size_t pixels = ebb_size_mul((size_t)d->dim[1], (size_t)d->dim[2]);
        rows = ebb_size_add(rows, ebb_size_mul(pixels, (size_t)p->num_box));
    }
    if (rows > INT_MAX) return ebb_fail(e, EBB_E_SHAPE, "%zu boxes are more than %d", rows, INT_MAX);
    out[0].rank = 2;
    out[0].dim[0] = (int)rows;
    out[0].dim[1] = 6;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    for (int i = 0; i < in->n_in; i++) plan->in[i].orders = EBB_ANY_ORDER;
    plan->scratch = ebb_size_mul((size_t)in->out[0].dim[0], sizeof(ebb_box));
    return EBB_OK;
}

static float sigmoid(float x) { return 1.f / (1.f + expf(-x)); }

// The best class of those at v, which are `step` apart.
static int best_class(const yolo *p, const float *v, ptrdiff_t step)
{
    int best = 0;
    float top = -INFINITY;
    for (int q = 0; q < p->num_class; q++)
        if (v[q * step] > top) best = q, top = v[q * step];
    return best;
}

// v2: how sure a box is times the class among the others. v3: models are tuned to 1 / (1 + e^-b (1 + e^-c)),
// which is a little more than the product of two sigmoids.
static float score_of(const yolo *p, float box, const float *v, ptrdiff_t step, int best)
{
    const float top = v[best * step];
    if (p->v3) return 1.f / (1.f + expf(-box) * (1.f + expf(-top)));
    float sum = 0.f;
    for (int q = 0; q < p->num_class; q++) sum += expf(v[q * step] - top);
    return sigmoid(box) / sum;
}

// Cell (y, x) of one box; false when it is below the threshold.
static bool decode(const yolo *p, const ebb_desc *d, const float *v, int y, int x, const float size[2],
                   ebb_box *b)
{
    const ptrdiff_t step = d->stride[0];
    if (sigmoid(v[4 * step]) < p->confidence_threshold) return false;  // no class makes it better
    b->label = best_class(p, v + 5 * step, step);
    b->score = score_of(p, v[4 * step], v + 5 * step, step, b->label);
    if (!(b->score >= p->confidence_threshold)) return false;
    const float cx = ((float)x + sigmoid(v[0])) / (float)d->dim[2],
                cy = ((float)y + sigmoid(v[step])) / (float)d->dim[1];
    const float w = expf(v[2 * step]) * size[0], h = expf(v[3 * step]) * size[1];
    b->x0 = cx - w * 0.5f, b->x1 = cx + w * 0.5f;
    b->y0 = cy - h * 0.5f, b->y1 = cy + h * 0.5f;
    return true;
}

// Appends what input i shows to the n boxes found so far.
static int find(const yolo *p, int i, const ebb_blob *in, ebb_box *found, int n)
{
    const ebb_desc *d = ebb_blob_desc(in);
    for (int box = 0; box < p->num_box; box++) {
        const float *bias = p->biases.v + 2 * anchor(p, i, box);
        const float cell = p->v3 ? p->anchors_scale.v[i] : 1.f;
        const float size[2] = {bias[0] / truncf(cell * (float)d->dim[2]),
                               bias[1] / truncf(cell * (float)d->dim[1])};
        const float *v = ebb_f32(in) + box * (p->num_class + 5) * d->stride[0];
        for (int y = 0; y < d->dim[1]; y++)
            for (int x = 0; x < d->dim[2]; x++)
                n += decode(p, d, v + y * d->stride[1] + x * d->stride[2], y, x, size, &found[n]);
    }
    return n;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const yolo *p = st;
    ebb_box *found = c->scratch;
    int n = 0;
    for (int i = 0; i < c->n_in; i++) n = find(p, i, in[i], found, n);
    ebb_boxes_sort(found, n);
    n = ebb_boxes_suppress(found, n, p->nms_threshold);
    ebb_boxes_write(found, n, 1, out[0]);  // label 0 is the background
    return EBB_OK;
}

const ebb_layer_type ebb_layer_yolodetectionoutput = {
    .size = sizeof(ebb_layer_type), .name = "YoloDetectionOutput",
    .doc = "YOLO v2 boxes: rows of label, score, x0, y0, x1, y1",
    .flags = EBB_LAYER_DATA_SHAPE, .reads = EBB_PLANAR,
    .in_min = 1, .in_max = -1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(yolo), .params = params,
    .init = init, .shape = shape, .plan = plan, .cpu = cpu,
};

const ebb_layer_type ebb_layer_yolov3detectionoutput = {
    .size = sizeof(ebb_layer_type), .name = "Yolov3DetectionOutput",
    .doc = "YOLO v3 boxes: rows of label, score, x0, y0, x1, y1",
    .flags = EBB_LAYER_DATA_SHAPE, .reads = EBB_PLANAR,
    .in_min = 1, .in_max = -1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(yolo), .params = params_v3,
    .init = init_v3, .shape = shape, .plan = plan, .cpu = cpu,
};
