// SPDX-License-Identifier: BSD-3-Clause
// normalize.c - Normalize: x over the length of its channel, of its pixel across channels, or of everything,
// times a scale. Rule: vectors and matrices have one channel, all of them spatial.
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "parts/collect.h"
#include "parts/vector.h"
#include "parts/ratio.h"
#include <limits.h>
#include <math.h>

enum { INSIDE_ROOT, LEAST_LENGTH, LEAST_SQUARE };  // eps_mode: what eps keeps from 0

typedef struct normalize {
    int across_spatial, across_channel, channel_shared, size, eps_mode;
    float eps;
    const float *scale;
} normalize;

#define INT(id_, name_, field, ...) \
    EBB_INT(normalize, id_, name_, field, __VA_ARGS__)
static const ebb_param params[] = {
    INT(0, "across_spatial", across_spatial), INT(1, "channel_shared", channel_shared),
    EBB_FLOAT(normalize, 2, "eps", eps, .def = 0.0001f),
    INT(3, "scale_data_size", size, .max = INT_MAX), INT(4, "across_channel", across_channel, .def = 1),
    INT(9, "eps_mode", eps_mode, .max = LEAST_SQUARE,
     .doc = "0 sqrt(s + eps) 1 max(sqrt(s), eps) 2 sqrt(max(s, eps))"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const normalize *p = st;
    if (!p->across_spatial && !p->across_channel)
        return ebb_fail(e, EBB_E_PARAM,
                        "across_spatial=0 and across_channel=0 leave nothing to normalise over");
    if (p->size < 1) return ebb_fail(e, EBB_E_PARAM, "scale_data_size must be at least 1, it is %d", p->size);
    return EBB_OK;
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    normalize *p = st;
    return ebb_load_vector(l, p->size, &p->scale, e);
}

static int channels(const ebb_desc *d) { return d->rank < 3 ? 1 : d->dim[0]; }
static bool shared(const normalize *p) { return p->channel_shared || p->size == 1; }

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const normalize *p = st;
    if (!shared(p) && p->size != channels(&in->in[0]))
        return ebb_fail(e, EBB_E_SHAPE, "the input has %d channels, there are scales for %d",
                        channels(&in->in[0]), p->size);
    return ebb_elementwise_shape(st, in, out, e);
}

typedef struct work {
    const normalize *p;
    const ebb_kernels *k;
    float *y;
    const float *x;
    ebb_loop kept, within;  // operands: output, input, scale
} work;

static float one_over_length(const normalize *p, float squares)
{
    switch (p->eps_mode) {
    case INSIDE_ROOT: return ebb_ratio(1.f, sqrtf(squares + p->eps));
    case LEAST_LENGTH: return ebb_ratio(1.f, sqrtf(squares) < p->eps ? p->eps : sqrtf(squares));
    default: return ebb_ratio(1.f, sqrtf(squares < p->eps ? p->eps : squares));
    }
}

// Elements side by side in both blobs: `each` says whether they belong to sets of their own.
static void stretch(const work *w, float *y, const float *x, size_t n, const float *length, bool each,
                    ptrdiff_t scale, bool own)
{
    const ebb_affine a = {.scale = length, .step = each, .gamma = w->p->scale + scale, .gamma_step = own};
    w->k->affine_f32(y, 0, x, 0, 1, n, &a);
}

static void apply(const work *w, const ptrdiff_t first[3], size_t m, const float *length)
{
    const ebb_loop *l = &w->within;
    const int n = l->dim[l->rank - 1];
    ptrdiff_t set[3], step[3];
    for (int k = 0; k < 3; k++) set[k] = ebb_loop_step(&w->kept, k), step[k] = ebb_loop_step(l, k);
    const bool run = step[0] == 1 && step[1] == 1 && step[2] <= 1;
    const bool sets = set[0] == 1 && set[1] == 1 && set[2] <= 1 && !(m == 1 && run);
    for (size_t r = 0; r < l->outer; r++) {
        ptrdiff_t at[EBB_LOOP_MAX];
        ebb_loop_at(l, r, at);
        for (int k = 0; k < 3; k++) at[k] += first[k];
        if (sets)
            for (int i = 0; i < n; i++)
                stretch(w, w->y + at[0] + i * step[0], w->x + at[1] + i * step[1], m, length, true,
                        at[2] + i * step[2], set[2]);
        for (size_t j = 0; j < m && !sets; j++) {
            float *y = w->y + at[0] + (ptrdiff_t)j * set[0];
            const float *x = w->x + at[1] + (ptrdiff_t)j * set[1];
            const ptrdiff_t scale = at[2] + (ptrdiff_t)j * set[2];
            if (run) stretch(w, y, x, (size_t)n, &length[j], false, scale, step[2]);
            else for (int i = 0; i < n; i++)
                    stretch(w, y + i * step[0], x + i * step[1], 1, &length[j], false, scale + i * step[2],
                            false);
        }
    }
}

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t m, int worker)
{
    (void)worker;
    const work *w = ctx;
    float length[EBB_SETS];
    ebb_collect(w->k, EBB_SUM_SQUARE, &w->within, 1, length, w->x + at[1], m, ebb_loop_step(&w->kept, 1),
                NULL);
    for (size_t j = 0; j < m; j++) length[j] = one_over_length(w->p, length[j]);
    apply(w, at, m, length);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const normalize *p = st;
    const ebb_desc d[3] = {
        *ebb_blob_desc(out[0]), *ebb_blob_desc(in[0]), {.rank = d[0].rank, .dim = {1, 1, 1, 1}}};
    const unsigned all = (1u << d[0].rank) - 1, channel = d[0].rank < 3 ? 0 : 1;
    const unsigned axes = (p->across_spatial ? all & ~channel : 0) | (p->across_channel ? channel : 0);
    ebb_desc kept[3], within[3];
    for (int k = 0; k < 3; k++) kept[k] = ebb_axes_off(&d[k], axes), within[k] = ebb_axes_only(&d[k], axes);
    if (!shared(p)) {
        ebb_desc *scale = axes & channel ? &within[2] : &kept[2];
        scale->dim[0] = d[0].dim[0], scale->stride[0] = 1;
    }
    work w = {.p = p, .k = c->k, .y = ebb_f32(out[0]), .x = ebb_f32(in[0])};
    ebb_loop_init(&w.kept, 3, (const ebb_desc *[]){&kept[0], &kept[1], &kept[2]});
    ebb_loop_init(&w.within, 3, (const ebb_desc *[]){&within[0], &within[1], &within[2]});
    ebb_loop_run(c, &w.kept, ebb_sets_piece(ebb_desc_count(&within[0]), ebb_loop_step(&w.kept, 1)), run, &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_normalize = {
    .size = sizeof(ebb_layer_type), .name = "Normalize", .doc = "x * scale over its length",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(normalize), .params = params,
    .init = init, .load = load, .shape = shape, .plan = ebb_in_place_plan, .cpu = cpu,
};
