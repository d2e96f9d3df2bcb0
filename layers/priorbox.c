// SPDX-License-Identifier: BSD-3-Clause
// priorbox.c - PriorBox: the default boxes of every cell of a map. Rule: only shapes of inputs are read.
//
// Two kinds. SSD: sizes in pixels of an image (a second input, or given), out[0] is 2 rows: boxes, variances.
// MultiBox: one input, no image and no max_sizes; sizes are fractions and out[0] is one axis of boxes.
#include "parts/boxes.h"
#include <limits.h>
#include <math.h>

typedef struct prior {
    ebb_floats min_sizes, max_sizes, aspect_ratios;
    float variance[4];
    int flip, clip, image_width, image_height;
    float step_width, step_height, offset;
    int step_mmdetection, center_mmdetection;
    bool multibox;
} prior;

enum { INFER = -233 };

static const ebb_param params[] = {
    EBB_FLOATS(prior, 0, "min_sizes", min_sizes),
    EBB_FLOATS(prior, 1, "max_sizes", max_sizes),
    EBB_FLOATS(prior, 2, "aspect_ratios", aspect_ratios),
    EBB_FLOAT(prior, 3, "variances[0]", variance[0], .def = 0.1f),
    EBB_FLOAT(prior, 4, "variances[1]", variance[1], .def = 0.1f),
    EBB_FLOAT(prior, 5, "variances[2]", variance[2], .def = 0.2f),
    EBB_FLOAT(prior, 6, "variances[3]", variance[3], .def = 0.2f),
    EBB_INT(prior, 7, "flip", flip, .def = 1, .doc = "each ratio also as 1 / ratio"),
    EBB_INT(prior, 8, "clip", clip, .doc = "to 0..1"),
    EBB_INT(prior, 9, "image_width", image_width, .doc = "-233: of input 1"),
    EBB_INT(prior, 10, "image_height", image_height, .doc = "-233: of input 1"),
    EBB_FLOAT(prior, 11, "step_width", step_width, .def = INFER, .doc = "-233: image / map"),
    EBB_FLOAT(prior, 12, "step_height", step_height, .def = INFER, .doc = "-233: image / map"),
    EBB_FLOAT(prior, 13, "offset", offset, .doc = "of a centre in its cell"),
    EBB_INT(prior, 14, "step_mmdetection", step_mmdetection, .doc = "steps are rounded up"),
    EBB_INT(prior, 15, "center_mmdetection", center_mmdetection, .doc = "centres at offset * (step - 1)"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    prior *p = st;
    p->multibox = in->n_in == 1 && p->image_width == INFER && p->image_height == INFER && p->max_sizes.n == 0;
    if (p->min_sizes.n == 0) return ebb_fail(e, EBB_E_PARAM, "min_sizes is empty");
    if (p->multibox) {
        if (p->aspect_ratios.n == 0) return ebb_fail(e, EBB_E_PARAM, "aspect_ratios is empty");
        return EBB_OK;
    }
    if (p->max_sizes.n && p->max_sizes.n != p->min_sizes.n)
        return ebb_fail(e, EBB_E_PARAM,
                        "max_sizes has %d values and min_sizes %d; as many, or none, expected",
                        p->max_sizes.n, p->min_sizes.n);
    const int size[2] = {p->image_width, p->image_height};
    for (int i = 0; i < 2; i++)
        if (size[i] < 1 && (size[i] != INFER || in->n_in == 1))
            return ebb_fail(e, EBB_E_PARAM,
                            "the image is %d x %d; give its size, or -233 and the image as a second input",
                            size[0], size[1]);
    return EBB_OK;
}

static bool shape_only(const void *st, int i)
{
    (void)st, (void)i;
    return true;
}

// Boxes of one cell.
static long long per_cell(const prior *p)
{
    const long long sizes = p->min_sizes.n, ratios = p->aspect_ratios.n;
    return p->multibox ? sizes - 1 + ratios : sizes + p->max_sizes.n + sizes * ratios * (p->flip ? 2 : 1);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const prior *p = st;
    const long long w = ebb_width(&in->in[0]), h = ebb_height(&in->in[0]), boxes = per_cell(p);
    long long n;
    if (__builtin_mul_overflow(w * h, 4 * boxes, &n) || n > INT_MAX)
        return ebb_fail(e, EBB_E_SHAPE,
                        "a map of %lld x %lld with %lld boxes a cell makes more than %d numbers", h, w, boxes,
                        INT_MAX);
    if (p->multibox) {
        out[0].rank = 1;
        out[0].dim[0] = (int)n;
    } else {
        out[0].rank = 2;
        out[0].dim[0] = 2;
        out[0].dim[1] = (int)n;
    }
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    for (int i = 0; i < in->n_in; i++) plan->in[i] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = ~0u};
    return EBB_OK;
}

