// SPDX-License-Identifier: BSD-3-Clause
// requantize.c - Requantize: q = activation(sum * scale_in + bias) * scale_out, rounded as in Quantize. Rule:
// scales and biases belong to the outermost axis.
#include "parts/activation.h"
#include "parts/bychannel.h"
#include "kernels/kernels.h"

typedef struct requantize {
    int scale_in_data_size, scale_out_data_size, bias_data_size, activation_type;
    ebb_floats activation_params;
    ebb_activation act;
    ebb_by_channel sets;  // scale in, scale out, bias
} requantize;

static const ebb_param params[] = {
    EBB_INT(requantize, 0, "scale_in_data_size", scale_in_data_size, .def = 1, .min = 1, .max = INT32_MAX,
            .doc = "1, or one a channel"),
    EBB_INT(requantize, 1, "scale_out_data_size", scale_out_data_size, .def = 1, .min = 1, .max = INT32_MAX,
            .doc = "1, or one a channel"),
    EBB_INT(requantize, 2, "bias_data_size", bias_data_size, .max = INT32_MAX,
            .doc = "0, 1, or one a channel"),
    EBB_INT(requantize, 3, "activation_type", activation_type),
    EBB_FLOATS(requantize, 4, "activation_params", activation_params),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    requantize *p = st;
    return ebb_activation_init(&p->act, p->activation_type, p->activation_params, e);
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    requantize *p = st;
    const ebb_channel_set sets[] = {{"scale_in_data_size", p->scale_in_data_size},
                                    {"scale_out_data_size", p->scale_out_data_size},
                                    {"bias_data_size", p->bias_data_size}};
    return ebb_by_channel_load(&p->sets, l, sets, 3, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    return ebb_by_channel_shape(&((const requantize *)st)->sets, &in->in[0], EBB_I8, out, e);
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0].dtypes = EBB_BIT(EBB_I32);
    return EBB_OK;
}

static void run(const void *st, const ebb_kernels *k, void *y, const void *x, size_t n, size_t channel,
                bool each)
{
    enum { PART = 256 };
    const requantize *p = st;
    const float *in = p->sets.v[0] + channel, *out = p->sets.v[1] + channel, *bias = p->sets.v[2] + channel;
    float t[PART];
    for (size_t i = 0; i < n; i += PART) {
        const size_t m = n - i < PART ? n - i : PART, c = each ? i : 0;
        k->dequantize_f32(t, (const int32_t *)x + i, m, in + c, bias + c, each);
        k->activate_f32(t, m, p->act.type, p->act.a, p->act.b);
        k->quantize_i8((int8_t *)y + i, t, m, out + c, each);
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_by_channel_run(st, &((const requantize *)st)->sets, c, in[0], out[0], run);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_requantize = {
    .size = sizeof(ebb_layer_type),
    .name = "Requantize",
    .doc = "32-bit sums of 8-bit products to 8-bit numbers",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(requantize),
    .params = params,
    .init = init,
    .load = load,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
