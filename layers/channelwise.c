// SPDX-License-Identifier: BSD-3-Clause
// channelwise.c - Scale, Bias, BatchNorm, PReLU: constants for each channel of any shape. Rule: the channel
// is the outermost axis, and there are as many constants as it is long.
#include "parts/broadcast.h"
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "parts/vector.h"
#include <limits.h>
#include <math.h>
#include <string.h>

enum { BY_INPUT = -233 };  // Scale: its scale is the second input

typedef struct channelwise {
    int n;          // constants
    int bias_term;
    float eps;
    const float *slope, *mean, *bias;
    float *scale;   // BatchNorm: 1 / sqrt(var + eps)
} channelwise;

#define SIZE(name_, least)                                                                                   \
    EBB_INT(channelwise, 0, name_, n, .min = least, .max = INT_MAX)
static const ebb_param bias_rows[] = {SIZE("bias_data_size", 1), {0}};
static const ebb_param prelu_rows[] = {SIZE("num_slope", 1), {0}};
static const ebb_param scale_rows[] = {
    SIZE("scale_data_size", BY_INPUT),
    EBB_INT(channelwise, 1, "bias_term", bias_term), {0}};
static const ebb_param batchnorm_rows[] = {
    SIZE("channels", 1),
    EBB_FLOAT(channelwise, 1, "eps", eps), {0}};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const int n = ((const channelwise *)st)->n, channels = in->in[0].rank ? in->in[0].dim[0] : 0;
    if (channels != n)
        return ebb_fail(e, EBB_E_SHAPE, "the input has %d channels, there are constants for %d", channels, n);
    return ebb_elementwise_shape(st, in, out, e);
}

typedef struct work {
    const channelwise *p;
    const ebb_kernels *k;
    float *y;
    const float *x;
    size_t n;          // elements of a row that runs through the channels; 0 when rows lie in one channel
    ebb_loop loop;     // operands: y, x, the channel
} work;

static ebb_affine constants(const channelwise *p, ptrdiff_t channel, int step)
{
    return (ebb_affine){.mean = p->mean ? p->mean + channel : NULL,
                        .scale = p->scale ? p->scale + channel : NULL,
                        .gamma = p->slope ? p->slope + channel : NULL,
                        .beta = p->bias ? p->bias + channel : NULL,
                        .step = step,
                        .gamma_step = step};
}

// n rows, or a row of n elements.
static void affine(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker)
{
    (void)worker;
    const work *w = ctx;
    const ptrdiff_t step_y = ebb_loop_step(&w->loop, 0), step_x = ebb_loop_step(&w->loop, 1),
                    next = ebb_loop_step(&w->loop, 2);
    const ebb_affine a = constants(w->p, at[2], w->n > 0);
    float *y = w->y + at[0];
    const float *x = w->x + at[1];
    if (w->n) {
        w->k->affine_f32(y, step_y, x, step_x, n, w->n, &a);
    } else if (next == 0 && step_y == 1 && step_x == 1) {
        w->k->affine_f32(y, 0, x, 0, 1, n, &a);
    } else {
        for (size_t i = 0; i < n; i++, y += step_y, x += step_x) {
            const ebb_affine own = constants(w->p, at[2] + (ptrdiff_t)i * next, 0);
            w->k->affine_f32(y, 0, x, 0, 1, 1, &own);
        }
    }
}

