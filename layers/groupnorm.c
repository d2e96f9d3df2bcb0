// SPDX-License-Identifier: BSD-3-Clause
// groupnorm.c - GroupNorm, InstanceNorm, MVN: mean and variance over groups of channels and all that is in
// them. Rule: two passes, sums by channel first, so that both orders are read as they lie and groups of any
// size are exact.
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "parts/collect.h"
#include "parts/vector.h"
#include "parts/ratio.h"
#include <limits.h>
#include <math.h>

typedef struct groupnorm {
    int group;                // 0: each channel by itself
    int channels;             // 0: any
    int affine;
    float eps;
    int variance;             // divide by the deviation
    int eps_outside;          // of the root
    int across;               // MVN: all channels are one group
    const float *gamma, *beta;
} groupnorm;

#define INT(id_, name_, field, ...) \
    EBB_INT(groupnorm, id_, name_, field, __VA_ARGS__)
#define EPS(id_, def_)                                                                                       \
    EBB_FLOAT(groupnorm, id_, "eps", eps, .def = def_)

static const ebb_param group_rows[] = {INT(0, "group", group, .def = 1, .min = 1, .max = INT_MAX),
                                       INT(1, "channels", channels, .max = INT_MAX), EPS(2, 0.001f),
                                       INT(3, "affine", affine, .def = 1), {0}};
static const ebb_param instance_rows[] = {INT(0, "channels", channels, .max = INT_MAX), EPS(1, 0.001f),
                                          INT(2, "affine", affine, .def = 1), {0}};
static const ebb_param mvn_rows[] = {INT(0, "normalize_variance", variance),
                                     INT(1, "across_channels", across), EPS(2, 0.0001f), {0}};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    groupnorm *p = st;
    p->variance = 1;
    if (p->affine && p->channels < 1)
        return ebb_fail(e, EBB_E_PARAM, "affine=1 needs the number of channels, which is %d", p->channels);
    if (p->group && p->channels % p->group)
        return ebb_fail(e, EBB_E_PARAM, "%d channels do not make %d groups of one size", p->channels,
                        p->group);
    return EBB_OK;
}

static ebb_status mvn_init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in, (void)e;
    groupnorm *p = st;
    p->group = p->across != 0;
    p->eps_outside = 1;
    return EBB_OK;
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    groupnorm *p = st;
    if (!p->affine) return EBB_OK;
    EBB_TRY(ebb_load_vector(l, p->channels, &p->gamma, e));
    return ebb_load_vector(l, p->channels, &p->beta, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const groupnorm *p = st;
    const int channels = in->in[0].rank ? in->in[0].dim[0] : 0;
    if (p->affine && channels != p->channels)
        return ebb_fail(e, EBB_E_SHAPE, "the input has %d channels, there are constants for %d", channels,
                        p->channels);
    if (p->group && channels % p->group)
        return ebb_fail(e, EBB_E_SHAPE, "the input's %d channels do not make %d groups of one size", channels,
                        p->group);
    return ebb_elementwise_shape(st, in, out, e);
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    const int channels = in->in[0].rank ? in->in[0].dim[0] : 0;
    plan->worker_scratch = ebb_size_mul((size_t)channels, 2 * sizeof(float));
    return ebb_in_place_plan(st, in, plan, e);
}

typedef struct work {
    const groupnorm *p;
    const ebb_cpu *cpu;
    float *y;
    const float *x;
    ptrdiff_t step_y, step_x;  // from channel to channel
    int group, groups;         // channels in one, and how many there are
    int batch;                 // groups in one item
    ebb_loop within;           // a channel: operand 0 the output, 1 the input
    float count;               // elements of a channel
} work;

// Gives every channel of a group the mean of their values.
static void share(const work *w, float *v, int channels)
{
    for (int first = 0; first < channels; first += w->group) {
        double sum = 0;
        for (int c = 0; c < w->group; c++) sum += v[first + c];
        const float mean = (float)(sum / ((double)w->count * w->group));
        for (int c = 0; c < w->group; c++) v[first + c] = mean;
    }
}

static void deviation(const groupnorm *p, float *v, int channels)
{
    for (int c = 0; c < channels; c++)
        v[c] = !p->variance     ? 1.f
               : p->eps_outside ? ebb_ratio(1.f, sqrtf(v[c]) + p->eps)
                                : ebb_ratio(1.f, sqrtf(v[c] + p->eps));
}

static ebb_affine constants(const groupnorm *p, const float *mean, const float *scale, int channel, int step)
{
    return (ebb_affine){.mean = mean, .scale = scale, .gamma = p->affine ? p->gamma + channel : NULL,
                        .beta = p->affine ? p->beta + channel : NULL, .step = step, .gamma_step = step};
}

