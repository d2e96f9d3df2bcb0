// SPDX-License-Identifier: BSD-3-Clause
// conv_geometry.c - sizes of convolutions. Rule: computed in 64 bits, and refused where they leave int.
#include "conv_geometry.h"
#include "kernels/kernels.h"
#include <limits.h>

static ebb_status check(const ebb_axis_params *p, int in, const char *name, ebb_error *e)
{
    if (in < 0 || p->kernel < 1 || p->dilation < 1 || p->stride < 1)
        return ebb_fail(e, EBB_E_PARAM, "kernel %d, dilation %d and stride %d of the %s must be at least 1",
                        p->kernel, p->dilation, p->stride, name);
    return EBB_OK;
}

static int64_t extent(const ebb_axis_params *p) { return (int64_t)p->dilation * (p->kernel - 1) + 1; }
static bool same(int pad) { return pad == EBB_PAD_SAME_UPPER || pad == EBB_PAD_SAME_LOWER; }

static ebb_status finish(ebb_axis *a, int in, const ebb_axis_params *p, int64_t before, int64_t out,
                         const char *name, ebb_error *e)
{
    if (out > INT_MAX || before > INT_MAX || before < INT_MIN || extent(p) > INT_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "the %s would become %lld, which is more than this machine can count",
                        name, (long long)out);
    *a = (ebb_axis){.in = in,
                    .out = (int)out,
                    .kernel = p->kernel,
                    .dilation = p->dilation,
                    .stride = p->stride,
                    .before = (int)before};
    return EBB_OK;
}

ebb_status ebb_axis_conv(ebb_axis *a, int in, const ebb_axis_params *p, const char *name, ebb_error *e)
{
    EBB_TRY(check(p, in, name, e));
    int64_t before = p->before, after = p->after;
    if (same(p->before)) {
        int64_t all = in ? extent(p) + (int64_t)((in - 1) / p->stride) * p->stride - in : 0;
        if (all < 0) all = 0;
        before = p->before == EBB_PAD_SAME_UPPER ? all / 2 : all - all / 2;
        after = all - before;
    }
    const int64_t room = before + in + after - extent(p);
    if (room < 0)
        return ebb_fail(e, EBB_E_SHAPE,
                        "the %s of the input, %d with padding %lld and %lld, is smaller than the kernel, "
                        "which covers %lld",
                        name, in, (long long)before, (long long)after, (long long)extent(p));
    return finish(a, in, p, before, room / p->stride + 1, name, e);
}

ebb_status ebb_axis_deconv(ebb_axis *a, int in, const ebb_axis_params *p, const char *name, ebb_error *e)
{
    EBB_TRY(check(p, in, name, e));
    const int64_t full = in ? (int64_t)(in - 1) * p->stride + extent(p) + p->output_pad : 0;
    int64_t before = p->before, out = full - p->before - p->after;
    if (same(p->before)) {
        const int64_t cut = p->output > 0 ? full - p->output : 0;
        if (cut < 0)
            return ebb_fail(e, EBB_E_SHAPE, "the %s of the output is at most %lld, %d is wanted", name,
                            (long long)full, p->output);
        before = p->before == EBB_PAD_SAME_UPPER ? cut / 2 : cut - cut / 2;
        out = full - cut;
    }
    if (out < 0 || (out == 0 && in > 0))
        return ebb_fail(e, EBB_E_SHAPE, "the %s of the output, %lld, is cut by %d and %d: nothing is left",
                        name, (long long)full, p->before, p->after);
    return finish(a, in, p, before, out, name, e);
}

// The least o >= 0 with o * stride >= x.
static int64_t ceil_div(int64_t x, int stride) { return x <= 0 ? 0 : (x + stride - 1) / stride; }

void ebb_axis_inside(const ebb_axis *a, int k, int limit, int *from, int *to)
{
    const int64_t shift = (int64_t)a->before - (int64_t)k * a->dilation;
    const int64_t lo = ceil_div(shift, a->stride), hi = ceil_div(shift + a->in, a->stride);
    *to = (int)(hi < limit ? hi : limit);
    *from = (int)(lo < *to ? lo : *to);
}

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
