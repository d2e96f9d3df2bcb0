// SPDX-License-Identifier: BSD-3-Clause
// convolution.c - Convolution: windows of an image times a filter for each output channel. Rule: the work is
// conv.c's.
#include "convolution.h"

static const ebb_param params[] = {
    EBB_CONV_COMMON, EBB_CONV_HEIGHT, EBB_CONV_PAD_VALUE, EBB_CONV_INT8, EBB_CONV_DYNAMIC(19), {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    ((ebb_conv *)st)->group = 1;
    return ebb_conv_init(st, in, 2, e);
}

const ebb_layer_type ebb_layer_convolution = {
    .size = sizeof(ebb_layer_type), .name = "Convolution", .flags = EBB_LAYER_SPATIAL,
    .doc = "windows of an image times a filter for each output channel",
    .in_min = 1, .in_max = 3, .out_min = 1, .out_max = 1,
    .state_size = sizeof(ebb_conv), .params = params, .init = init, .load = ebb_conv_load,
    .shape = ebb_conv_shape, .plan = ebb_conv_plan, .cpu = ebb_conv_cpu, .macs = ebb_conv_macs,
    EBB_VK_SLOTS(convolution)
};