static void apply(const work *w, int channel, int channels, const float *mean, const float *scale)
{
    const ebb_loop *l = &w->within;
    const size_t n = (size_t)l->dim[l->rank - 1];
    const ptrdiff_t step_y = ebb_loop_step(l, 0), step_x = ebb_loop_step(l, 1);
    for (size_t r = 0; r < l->outer; r++) {
        ptrdiff_t at[EBB_LOOP_MAX];
        ebb_loop_at(l, r, at);
        float *y = w->y + at[0] + channel * w->step_y;
        const float *x = w->x + at[1] + channel * w->step_x;
        if (w->step_y == 1 && w->step_x == 1) {
            const ebb_affine a = constants(w->p, mean, scale, channel, 1);
            w->cpu->k->affine_f32(y, step_y, x, step_x, n, (size_t)channels, &a);
        } else {
            for (int c = 0; c < channels; c++, y += w->step_y, x += w->step_x) {
                const ebb_affine a = constants(w->p, mean + c, scale + c, channel + c, 0);
                if (step_y == 1 && step_x == 1) w->cpu->k->affine_f32(y, 0, x, 0, 1, n, &a);
                else w->cpu->k->affine_f32(y, step_y, x, step_x, n, 1, &a);
            }
        }
    }
}

static void item(void *ctx, size_t i, int worker)
{
    const work *w = ctx;
    const int first = (int)i * w->batch, left = w->groups - first, n = left < w->batch ? left : w->batch;
    const int channel = first * w->group, channels = n * w->group;
    float *mean = ebb_worker_scratch(w->cpu, worker), *scale = mean + channels;
    const float *x = w->x + channel * w->step_x;
    ebb_collect(w->cpu->k, EBB_SUM, &w->within, 1, mean, x, (size_t)channels, w->step_x, NULL);
    share(w, mean, channels);
    if (w->p->variance) {
        ebb_collect(w->cpu->k, EBB_SUM_SQUARE_OFF, &w->within, 1, scale, x, (size_t)channels, w->step_x,
                    mean);
        share(w, scale, channels);
    }
    deviation(w->p, scale, channels);
    apply(w, channel, channels, mean, scale);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const groupnorm *p = st;
    const ebb_desc *dy = ebb_blob_desc(out[0]), *dx = ebb_blob_desc(in[0]);
    const int channels = dx->dim[0];
    if (ebb_desc_count(dx) == 0) return EBB_OK;
    const ebb_desc y = ebb_axes_off(dy, 1), x = ebb_axes_off(dx, 1);
    work w = {.p = p,
              .cpu = c,
              .y = ebb_f32(out[0]),
              .x = ebb_f32(in[0]),
              .step_y = dy->stride[0],
              .step_x = dx->stride[0],
              .count = (float)ebb_desc_count(&x)};
    const int groups = p->eps_outside && dx->rank < 3 ? 1 : p->group;  // to MVN, what has no channels is one
    w.group = groups ? channels / groups : 1;
    w.groups = channels / w.group;
    const int share_of = (channels + c->threads - 1) / c->threads, least = share_of > 16 ? share_of : 16;
    w.batch = (least + w.group - 1) / w.group;
    ebb_loop_init(&w.within, 2, (const ebb_desc *[]){&y, &x});
    ebb_parallel(c, (w.groups + w.batch - 1) / w.batch, item, &w);
    return EBB_OK;
}

#define NORM(sym, type_name, text, rows, start)                                                              \
    const ebb_layer_type ebb_layer_##sym = {                                                                 \
        .size = sizeof(ebb_layer_type),                                                                      \
        .name = type_name,                                                                                   \
        .doc = text,                                                                                         \
        .in_min = 1,                                                                                         \
        .in_max = 1,                                                                                         \
        .out_min = 1,                                                                                        \
        .out_max = 1,                                                                                        \
        .state_size = sizeof(groupnorm),                                                                     \
        .params = rows,                                                                                      \
        .init = start,                                                                                       \
        .load = load,                                                                                        \
        .shape = shape,                                                                                      \
        .plan = plan,                                                                                        \
        .cpu = cpu,                                                                                          \
    };

NORM(groupnorm, "GroupNorm", "(x - mean) / sqrt(var + eps) * gamma + beta by groups of channels", group_rows,
     init)
NORM(instancenorm, "InstanceNorm", "the same over each channel", instance_rows, init)
NORM(mvn, "MVN", "x - mean, over the deviation + eps if asked, by channel or across all", mvn_rows, mvn_init)
