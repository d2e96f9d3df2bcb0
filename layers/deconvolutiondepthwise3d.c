// SPDX-License-Identifier: BSD-3-Clause
// deconvolutiondepthwise3d.c - DeconvolutionDepthWise3D: a transposed convolution of a volume within groups of
// channels. Rule: the work is conv.c's.
#include "conv.h"

static const ebb_param params[] = {
    EBB_CONV_COMMON, EBB_CONV_HEIGHT, EBB_CONV_DEPTH, EBB_CONV_GROUP,
    EBB_CONV_OUTPUT_PAD(18, "output_pad_right", 2, .doc = "elements behind the last"),
    EBB_CONV_OUTPUT_PAD(19, "output_pad_bottom", 1, .like = EBB_LIKE(18)),
    EBB_CONV_OUTPUT_PAD(20, "output_pad_behind", 0, .like = EBB_LIKE(18)),
    EBB_CONV_OUTPUT(25, "output_w", 2, .doc = "what same padding cuts to"),
    EBB_CONV_OUTPUT(26, "output_h", 1, .like = EBB_LIKE(25)),
    EBB_CONV_OUTPUT(27, "output_d", 0, .like = EBB_LIKE(25)), {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    ebb_conv *c = st;
    c->grouped = true;
    c->transposed = true;
    return ebb_conv_init(c, in, 3, e);
}

const ebb_layer_type ebb_layer_deconvolutiondepthwise3d = {
    .size = sizeof(ebb_layer_type), .name = "DeconvolutionDepthWise3D", .flags = EBB_LAYER_SPATIAL,
    .doc = "a transposed convolution of a volume within groups of channels",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(ebb_conv), .params = params, .init = init, .load = ebb_conv_load,
    .shape = ebb_conv_shape, .plan = ebb_conv_plan, .cpu = ebb_conv_cpu, .macs = ebb_conv_macs,
};
