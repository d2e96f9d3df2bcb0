// SPDX-License-Identifier: BSD-3-Clause
// proposal.c - Proposal of Faster R-CNN: anchor scores and offsets -> the best regions of the image.
// Rule: what is too small, or has no number as its score, is no candidate.
#include "parts/boxes.h"
#include <limits.h>
#include <math.h>

enum { RATIOS = 3, SCALES = 3, ANCHORS = RATIOS * SCALES };

typedef struct proposal {
    int feat_stride, base_size, pre_nms_topN, after_nms_topN, min_size;
    float nms_thresh;
    float anchor[ANCHORS][4];  // of cell (0, 0)
} proposal;

static const ebb_param params[] = {
    EBB_INT(proposal, 0, "feat_stride", feat_stride, .def = 16, .doc = "pixels of a cell"),
    EBB_INT(proposal, 1, "base_size", base_size, .def = 16),
    EBB_INT(proposal, 2, "pre_nms_topN", pre_nms_topN, .def = 6000, .doc = "0 and less: all"),
    EBB_INT(proposal, 3, "after_nms_topN", after_nms_topN, .def = 300, .min = 0, .max = INT_MAX),
    EBB_FLOAT(proposal, 4, "nms_thresh", nms_thresh, .def = 0.7f),
    EBB_INT(proposal, 5, "min_size", min_size, .def = 16),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in, (void)e;
    static const float ratio[RATIOS] = {0.5f, 1.f, 2.f}, scale[SCALES] = {8.f, 16.f, 32.f};
    proposal *p = st;
    const float centre = (float)p->base_size * 0.5f;
    for (int i = 0; i < ANCHORS; i++) {
        const float r = ratio[i / SCALES], s = scale[i % SCALES] * 0.5f;
        const float w = roundf((float)p->base_size / sqrtf(r)), h = roundf(w * r);
        const float a[4] = {centre - w * s, centre - h * s, centre + w * s, centre + h * s};
        for (int k = 0; k < 4; k++) p->anchor[i][k] = a[k];
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const proposal *p = st;
    const ebb_desc *score = &in->in[0], *offset = &in->in[1], *info = &in->in[2];
    if (score->rank != 3 || offset->rank != 3 || score->dim[0] < 2 * ANCHORS ||
        offset->dim[0] < 4 * ANCHORS || score->dim[1] != offset->dim[1] || score->dim[2] != offset->dim[2] ||
        ebb_desc_count(info) < 3)
        return ebb_fail(e, EBB_E_SHAPE,
                        "scores, offsets and image are %s, %s and %s; %d x h x w, %d x h x w and 3 expected",
                        EBB_SHAPE(score), EBB_SHAPE(offset),
                        EBB_SHAPE(info), 2 * ANCHORS, 4 * ANCHORS);
    if (ebb_desc_count(score) > INT_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "%s scores are too many", EBB_SHAPE(score));
    // fits: fewer than the scores
    const int all = score->dim[1] * score->dim[2] * ANCHORS,
              n = all < p->after_nms_topN ? all : p->after_nms_topN;
    for (int k = 0; k < in->n_out; k++) {
        out[k].rank = 3;
        out[k].dim[0] = n;
        out[k].dim[1] = 1;
        out[k].dim[2] = k == 0 ? 4 : 1;
    }
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    const ebb_desc *score = &in->in[0];
    for (int i = 0; i < 3; i++) plan->in[i].orders = EBB_ANY_ORDER;
    const size_t pixels = ebb_size_mul((size_t)score->dim[1], (size_t)score->dim[2]);
    plan->scratch = ebb_size_mul(pixels, ANCHORS * sizeof(ebb_box));
    return EBB_OK;
}

static float clip(float v, float max) { return v > max ? max : v < 0.f ? 0.f : v; }

// The region that anchor a of cell (y, x) proposes; v are its four offsets, `step` apart.
static ebb_box region(const proposal *p, const float *a, int y, int x, const float *v, ptrdiff_t step,
                      const float image[2])
{
    const float w = a[2] - a[0], h = a[3] - a[1];
    const float cx = a[0] + (float)x * (float)p->feat_stride + w * 0.5f + w * v[0];
    const float cy = a[1] + (float)y * (float)p->feat_stride + h * 0.5f + h * v[step];
    const float rw = w * expf(v[2 * step]) * 0.5f, rh = h * expf(v[3 * step]) * 0.5f;
    return (ebb_box){.x0 = clip(cx - rw, image[1] - 1.f), .y0 = clip(cy - rh, image[0] - 1.f),
                     .x1 = clip(cx + rw, image[1] - 1.f), .y1 = clip(cy + rh, image[0] - 1.f)};
}

static int candidates(const proposal *p, const ebb_blob *const *in, ebb_box *to)
{
    const ebb_desc *sd = ebb_blob_desc(in[0]), *od = ebb_blob_desc(in[1]), *id = ebb_blob_desc(in[2]);
    float image[3];  // height, width, scale
    for (size_t i = 0; i < 3; i++) image[i] = ebb_f32(in[2])[ebb_element(id, i)];
    const float least = (float)p->min_size * image[2];
    int n = 0;
    for (int q = 0; q < ANCHORS; q++)
        for (int y = 0; y < sd->dim[1]; y++)
            for (int x = 0; x < sd->dim[2]; x++) {
                const float *v =
                    ebb_f32(in[1]) + 4 * q * od->stride[0] + y * od->stride[1] + x * od->stride[2];
                ebb_box b = region(p, p->anchor[q], y, x, v, od->stride[0], image);
                b.score =
                    ebb_f32(in[0])[(q + ANCHORS) * sd->stride[0] + y * sd->stride[1] + x * sd->stride[2]];
                if (b.x1 - b.x0 + 1.f >= least && b.y1 - b.y0 + 1.f >= least && !isnan(b.score)) to[n++] = b;
            }
    return n;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const proposal *p = st;
    ebb_box *b = c->scratch;
    int n = candidates(p, in, b);
    ebb_boxes_sort(b, n);
    if (p->pre_nms_topN > 0 && p->pre_nms_topN < n) n = p->pre_nms_topN;
    n = ebb_boxes_suppress(b, n, p->nms_thresh);
    if (n > p->after_nms_topN) n = p->after_nms_topN;
    for (int k = 0; k < c->n_out; k++) {
        if (!out[k]) continue;
        const ptrdiff_t step = ebb_blob_desc(out[k])->stride[0];
        for (int i = 0; i < n; i++) {
            float *to = ebb_f32(out[k]) + i * step;
            if (k == 0) to[0] = b[i].x0, to[1] = b[i].y0, to[2] = b[i].x1, to[3] = b[i].y1;
            else to[0] = b[i].score;
        }
        ebb_blob_shrink(out[k], 0, n);
    }
    return EBB_OK;
}

const ebb_layer_type ebb_layer_proposal = {
    .size = sizeof(ebb_layer_type), .name = "Proposal", .doc = "regions from anchors: boxes, scores",
    .flags = EBB_LAYER_DATA_SHAPE, .reads = EBB_PLANAR,
    .in_min = 3, .in_max = 3, .out_min = 1, .out_max = 2,
    .state_size = sizeof(proposal), .params = params,
    .init = init, .shape = shape, .plan = plan, .cpu = cpu,
};
