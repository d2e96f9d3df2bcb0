// SPDX-License-Identifier: BSD-3-Clause
// dequantize.c - Dequantize: y = q * scale + bias from 32-bit sums. Rule: scales and biases belong to the
// outermost axis.
#include "parts/bychannel.h"
#include "kernels/kernels.h"

typedef struct dequantize {
    int scale_data_size, bias_data_size;
    ebb_by_channel sets;  // scale, bias
} dequantize;

static const ebb_param params[] = {
    EBB_INT(dequantize, 0, "scale_data_size", scale_data_size, .def = 1, .min = 1, .max = INT32_MAX,
            .doc = "1, or one a channel"),
    EBB_INT(dequantize, 1, "bias_data_size", bias_data_size, .max = INT32_MAX,
            .doc = "0, 1, or one a channel"),
    {0},
};

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    dequantize *p = st;
    const ebb_channel_set sets[] = {{"scale_data_size", p->scale_data_size},
                                    {"bias_data_size", p->bias_data_size}};
    return ebb_by_channel_load(&p->sets, l, sets, 2, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    return ebb_by_channel_shape(&((const dequantize *)st)->sets, &in->in[0], EBB_F32, out, e);
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
    const ebb_by_channel *s = &((const dequantize *)st)->sets;
    k->dequantize_f32(y, x, n, s->v[0] + channel, s->v[1] + channel, each);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_by_channel_run(st, &((const dequantize *)st)->sets, c, in[0], out[0], run);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_dequantize = {
    .size = sizeof(ebb_layer_type),
    .name = "Dequantize",
    .doc = "32-bit sums of 8-bit products to floats",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(dequantize),
    .params = params,
    .load = load,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
