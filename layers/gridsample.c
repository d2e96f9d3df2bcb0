// SPDX-License-Identifier: BSD-3-Clause
// gridsample.c - GridSample: pixels of a picture at the places that a grid names, -1 to 1 from edge to edge.
// Rule: a place outside reads a pixel of zeros, by position; the picture is never padded.
#include "ebb_layer.h"
#include "kernels/kernels.h"
#include <math.h>
#include <string.h>

enum { BILINEAR = 1, NEAREST, BICUBIC };
enum { ZEROS = 1, BORDER, REFLECTION };

typedef struct sampler {
    int sample_type, padding_mode, align_corner, permute_fusion;
} sampler;

static const ebb_param params[] = {
    EBB_INT(sampler, 0, "sample_type", sample_type, .def = BILINEAR, .min = BILINEAR, .max = BICUBIC,
            .doc = "1 bilinear, 2 nearest, 3 bicubic"),
    EBB_INT(sampler, 1, "padding_mode", padding_mode, .def = ZEROS, .min = ZEROS, .max = REFLECTION,
            .doc = "1 zeros, 2 border, 3 reflection"),
    EBB_INT(sampler, 2, "align_corner", align_corner, .max = 1,
            .doc = "1: -1 and 1 are the centres of the outer pixels"),
    EBB_INT(sampler, 3, "permute_fusion", permute_fusion, .max = 1,
            .doc = "1: the coordinates are the first axis of the grid"),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const sampler *p = st;
    const ebb_desc *x = &in->in[0], *g = &in->in[1];
    const int axes = x->rank - 1, coords = p->permute_fusion ? 0 : g->rank - 1;
    if (x->rank < 3 || g->rank != x->rank || g->dim[coords] != axes)
        return ebb_fail(e, EBB_E_SHAPE,
                        "the input is %s and the grid %s, axis %d of the grid must hold %d coordinates",
                        EBB_SHAPE(x), EBB_SHAPE(g), coords, axes);
    if (p->sample_type == BICUBIC && x->rank == 4)
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "bicubic sampling of the volume %s is not supported, only of pictures", EBB_SHAPE(x));
    if (ebb_desc_count(x) == 0) return ebb_fail(e, EBB_E_SHAPE, "the input %s is empty", EBB_SHAPE(x));
    out->rank = x->rank;
    out->dim[0] = x->dim[0];
    for (int i = 0; i < axes; i++) out->dim[1 + i] = g->dim[p->permute_fusion + i];
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[1].orders = EBB_ANY_ORDER;
    plan->scratch = ebb_size_mul((size_t)in->in[0].dim[0], sizeof(float));  // the pixel of zeros
    return EBB_OK;
}

// Where along an axis to read: pixels (-1: outside) and their weights.
typedef struct taps {
    int n, at[4];
    float weight[4];
} taps;

static float clamp(float x, float hi) { return x < 0.f ? 0.f : x > hi ? hi : x; }

// A triangle wave: up from lo for a span, then down again, as often as it takes. Every step is exact.
static float reflect(float x, float lo, float span)
{
    const float far = fmodf(fabsf(x - lo), 2.f * span);
    return span == 0.f ? lo : lo + (far > span ? 2.f * span - far : far);
}

static float padded(const sampler *p, float x, int size)
{
    const float last = (float)(size - 1);
    if (p->padding_mode == BORDER) return clamp(x, last);
    if (p->padding_mode == ZEROS) return x;
    return p->align_corner ? reflect(x, 0.f, last) : clamp(reflect(x, -0.5f, (float)size), last);
}

static int pixel(float x, int size) { return x >= 0.f && x < (float)size ? (int)x : -1; }

static void cubic(float t, float w[4])
{
    const float A = -0.75f, u = t + 1.f, v = 1.f - t;
    w[0] = ((A * u - 5.f * A) * u + 8.f * A) * u - 4.f * A;
    w[1] = ((A + 2.f) * t - (A + 3.f)) * t * t + 1.f;
    w[2] = ((A + 2.f) * v - (A + 3.f)) * v * v + 1.f;
    w[3] = 1.f - w[0] - w[1] - w[2];
}

