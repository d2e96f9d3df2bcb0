// SPDX-License-Identifier: BSD-3-Clause
// quantize.c - Quantize: q = x * scale, halves away from zero, cut to -127 … 127. Rule: scales belong to the
// outermost axis.
#include "parts/bychannel.h"
#include "kernels/kernels.h"

typedef struct quantize {
    int scale_data_size;
    ebb_by_channel scale;
} quantize;

static const ebb_param params[] = {
    EBB_INT(quantize, 0, "scale_data_size", scale_data_size, .def = 1, .min = 1, .max = INT32_MAX,
            .doc = "1, or one a channel"),
    {0},
};

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    quantize *p = st;
    const ebb_channel_set set = {"scale_data_size", p->scale_data_size};
    return ebb_by_channel_load(&p->scale, l, &set, 1, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    return ebb_by_channel_shape(&((const quantize *)st)->scale, &in->in[0], EBB_I8, out, e);
}

static void run(const void *st, const ebb_kernels *k, void *y, const void *x, size_t n, size_t channel,
                bool each)
{
    k->quantize_i8(y, x, n, ((const quantize *)st)->scale.v[0] + channel, each);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_by_channel_run(st, &((const quantize *)st)->scale, c, in[0], out[0], run);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_quantize = {
    .size = sizeof(ebb_layer_type), .name = "Quantize", .doc = "floats to 8-bit numbers",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(quantize), .params = params, .load = load, .shape = shape, .cpu = cpu,
};
