// SPDX-License-Identifier: BSD-3-Clause
// conv_geometry.c - which pixels the windows of a convolution read. Rule: a run of a row at a time; what lies outside is
// known by position.
#include "conv_geometry.h"
#include "kernels/kernels.h"

int64_t ebb_region_pixels(const ebb_region *r) { return (int64_t)r->d * (r->y1 - r->y0) * (r->x1 - r->x0); }

// A part of one output row.
typedef struct run {
    int z, y, x, n;
} run;

static run run_at(const ebb_region *r, int64_t pixel, int most)
{
    const int w = r->x1 - r->x0, h = r->y1 - r->y0;
    const int64_t row = pixel / w;
    run s = {.z = (int)(row / h), .y = r->y0 + (int)(row % h), .x = r->x0 + (int)(pixel % w)};
    s.n = r->x1 - s.x < most ? r->x1 - s.x : most;
    return s;
}

// The part of a run that lies inside for one tap: pixels [from, end), the first of them `at` bytes into the
// input.
typedef struct part {
    int from, end;
    ptrdiff_t at;
} part;

static bool input_of(const ebb_axis *a, int o, int k, ptrdiff_t *i)
{
    *i = (ptrdiff_t)o * a->stride + (ptrdiff_t)k * a->dilation - a->before;
    return *i >= 0 && *i < a->in;
}

// from, end: outputs of the row that lie inside.
static part part_of(const ebb_axis axis[3], const run *s, const int k[3], int from, int end,
                    const ebb_volume *in)
{
    part p = {from > s->x ? from - s->x : 0, end > s->x ? end - s->x : 0, 0};
    ptrdiff_t z, y;
    if (p.end > s->n) p.end = s->n;
    if (!input_of(&axis[0], s->z, k[0], &z) || !input_of(&axis[1], s->y, k[1], &y) || p.from >= p.end)
        return (part){0, 0, 0};
    const ptrdiff_t x =
        (ptrdiff_t)(s->x + p.from) * axis[2].stride + (ptrdiff_t)k[2] * axis[2].dilation - axis[2].before;
    p.at = z * in->stride[0] + y * in->stride[1] + x * in->stride[2] - in->origin;
    return p;
}

// Calls put(ctx, i, t, n, part) for each tap t of each run of n pixels from i.
typedef void put_fn(void *ctx, int i, ptrdiff_t t, int n, const part *p);
static void each_part(const ebb_axis axis[3], const ebb_region *r, int64_t first, int n, const ebb_volume *in,
                      put_fn *put, void *ctx)
{
    run s;
    for (int i = 0; i < n; i += s.n) {
        s = run_at(r, first + i, n - i);
        for (int kx = 0; kx < axis[2].kernel; kx++) {
            int from, end;
            ebb_axis_inside(&axis[2], kx, axis[2].out, &from, &end);
            for (int kz = 0; kz < axis[0].kernel; kz++) {
                for (int ky = 0; ky < axis[1].kernel; ky++) {
                    const part p = part_of(axis, &s, (int[]){kz, ky, kx}, from, end, in);
                    put(ctx, i, ((ptrdiff_t)kz * axis[1].kernel + ky) * axis[2].kernel + kx, s.n, &p);
                }
            }
        }
    }
}

typedef struct table {
    const void **to;
    ptrdiff_t row, step;
    const char *data;
    const void *pad;
} table;

static void put_points(void *ctx, int i, ptrdiff_t t, int n, const part *p)
{
    const table *a = ctx;
    const void **to = a->to + t * a->row + i;
    int x = 0;
    for (; x < p->from; x++) to[x] = a->pad;
    for (const char *q = a->data + p->at; x < p->end; x++, q += a->step) to[x] = q;
    for (; x < n; x++) to[x] = a->pad;
}

void ebb_points_in(const void **to, ptrdiff_t row, const ebb_axis axis[3], const ebb_region *r, int64_t first,
                   int n, const ebb_volume *in, const void *pad)
{
    table a = {to, row, axis[2].stride * in->stride[2], in->data, pad};
    each_part(axis, r, first, n, in, put_points, &a);
}

typedef struct values {
    const ebb_kernels *k;
    float *to;
    ptrdiff_t row, step, channel;
    const char *data;
    int channels;
    float pad;
} values;

static void put_values(void *ctx, int i, ptrdiff_t t, int n, const part *p)
{
    const values *v = ctx;
    for (int c = 0; c < v->channels; c++) {
        float *to = v->to + (t * v->channels + c) * v->row + i;
        const float *from = (const float *)(const void *)(v->data + p->at + c * v->channel);
        for (int x = 0; x < p->from; x++) to[x] = v->pad;
        v->k->gather_f32(to + p->from, from, v->step, (size_t)(p->end - p->from));
        for (int x = p->end; x < n; x++) to[x] = v->pad;
    }
}

void ebb_points_gather(const ebb_kernels *k, float *to, ptrdiff_t row, const ebb_axis axis[3],
                       const ebb_region *r, int64_t first, int n, const ebb_volume *in, int channels,
                       float pad)
{
    const ptrdiff_t each = sizeof(float);
    values v = {k, to, row, axis[2].stride * in->stride[2] / each, in->channel, in->data, channels, pad};
    each_part(axis, r, first, n, in, put_values, &v);
}

void ebb_points_out(void **to, const ebb_region *r, int64_t first, int n, const ebb_volume *out)
{
    run s;
    for (int i = 0; i < n; i += s.n) {
        s = run_at(r, first + i, n - i);
        const ptrdiff_t at = s.z * out->stride[0] + s.y * out->stride[1] + s.x * out->stride[2] - out->origin;
        for (int x = 0; x < s.n; x++) to[i + x] = out->data + at + x * out->stride[2];
    }
}
