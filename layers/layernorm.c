// SPDX-License-Identifier: BSD-3-Clause
// layernorm.c - LayerNorm, RMSNorm: over the innermost axes, those that together have affine_size elements.
// Rule: without gamma an affine_size that fits none means w in vectors and matrices, else all but channels.
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "parts/collect.h"
#include "parts/vector.h"
#include "parts/ratio.h"
#include <limits.h>
#include <math.h>

typedef struct layernorm {
    int size, affine;
    float eps;
    int rms;                   // no mean, no beta
    const float *gamma, *beta;
} layernorm;

static const ebb_param params[] = {
    EBB_INT(layernorm, 0, "affine_size", size, .max = INT_MAX),
    EBB_FLOAT(layernorm, 1, "eps", eps, .def = 0.001f),
    EBB_INT(layernorm, 2, "affine", affine, .def = 1),
    {0},
};

static ebb_status layer_init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const layernorm *p = st;
    if (p->affine && p->size < 1)
        return ebb_fail(e, EBB_E_PARAM, "affine=1 needs an affine_size of at least 1, not %d", p->size);
    return EBB_OK;
}

static ebb_status rms_init(void *st, const ebb_init *in, ebb_error *e)
{
    ((layernorm *)st)->rms = 1;
    return layer_init(st, in, e);
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    layernorm *p = st;
    if (!p->affine) return EBB_OK;
    EBB_TRY(ebb_load_vector(l, p->size, &p->gamma, e));
    return p->rms ? EBB_OK : ebb_load_vector(l, p->size, &p->beta, e);
}

// Which axes make a set, as bits.
static ebb_status find_axes(const layernorm *p, const ebb_desc *d, unsigned *axes, ebb_error *e)
{
    size_t n = 1;
    *axes = 0;
    for (int i = d->rank - 1; i >= 0; i--) {
        n = ebb_size_mul(n, (size_t)d->dim[i]);
        *axes |= 1u << i;
        if (n == (size_t)p->size) return EBB_OK;
    }
    if (!p->affine) {
        *axes = d->rank < 3 ? 1u << (d->rank - 1) : (1u << d->rank) - 2;
        return EBB_OK;
    }
    return ebb_fail(e, EBB_E_SHAPE, "no innermost axes of the input %s have affine_size=%d elements together",
                    EBB_SHAPE(d), p->size);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    unsigned axes;
    if (in->in[0].rank < 1) return ebb_fail(e, EBB_E_SHAPE, "the input has no axes");
    EBB_TRY(find_axes(st, &in->in[0], &axes, e));
    return ebb_elementwise_shape(st, in, out, e);
}

typedef struct work {
    const layernorm *p;
    const ebb_kernels *k;
    float *y;
    const float *x;
    ebb_loop kept, within;  // operands: output, input, and within a set gamma
    float count;
} work;

// mean and 1 / deviation of m sets.
static void measure(const work *w, const float *x, size_t m, float *mean, float *scale)
{
    const ptrdiff_t step = ebb_loop_step(&w->kept, 1);
    if (!w->p->rms) {
        ebb_collect(w->k, EBB_SUM, &w->within, 1, mean, x, m, step, NULL);
        for (size_t j = 0; j < m; j++) mean[j] /= w->count;
    }
    ebb_collect(w->k, w->p->rms ? EBB_SUM_SQUARE : EBB_SUM_SQUARE_OFF, &w->within, 1, scale, x, m, step,
                w->p->rms ? NULL : mean);
    for (size_t j = 0; j < m; j++) scale[j] = ebb_ratio(1.f, sqrtf(scale[j] / w->count + w->p->eps));
}

static void apply(const work *w, float *y, const float *x, const float *mean, const float *scale)
{
    const ebb_loop *l = &w->within;
    const ptrdiff_t sy = ebb_loop_step(l, 0), sx = ebb_loop_step(l, 1), sg = ebb_loop_step(l, 2);
    const bool whole = sy == 1 && sx == 1 && sg == 1;
    const int n = l->dim[l->rank - 1], count = whole ? n : 1;
    for (size_t r = 0; r < l->outer; r++) {
        ptrdiff_t at[EBB_LOOP_MAX];
        ebb_loop_at(l, r, at);
        for (int i = 0; i < n; i += count) {
            const ptrdiff_t own = at[2] + i * sg;
            const ebb_affine a = {.mean = mean,
                                  .scale = scale,
                                  .gamma = w->p->gamma ? w->p->gamma + own : NULL,
                                  .beta = w->p->beta ? w->p->beta + own : NULL,
                                  .gamma_step = 1};
            w->k->affine_f32(y + at[0] + i * sy, 0, x + at[1] + i * sx, 0, 1, (size_t)count, &a);
        }
    }
}

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t m, int worker)
{
    (void)worker;
    const work *w = ctx;
    float mean[EBB_SETS], scale[EBB_SETS];
    measure(w, w->x + at[1], m, mean, scale);
    for (size_t j = 0; j < m; j++)
        apply(w, w->y + at[0] + (ptrdiff_t)j * ebb_loop_step(&w->kept, 0),
              w->x + at[1] + (ptrdiff_t)j * ebb_loop_step(&w->kept, 1), w->p->rms ? NULL : &mean[j],
              &scale[j]);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const ebb_desc *dy = ebb_blob_desc(out[0]), *dx = ebb_blob_desc(in[0]);
    work w = {.p = st, .k = c->k, .y = ebb_f32(out[0]), .x = ebb_f32(in[0])};
    unsigned axes;
    EBB_TRY(find_axes(w.p, dx, &axes, e));
    const ebb_desc ky = ebb_axes_off(dy, axes), kx = ebb_axes_off(dx, axes), y = ebb_axes_only(dy, axes),
                   x = ebb_axes_only(dx, axes);
    const ebb_desc gamma = ebb_desc_planar(EBB_F32, x.rank, x.dim);
    const size_t n = ebb_desc_count(&x);
    w.count = (float)n;
    ebb_loop_init(&w.kept, 2, (const ebb_desc *[]){&ky, &kx});
    ebb_loop_init(&w.within, 3, (const ebb_desc *[]){&y, &x, &gamma});
    ebb_loop_run(c, &w.kept, ebb_sets_piece(n, ebb_loop_step(&w.kept, 1)), run, &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_layernorm = {
    .size = sizeof(ebb_layer_type), .name = "LayerNorm",
    .doc = "(x - mean) / sqrt(var + eps) * gamma + beta over the innermost axes",
    .reads = EBB_PLANAR, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(layernorm), .params = params,
    .init = layer_init, .load = load, .shape = shape, .plan = ebb_in_place_plan, .cpu = cpu,
};

const ebb_layer_type ebb_layer_rmsnorm = {
    .size = sizeof(ebb_layer_type), .name = "RMSNorm",
    .doc = "x / sqrt(mean of squares + eps) * gamma over the innermost axes",
    .reads = EBB_PLANAR, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(layernorm), .params = params,
    .init = rms_init, .load = load, .shape = shape, .plan = ebb_in_place_plan, .cpu = cpu,
};