static ebb_status affine_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in,
                             ebb_blob *const *out, ebb_error *e)
{
    (void)e;
    const ebb_desc *y = ebb_blob_desc(out[0]), *x = ebb_blob_desc(in[0]);
    const ebb_desc channel = {.rank = y->rank, .dim = {y->dim[0], 1, 1, 1}, .stride = {1}};
    work w = {.p = st, .k = c->k, .y = ebb_f32(out[0]), .x = ebb_f32(in[0])};
    ebb_loop *l = &w.loop;
    ebb_loop_init(l, 3, (const ebb_desc *[]){y, x, &channel});
    if (l->outer == 0) return EBB_OK;
    if (ebb_loop_step(l, 0) == 1 && ebb_loop_step(l, 1) == 1 && ebb_loop_step(l, 2) == 1)
        w.n = (size_t)ebb_loop_take_row(l);
    ebb_loop_run(c, l, w.n ? ebb_rows_piece(w.n) : EBB_PIECE, affine, &w);
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- Bias, BatchNorm

static ebb_status bias_load(void *st, const ebb_load *l, ebb_error *e)
{
    channelwise *p = st;
    return ebb_load_vector(l, p->n, &p->bias, e);
}

static ebb_status batchnorm_load(void *st, const ebb_load *l, ebb_error *e)
{
    channelwise *p = st;
    ebb_weights var;
    void *scale;
    EBB_TRY(ebb_load_alloc(l, ebb_size_mul((size_t)p->n, sizeof(float)), &scale, e));
    EBB_TRY(ebb_load_vector(l, p->n, &p->slope, e));
    EBB_TRY(ebb_load_vector(l, p->n, &p->mean, e));
    EBB_TRY(ebb_load_weights(l, (size_t)p->n, EBB_RAW, &var, e));
    p->scale = scale;
    for (int i = 0; i < p->n; i++) {
        const float deviation = sqrtf(ebb_weight_f32(&var, (size_t)i) + p->eps);
        p->scale[i] = 1.f / (deviation == 0.f ? 1e-4f : deviation);  // files count on this, ncnn's way around 1 / 0
    }
    return ebb_load_vector(l, p->n, &p->bias, e);
}

// ------------------------------------------------------------------------------------------- Scale

static ebb_status scale_init(void *st, const ebb_init *in, ebb_error *e)
{
    const channelwise *p = st;
    const int want = p->n == BY_INPUT ? 2 : 1;
    if (p->n < 1 && p->n != BY_INPUT)
        return ebb_fail(e, EBB_E_PARAM, "scale_data_size is %d, it must be positive, or -233", p->n);
    if (in->n_in != want || in->n_out > want)
        return ebb_fail(e, EBB_E_PARAM,
                        "scale_data_size=%d takes %d inputs and at most as many outputs, there are %d and %d",
                        p->n, want, in->n_in, in->n_out);
    return EBB_OK;
}

static ebb_status scale_load(void *st, const ebb_load *l, ebb_error *e)
{
    channelwise *p = st;
    if (p->n == BY_INPUT) return EBB_OK;
    EBB_TRY(ebb_load_vector(l, p->n, &p->slope, e));
    return p->bias_term ? ebb_load_vector(l, p->n, &p->bias, e) : EBB_OK;
}

static ebb_status scale_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    if (((const channelwise *)st)->n != BY_INPUT) return shape(st, in, out, e);
    const ebb_desc *x = &in->in[0], *s = &in->in[1];
    if (s->rank != 1 || x->rank < 1 || s->dim[0] != x->dim[0]) {
        return ebb_fail(e, EBB_E_SHAPE,
                        "the scale is %s, for the input %s it must be a vector with one value a channel",
                        EBB_SHAPE(s), EBB_SHAPE(x));
    }
    if (in->n_out > 1) out[1].rank = 1, out[1].dim[0] = s->dim[0];
    return ebb_elementwise_shape(st, in, out, e);
}

static ebb_status scale_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->out[0].steal = EBB_BIT(0);
    if (in->n_out > 1) plan->out[1].steal = EBB_BIT(1), plan->out[1].follow = 1;
    return EBB_OK;
}

static void copy(const void *st, const ebb_kernels *k, float *y, const float *x, size_t n)
{
    (void)st, (void)k;
    memmove(y, x, n * sizeof *y);
}

// The second output is the second input: ncnn scales in place, and so hands on both.
static ebb_status scale_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                            ebb_error *e)
{
    if (((const channelwise *)st)->n != BY_INPUT) return affine_cpu(st, c, in, out, e);
    ebb_operand x = ebb_operand_of(in[0]), s = ebb_repeated(&x.desc, -1, ebb_f32(in[1]));
    s.desc.stride[0] = ebb_blob_desc(in[1])->stride[0];
    if (out[0]) ebb_binary(c, EBB_MUL, ebb_operand_of(out[0]), x, s);
    if (c->n_out > 1 && out[1]) ebb_elementwise(st, c, in[1], out[1], copy);
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- PReLU

static ebb_status prelu_load(void *st, const ebb_load *l, ebb_error *e)
{
    channelwise *p = st;
    return ebb_load_vector(l, p->n, &p->slope, e);
}

static ebb_status prelu_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    return ((const channelwise *)st)->n == 1 ? ebb_elementwise_shape(st, in, out, e) : shape(st, in, out, e);
}

static ebb_status prelu_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                            ebb_error *e)
{
    (void)e;
    const channelwise *p = st;
    const ebb_operand x = ebb_operand_of(in[0]);
    ebb_binary(c, EBB_PRELU, ebb_operand_of(out[0]), x, ebb_repeated(&x.desc, p->n == 1 ? -1 : 0, p->slope));
    return EBB_OK;
}

const ebb_layer_type ebb_layer_bias = {
    .size = sizeof(ebb_layer_type), .name = "Bias", .doc = "x + bias of the channel",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(channelwise), .params = bias_rows,
    .load = bias_load, .shape = shape, .plan = ebb_in_place_plan, .cpu = affine_cpu,
};

const ebb_layer_type ebb_layer_batchnorm = {
    .size = sizeof(ebb_layer_type), .name = "BatchNorm",
    .doc = "(x - mean) / sqrt(var + eps) * slope + bias of the channel",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(channelwise), .params = batchnorm_rows,
    .load = batchnorm_load, .shape = shape, .plan = ebb_in_place_plan, .cpu = affine_cpu,
};

const ebb_layer_type ebb_layer_scale = {
    .size = sizeof(ebb_layer_type), .name = "Scale", .doc = "x * scale + bias of the channel",
    .in_min = 1, .in_max = 2, .out_min = 1, .out_max = 2,
    .state_size = sizeof(channelwise), .params = scale_rows,
    .init = scale_init, .load = scale_load, .shape = scale_shape, .plan = scale_plan, .cpu = scale_cpu,
};

const ebb_layer_type ebb_layer_prelu = {
    .size = sizeof(ebb_layer_type), .name = "PReLU", .doc = "x, below 0: slope * x",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(channelwise), .params = prelu_rows,
    .load = prelu_load, .shape = prelu_shape, .plan = ebb_in_place_plan, .cpu = prelu_cpu,
};
