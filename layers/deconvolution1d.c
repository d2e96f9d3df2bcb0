// SPDX-License-Identifier: BSD-3-Clause
// deconvolution1d.c - Deconvolution1D: every step of a sequence spread by a filter for each output channel. Rule:
// the work is conv.c's.
#include "conv.h"

static const ebb_param params[] = {
    EBB_CONV_COMMON, EBB_CONV_OUTPUT_PAD(18, "output_pad_right", 2, .doc = "elements behind the last"),
    EBB_CONV_OUTPUT(20, "output_w", 2, .doc = "what same padding cuts to"), EBB_CONV_DYNAMIC(28), {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    ebb_conv *c = st;
    c->group = 1;
    c->transposed = true;
    return ebb_conv_init(c, in, 1, e);
}

const ebb_layer_type ebb_layer_deconvolution1d = {
    .size = sizeof(ebb_layer_type), .name = "Deconvolution1D", .flags = EBB_LAYER_SPATIAL,
    .doc = "every step of a sequence spread by a filter for each output channel",
    .in_min = 1, .in_max = 3, .out_min = 1, .out_max = 1,
    .state_size = sizeof(ebb_conv), .params = params, .init = init, .load = ebb_conv_load,
    .shape = ebb_conv_shape, .plan = ebb_conv_plan, .cpu = ebb_conv_cpu, .macs = ebb_conv_macs,
};