typedef struct work {
    const prior *p;
    int w, h;
    float image_w, image_h, step_w, step_h;  // MultiBox: the image is 1 x 1
    float *boxes, *variances;
} work;

static float step(const prior *p, float given, float image, int cells)
{
    if (given != INFER) return given;
    const float s = image / (float)cells;
    return p->step_mmdetection && !p->multibox ? ceilf(s) : s;
}

// Writes the box of this size around a centre, as fractions of the image; returns the place behind it.
static float *put(const work *k, float *to, float cx, float cy, float w, float h)
{
    const float v[4] = {(cx - w * 0.5f) / k->image_w, (cy - h * 0.5f) / k->image_h,
                        (cx + w * 0.5f) / k->image_w, (cy + h * 0.5f) / k->image_h};
    for (int i = 0; i < 4; i++) to[i] = !k->p->clip ? v[i] : v[i] < 0.f ? 0.f : v[i] > 1.f ? 1.f : v[i];
    return to + 4;
}

static float *ssd_cell(const work *k, float *to, float cx, float cy)
{
    const prior *p = k->p;
    for (int i = 0; i < p->min_sizes.n; i++) {
        const float size = p->min_sizes.v[i];
        to = put(k, to, cx, cy, size, size);
        if (p->max_sizes.n) {
            const float between = sqrtf(size * p->max_sizes.v[i]);
            to = put(k, to, cx, cy, between, between);
        }
        for (int r = 0; r < p->aspect_ratios.n; r++) {
            const float root = sqrtf(p->aspect_ratios.v[r]);
            to = put(k, to, cx, cy, size * root, size / root);
            if (p->flip) to = put(k, to, cx, cy, size / root, size * root);
        }
    }
    return to;
}

// All sizes with ratio 1, then the first size with the other ratios. Widths are made square on the map.
static float *multibox_cell(const work *k, float *to, float cx, float cy)
{
    const prior *p = k->p;
    const float square = (float)k->h / (float)k->w, first = p->min_sizes.v[0];
    for (int i = 0; i < p->min_sizes.n; i++)
        to = put(k, to, cx, cy, p->min_sizes.v[i] * square, p->min_sizes.v[i]);
    for (int r = 1; r < p->aspect_ratios.n; r++) {
        const float root = sqrtf(p->aspect_ratios.v[r]);
        to = put(k, to, cx, cy, first * square * root, first / root);
    }
    return to;
}

static void row(void *ctx, size_t at, int worker)
{
    (void)worker;
    const work *k = ctx;
    const int y = (int)at;
    const prior *p = k->p;
    const float less = p->center_mmdetection && !p->multibox ? 1.f : 0.f;
    const ptrdiff_t len = (ptrdiff_t)per_cell(p) * 4 * k->w;
    float *to = k->boxes + y * len;
    for (int x = 0; x < k->w; x++) {
        const float cx = p->offset * (k->step_w - less) + (float)x * k->step_w;
        const float cy = p->offset * (k->step_h - less) + (float)y * k->step_h;
        to = p->multibox ? multibox_cell(k, to, cx, cy) : ssd_cell(k, to, cx, cy);
    }
    if (k->variances)
        for (ptrdiff_t i = 0; i < len; i++) k->variances[y * len + i] = p->variance[i % 4];
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const prior *p = st;
    const ebb_desc *map = ebb_blob_desc(in[0]);
    work k = {.p = p, .w = ebb_width(map), .h = ebb_height(map), .image_w = 1.f, .image_h = 1.f,
              .boxes = ebb_f32(out[0])};
    if (!p->multibox) {
        k.image_w = (float)(p->image_width == INFER ? ebb_width(ebb_blob_desc(in[1])) : p->image_width);
        k.image_h = (float)(p->image_height == INFER ? ebb_height(ebb_blob_desc(in[1])) : p->image_height);
        k.variances = k.boxes + ebb_blob_desc(out[0])->stride[0];
    }
    k.step_w = step(p, p->step_width, k.image_w, k.w);
    k.step_h = step(p, p->step_height, k.image_h, k.h);
    ebb_parallel(c, k.h, row, &k);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_priorbox = {
    .size = sizeof(ebb_layer_type), .name = "PriorBox", .doc = "default boxes of every cell",
    .reads = EBB_PLANAR,
    .in_min = 1, .in_max = 2, .out_min = 1, .out_max = 1,
    .state_size = sizeof(prior), .params = params,
    .init = init, .shape_only = shape_only, .shape = shape, .plan = plan, .cpu = cpu,
};
