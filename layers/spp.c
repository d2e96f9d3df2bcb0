// SPDX-License-Identifier: BSD-3-Clause
// spp.c - SPP: pools a map into 1, 4, 16 … bins a channel, one level behind the other.
// Rule: bins are equally large, and what they have outside of the map counts as zeros.
#include "ebb_layer.h"
#include <limits.h>

typedef struct spp {
    int pooling_type, pyramid_height;
} spp;

enum { SPP_MAX, SPP_AVERAGE };

static const ebb_param params[] = {
    EBB_INT(spp, 0, "pooling_type", pooling_type, .min = SPP_MAX, .max = SPP_AVERAGE,
            .doc = "0 max, 1 average"),
    EBB_INT(spp, 1, "pyramid_height", pyramid_height, .def = 1, .min = 1, .max = 15, .doc = "levels"),
    {0},
};

// Bins of all levels before `level`, for one channel.
static long long bins_before(int level) { return ((1ll << (2 * level)) - 1) / 3; }

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const spp *p = st;
    const ebb_desc *d = &in->in[0];
    if (d->rank != 3 || d->dim[1] == 0 || d->dim[2] == 0)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s; c x h x w expected",
                        EBB_SHAPE(d));
    const long long n = bins_before(p->pyramid_height) * d->dim[0];  // fits: 15 levels at most
    if (n > INT_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "%d levels of %d channels make more than %d bins", p->pyramid_height,
                        d->dim[0], INT_MAX);
    out[0].rank = 1;
    out[0].dim[0] = (int)n;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0].orders = EBB_ANY_ORDER;
    return EBB_OK;
}

typedef struct work {
    const spp *p;
    const ebb_desc *d;
    const float *x;
    float *y;
} work;

typedef struct window {
    int size;      // of a bin
    int from, to;  // inside of the map
} window;

// Bin i of n on an axis of `len`; the bins together stand around its middle.
static window bin(int len, int n, int i)
{
    window w = {.size = len / n + (len % n != 0)};
    const int pad = (w.size * n - len + 1) / 2, from = i * w.size - pad, to = from + w.size;
    w.from = from < 0 ? 0 : from > len ? len : from;
    w.to = to < 0 ? 0 : to > len ? len : to;
    return w;
}

static float pool(const work *k, int q, window v, window u)
{
    const ptrdiff_t *s = k->d->stride;
    const float *x = k->x + q * s[0];
    const bool whole = v.to - v.from == v.size && u.to - u.from == u.size;
    float max = whole ? x[v.from * s[1] + u.from * s[2]] : 0.f, sum = 0.f;
    for (int i = v.from; i < v.to; i++)
        for (int j = u.from; j < u.to; j++) {
            const float a = x[i * s[1] + j * s[2]];
            sum += a;
            if (a > max || a != a) max = a;  // NaN stays
        }
    return k->p->pooling_type == SPP_MAX ? max : sum / ((float)v.size * (float)u.size);
}

static void channel(void *ctx, size_t i, int worker)
{
    (void)worker;
    const work *k = ctx;
    const int q = (int)i;
    for (int level = 0; level < k->p->pyramid_height; level++) {
        const int n = 1 << level;
        float *y =
            k->y + bins_before(level) * k->d->dim[0] + (ptrdiff_t)q * n * n;  // fits: inside the output
        for (int b = 0; b < n * n; b++)
            y[b] = pool(k, q, bin(k->d->dim[1], n, b / n), bin(k->d->dim[2], n, b % n));
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    work k = {st, ebb_blob_desc(in[0]), ebb_f32(in[0]), ebb_f32(out[0])};
    ebb_parallel(c, k.d->dim[0], channel, &k);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_spp = {
    .size = sizeof(ebb_layer_type), .name = "SPP", .doc = "max or average over a pyramid of bins",
    .reads = EBB_PLANAR,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(spp), .params = params,
    .shape = shape, .plan = plan, .cpu = cpu,
};
