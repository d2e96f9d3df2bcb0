// SPDX-License-Identifier: BSD-3-Clause
// convolutiondepthwise.c - ConvolutionDepthWise: a convolution within groups of channels, often of one each. Rule:
// the
// work is conv.c's.
#include "conv.h"

static const ebb_param params[] = {
    EBB_CONV_COMMON,
    EBB_CONV_HEIGHT,
    EBB_CONV_GROUP,
    EBB_CONV_PAD_VALUE,
    EBB_CONV_INT8,
    EBB_CONV_DYNAMIC(19),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    ((ebb_conv *)st)->grouped = true;
    return ebb_conv_init(st, in, 2, e);
}

const ebb_layer_type ebb_layer_convolutiondepthwise = {
    .size = sizeof(ebb_layer_type), .name = "ConvolutionDepthWise", .flags = EBB_LAYER_SPATIAL,
    .doc = "a convolution within groups of channels",
    .in_min = 1, .in_max = 3, .out_min = 1, .out_max = 1,
    .state_size = sizeof(ebb_conv), .params = params, .init = init, .load = ebb_conv_load,
    .shape = ebb_conv_shape, .plan = ebb_conv_plan, .cpu = ebb_conv_cpu, .macs = ebb_conv_macs,
};
