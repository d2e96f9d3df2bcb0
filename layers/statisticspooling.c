// SPDX-License-Identifier: BSD-3-Clause
// statisticspooling.c - StatisticsPooling: the mean of each channel, and its deviation behind them if asked.
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "parts/collect.h"
#include "parts/ratio.h"
#include <math.h>

typedef struct statistics {
    int include_stddev;
} statistics;

static const ebb_param params[] = {
    EBB_INT(statistics, 0, "include_stddev", include_stddev),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *d = &in->in[0];
    const int vectors = ((const statistics *)st)->include_stddev ? 2 : 1;
    if (d->rank < 1) return ebb_fail(e, EBB_E_SHAPE, "the input has no channels");
    const int channels = d->rank < 3 ? 1 : d->dim[0];
    if (channels > 0x3fffffff) return ebb_fail(e, EBB_E_SHAPE, "%d channels are too many", channels);
    out[0].rank = 1, out[0].dim[0] = channels * vectors;
    return EBB_OK;
}

typedef struct work {
    const ebb_kernels *k;
    float *mean, *deviation;   // deviation: NULL when it is not wanted
    ptrdiff_t step_y;
    const float *x;
    ebb_loop channels, within;
    float count;
} work;

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t m, int worker)
{
    (void)worker;
    const work *w = ctx;
    const ptrdiff_t step = ebb_loop_step(&w->channels, 1);
    float mean[EBB_SETS], square[EBB_SETS];
    ebb_collect(w->k, EBB_SUM, &w->within, 0, mean, w->x + at[1], m, step, NULL);
    for (size_t j = 0; j < m; j++) {
        mean[j] = ebb_ratio(mean[j], w->count);
        w->mean[at[0] + (ptrdiff_t)j * w->step_y] = mean[j];
    }
    if (!w->deviation) return;
    ebb_collect(w->k, EBB_SUM_SQUARE_OFF, &w->within, 0, square, w->x + at[1], m, step, mean);
    for (size_t j = 0; j < m; j++)
        w->deviation[at[0] + (ptrdiff_t)j * w->step_y] = sqrtf(ebb_ratio(square[j], w->count));
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const ebb_desc *x = ebb_blob_desc(in[0]), *y = ebb_blob_desc(out[0]);
    const unsigned axes = ((1u << x->rank) - 1) & ~(x->rank < 3 ? 0u : 1u);
    const ebb_desc kept = ebb_axes_off(x, axes), within = ebb_axes_only(x, axes);
    ebb_desc result = kept;
    for (int i = 0; i < result.rank; i++) result.stride[i] = i == 0 ? y->stride[0] : 0;
    const int channels = x->rank < 3 ? 1 : x->dim[0];
    work w = {.k = c->k,
              .mean = ebb_f32(out[0]),
              .step_y = y->stride[0],
              .x = ebb_f32(in[0]),
              .count = (float)ebb_desc_count(&within)};
    if (((const statistics *)st)->include_stddev) w.deviation = w.mean + channels * w.step_y;
    ebb_loop_init(&w.channels, 2, (const ebb_desc *[]){&result, &kept});
    ebb_loop_init(&w.within, 1, (const ebb_desc *[]){&within});
    ebb_loop_run(c, &w.channels, ebb_sets_piece(ebb_desc_count(&within), ebb_loop_step(&w.channels, 1)), run,
                 &w);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_statisticspooling = {
    .size = sizeof(ebb_layer_type), .name = "StatisticsPooling", .doc = "mean and deviation of each channel",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(statistics), .params = params,
    .shape = shape, .cpu = cpu,
};
