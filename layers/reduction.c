// SPDX-License-Identifier: BSD-3-Clause
// reduction.c - Reduction: a sum, a mean, a norm or an extreme over axes. Rule: an axis that is not kept has no
// element in the result, and a set without elements gives what the operation starts with.
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "parts/collect.h"
#include "parts/ratio.h"
#include <math.h>

typedef struct reduction {
    int operation, all, keepdims, fixbug0;
    float coeff;
    ebb_ints axes;
} reduction;

enum { SUM, ASUM, SUMSQ, MEAN, MAX, MIN, PROD, L1, L2, LOG_SUM, LOG_SUM_EXP };

static const ebb_param params[] = {
    EBB_INT(reduction, 0, "operation", operation, .max = LOG_SUM_EXP,
            .doc = "0 sum 1 asum 2 sumsq 3 mean 4 max 5 min 6 prod 7 L1 8 L2 9 logsum 10 logsumexp"),
    EBB_INT(reduction, 1, "reduce_all", all, .def = 1),
    EBB_FLOAT(reduction, 2, "coeff", coeff, .def = 1, .doc = "times the result"),
    EBB_INTS(reduction, 3, "axes", axes, .doc = "0 is the outermost"),
    EBB_INT(reduction, 4, "keepdims", keepdims),
    EBB_INT(reduction, 5, "fixbug0", fixbug0, .doc = "must be 1 with axes"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const reduction *p = st;
    if (p->axes.n && !p->fixbug0)
        return ebb_fail(
            e, EBB_E_PARAM,
            "its axes lack 5=1 (fixbug0), as in old files, which may count a batch axis first: lower each "
            "axis from 1 up by 1 where that is so, then add 5=1, or convert the model again");
    if (!p->all && !p->axes.n) return ebb_fail(e, EBB_E_PARAM, "reduce_all=0 needs axes, there are none");
    return EBB_OK;
}

static ebb_status find_axes(const reduction *p, int rank, unsigned *axes, ebb_error *e)
{
    *axes = p->all ? (1u << rank) - 1 : 0;
    for (int i = 0; i < p->axes.n && !p->all; i++) {
        int at;
        EBB_TRY(ebb_find_axis(p->axes.v[i], rank, &at, e));
        *axes |= 1u << at;
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const reduction *p = st;
    const ebb_desc *d = &in->in[0];
    unsigned axes;
    EBB_TRY(find_axes(p, d->rank, &axes, e));
    for (int i = 0; i < d->rank; i++) {
        const bool off = axes >> i & 1;
        if (!off || p->keepdims) out[0].dim[out[0].rank++] = off ? 1 : d->dim[i];
    }
    if (out[0].rank == 0) out[0].dim[out[0].rank++] = 1;
    return EBB_OK;
}

// The result with the axes that are gone, of size 1.
static ebb_desc with_all_axes(const ebb_desc *out, const ebb_desc *in, unsigned axes)
{
    if (out->rank == in->rank) return *out;
    ebb_desc d = {.dtype = out->dtype, .rank = in->rank};
    for (int i = 0, at = 0; i < in->rank; i++) {
        const bool off = axes >> i & 1;
        d.dim[i] = off ? 1 : out->dim[at];
        d.stride[i] = off ? 0 : out->stride[at++];
    }
    return d;
}

typedef struct work {
    const ebb_kernels *k;
    const reduction *p;
    float *y;
    const float *x;
    ebb_loop kept, within;
    float count;  // elements of a set
} work;

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t m, int worker)
{
    (void)worker;
    static const int collects[] = {EBB_SUM,        EBB_SUM_ABS,  EBB_SUM_SQUARE, EBB_SUM,
                                   EBB_LARGEST,    EBB_SMALLEST, EBB_PRODUCT,    EBB_SUM_ABS,
                                   EBB_SUM_SQUARE, EBB_SUM,      EBB_SUM_EXP};
    static const float none[3];
    const work *w = ctx;
    const int op = w->p->operation;
    const float *x = w->x + at[1];
    const ptrdiff_t step = ebb_loop_step(&w->kept, 1), step_y = ebb_loop_step(&w->kept, 0);
    float v[EBB_SETS], top[EBB_SETS];
    if (op == LOG_SUM_EXP) {
        ebb_collect(w->k, EBB_LARGEST, &w->within, 0, top, x, m, step, NULL);
        for (size_t j = 0; j < m; j++) top[j] = isinf(top[j]) ? 0.f : top[j];
    }
    ebb_collect(w->k, collects[op], &w->within, 0, v, x, m, step, op == LOG_SUM_EXP ? top : NULL);
    if (op == L2) w->k->unary_f32(EBB_SQRT, v, v, m, none);
    if (op == LOG_SUM || op == LOG_SUM_EXP) w->k->unary_f32(EBB_LOG, v, v, m, none);
    for (size_t j = 0; j < m; j++) {
        const float r = op == LOG_SUM_EXP ? v[j] + top[j] : op == MEAN ? ebb_ratio(v[j], w->count) : v[j];
        w->y[at[0] + (ptrdiff_t)j * step_y] = r * w->p->coeff;
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const ebb_desc *x = ebb_blob_desc(in[0]);
    unsigned axes;
    work w = {.k = c->k, .p = st, .y = ebb_f32(out[0]), .x = ebb_f32(in[0])};
    EBB_TRY(find_axes(st, x->rank, &axes, e));
    const ebb_desc y = with_all_axes(ebb_blob_desc(out[0]), x, axes), kept = ebb_axes_off(x, axes),
                   within = ebb_axes_only(x, axes);
    const size_t n = ebb_desc_count(&within);
    w.count = (float)n;
    ebb_loop_init(&w.kept, 2, (const ebb_desc *[]){&y, &kept});
    ebb_loop_init(&w.within, 1, (const ebb_desc *[]){&within});
    ebb_loop_run(c, &w.kept, ebb_sets_piece(n, ebb_loop_step(&w.kept, 1)), run, &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_reduction = {
    .size = sizeof(ebb_layer_type), .name = "Reduction", .doc = "sum, mean, extreme, norm … over axes",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(reduction), .params = params,
    .init = init, .shape = shape, .cpu = cpu,
};
