// SPDX-License-Identifier: BSD-3-Clause
// detectionoutput.c - DetectionOutput of SSD: offsets, class scores and prior boxes -> rows of label, score,
// box. Rule: scores that are no numbers, and priors that are surely background, are no candidates.
#include "parts/boxes.h"
#include <limits.h>
#include <math.h>

typedef struct detection {
    int num_class, nms_top_k, keep_top_k;
    float nms_threshold, confidence_threshold, variance[4];
} detection;

enum { BY_CLASS = -233 };  // num_class: scores are [class, prior], priors are [prior, 4] without variances

static const ebb_param params[] = {
    EBB_INT(detection, 0, "num_class", num_class, .doc = "with background; -233: scores are [class, prior]"),
    EBB_FLOAT(detection, 1, "nms_threshold", nms_threshold, .def = 0.05f),
    EBB_INT(detection, 2, "nms_top_k", nms_top_k, .def = 300, .doc = "candidates of a class, negative: all"),
    EBB_INT(detection, 3, "keep_top_k", keep_top_k, .def = 100, .doc = "rows at the end, negative: all"),
    EBB_FLOAT(detection, 4, "confidence_threshold", confidence_threshold, .def = 0.5f),
    EBB_FLOAT(detection, 5, "variances[0]", variance[0], .def = 0.1f),
    EBB_FLOAT(detection, 6, "variances[1]", variance[1], .def = 0.1f),
    EBB_FLOAT(detection, 7, "variances[2]", variance[2], .def = 0.2f),
    EBB_FLOAT(detection, 8, "variances[3]", variance[3], .def = 0.2f),
    {0},
};

static int at_most(int k, long long n) { return k < 0 || k > n ? (int)n : k; }

static int prior_count(const detection *p, const ebb_desc *priors)
{
    return p->num_class == BY_CLASS ? ebb_height(priors) : ebb_width(priors) / 4;
}
static int class_count(const detection *p, const ebb_desc *scores)
{
    return p->num_class == BY_CLASS ? ebb_height(scores) : p->num_class;
}

// Rows that all classes together can leave before the last choice.
static long long most_rows(const detection *p, long long classes, long long priors)
{
    return classes > 1 ? (classes - 1) * at_most(p->nms_top_k, priors) : 0;
}

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const detection *p = st;
    if (p->num_class < 1 && p->num_class != BY_CLASS)
        return ebb_fail(e, EBB_E_PARAM, "num_class is %d; it counts the background too, so 1 or more",
                        p->num_class);
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const detection *p = st;
    const ebb_desc *priors = &in->in[2];
    const bool by_class = p->num_class == BY_CLASS;
    if (by_class ? ebb_width(priors) != 4 : ebb_height(priors) != 2 || ebb_width(priors) % 4)
        return ebb_fail(e, EBB_E_SHAPE, "priors are %s; %s expected",
                        EBB_SHAPE(priors),
                        by_class ? "n x 4" : "2 rows (boxes, variances) of 4 x n");
    const long long n = prior_count(p, priors), classes = class_count(p, &in->in[1]);
    const size_t offsets = ebb_desc_count(&in->in[0]), scores = ebb_desc_count(&in->in[1]);
    if (offsets != ebb_size_mul(4, (size_t)n) || scores != ebb_size_mul((size_t)classes, (size_t)n))
        return ebb_fail(e, EBB_E_SHAPE,
                        "%lld priors and %lld classes need %lld offsets and %lld scores, not %zu and %zu", n,
                        classes, 4 * n, classes * n, offsets, scores);
    if (scores > INT_MAX || offsets > INT_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "%zu scores are more than the %d this layer can count", scores,
                        INT_MAX);
    out[0].rank = 2;
    out[0].dim[0] = at_most(p->keep_top_k, most_rows(p, classes, n));
    out[0].dim[1] = 6;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const detection *p = st;
    const int priors = prior_count(p, &in->in[2]), classes = class_count(p, &in->in[1]);
    // What the classes left, then the candidates of one more.
    const size_t boxes = ebb_size_add((size_t)most_rows(p, classes, priors), (size_t)priors);
    plan->scratch = ebb_size_mul(boxes, sizeof(ebb_box));
    return EBB_OK;
}

typedef struct work {
    const detection *p;
    const float *offset, *score, *prior;
    const ebb_desc *offset_desc, *score_desc, *prior_desc;
    int priors, classes;
} work;

static float score_of(const work *w, int label, int prior)
{
    const bool by_class = w->p->num_class == BY_CLASS;
    const int at = by_class ? label * w->priors + prior : prior * w->classes + label;
    return w->score[ebb_element(w->score_desc, (size_t)at)];
}

static void decode(const work *w, int prior, ebb_box *b)
{
    float d[4], q[4], v[4];
    for (size_t i = 0; i < 4; i++) {
        const size_t at = (size_t)prior * 4 + i,
                     second_row = (size_t)w->priors * 4;  // fits: numbers that are there
        d[i] = w->offset[ebb_element(w->offset_desc, at)];
        q[i] = w->prior[ebb_element(w->prior_desc, at)];
        v[i] = w->p->num_class == BY_CLASS ? w->p->variance[i]
                                           : w->prior[ebb_element(w->prior_desc, second_row + at)];
    }
    const float pw = q[2] - q[0], ph = q[3] - q[1];
    const float cx = v[0] * d[0] * pw + (q[0] + q[2]) * 0.5f, cy = v[1] * d[1] * ph + (q[1] + q[3]) * 0.5f;
    const float bw = expf(v[2] * d[2]) * pw, bh = expf(v[3] * d[3]) * ph;
    b->x0 = cx - bw * 0.5f, b->x1 = cx + bw * 0.5f;
    b->y0 = cy - bh * 0.5f, b->y1 = cy + bh * 0.5f;
}

static int candidates(const work *w, int label, ebb_box *to)
{
    int n = 0;
    for (int i = 0; i < w->priors; i++) {
        to[n].score = score_of(w, label, i);
        to[n].label = label;
        if (!(to[n].score > w->p->confidence_threshold)) continue;
        // Surely background: the other scores of this prior do not count.
        if (score_of(w, 0, i) >= 1.0 - w->p->confidence_threshold) continue;
        decode(w, i, &to[n++]);
    }
    return n;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const ebb_desc *d[3] = {ebb_blob_desc(in[0]), ebb_blob_desc(in[1]), ebb_blob_desc(in[2])};
    const detection *p = st;
    const work w = {p, ebb_f32(in[0]), ebb_f32(in[1]), ebb_f32(in[2]), d[0], d[1], d[2], prior_count(p, d[2]),
                    class_count(p, d[1])};
    ebb_box *kept = c->scratch;
    int n = 0;
    for (int label = 1; label < w.classes; label++) {
        const int found = candidates(&w, label, kept + n);
        ebb_boxes_sort(kept + n, found);
        n += ebb_boxes_suppress(kept + n, at_most(p->nms_top_k, found), p->nms_threshold);
    }
    ebb_boxes_sort(kept, n);
    ebb_boxes_write(kept, at_most(p->keep_top_k, n), 0, out[0]);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_detectionoutput = {
    .size = sizeof(ebb_layer_type), .name = "DetectionOutput",
    .doc = "SSD boxes: rows of label, score, x0, y0, x1, y1",
    .flags = EBB_LAYER_DATA_SHAPE, .reads = EBB_PLANAR,
    .in_min = 3, .in_max = 3, .out_min = 1, .out_max = 1,
    .state_size = sizeof(detection), .params = params,
    .init = init, .shape = shape, .plan = plan, .cpu = cpu,
};