static void place(const sampler *p, float coord, int size, taps *t)
{
    float x =
        p->align_corner ? (coord + 1.f) / 2.f * (float)(size - 1) : ((coord + 1.f) * (float)size - 1.f) / 2.f;
    if (p->sample_type == BICUBIC) {
        const float first = floorf(x);
        cubic(x - first, t->weight);
        for (t->n = 0; t->n < 4; t->n++)
            t->at[t->n] = pixel(padded(p, first - 1.f + (float)t->n, size), size);
        return;
    }
    x = padded(p, x, size);
    const float first = p->sample_type == NEAREST ? rintf(x) : floorf(x);  // halves to the even, as torch and ONNX
    *t = (taps){1, {pixel(first, size)}, {x == x ? 1.f : x}};
    if (p->sample_type == NEAREST) return;
    *t = (taps){2, {t->at[0], pixel(first + 1.f, size)}, {1.f - (x - first), x - first}};
}

typedef struct job {
    const sampler *p;
    const ebb_kernels *k;
    const ebb_blob *x, *grid;
    ebb_blob *out;
    const float *zeros;
    int y0, rows;
} job;

// The pixel at the taps' places: axis 0 of t is w.
static void sample(const job *j, const taps t[3], int axes, float *y)
{
    const ebb_desc *d = ebb_blob_desc(j->x);
    const float *x[16], *base = ebb_f32(j->x);
    float w[16];
    int n = 0;
    for (int c = 0; c < (axes == 3 ? t[2].n : 1); c++)
        for (int b = 0; b < t[1].n; b++)
            for (int a = 0; a < t[0].n; a++, n++) {
                bool inside = t[0].at[a] >= 0 && t[1].at[b] >= 0;
                ptrdiff_t at = t[0].at[a] * d->stride[axes] + t[1].at[b] * d->stride[axes - 1];
                w[n] = t[0].weight[a] * t[1].weight[b];
                if (axes == 3) {
                    inside = inside && t[2].at[c] >= 0;
                    at += t[2].at[c] * d->stride[1];
                    w[n] *= t[2].weight[c];
                }
                x[n] = inside ? base + at : j->zeros;
            }
    j->k->weighted_sum_f32(y, x, w, n, 0, (size_t)d->dim[0]);
}

static void one_row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    const sampler *p = j->p;
    const ebb_desc *x = ebb_blob_desc(j->x), *g = ebb_blob_desc(j->grid), *o = ebb_blob_desc(j->out);
    const size_t rows = (size_t)j->rows;
    const int axes = x->rank - 1, y = j->y0 + (int)(i % rows), z = (int)(i / rows);
    const ptrdiff_t *step = g->stride + p->permute_fusion, coord = g->stride[p->permute_fusion ? 0 : axes];
    const float *grid = ebb_f32(j->grid) + y * step[axes - 2] + (axes == 3 ? z * step[0] : 0);
    float *to = ebb_f32(j->out) + y * o->stride[axes - 1] + (axes == 3 ? z * o->stride[1] : 0);
    for (int w = 0; w < o->dim[axes]; w++) {
        taps t[3];
        for (int a = 0; a < axes; a++)
            place(p, grid[w * step[axes - 1] + a * coord], x->dim[axes - a], &t[a]);
        sample(j, t, axes, to + w * o->stride[axes]);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const ebb_desc *x = ebb_blob_desc(in[0]), *o = ebb_blob_desc(out[0]);
    job j = {st, c->k, in[0], in[1], out[0], c->scratch, c->y0, c->y1 - c->y0};
    memset(c->scratch, 0, (size_t)x->dim[0] * sizeof(float));
    ebb_parallel(c, ebb_size_mul((size_t)j.rows, o->rank == 4 ? (size_t)o->dim[1] : 1), one_row, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_gridsample = {
    .size = sizeof(ebb_layer_type), .name = "GridSample", .doc = "pixels at the places that a grid names",
    .reads = EBB_PIXEL, .in_min = 2, .in_max = 2, .out_min = 1, .out_max = 1,
    .state_size = sizeof(sampler), .params = params, .shape = shape, .plan = plan, .cpu = cpu,
};
