// SPDX-License-Identifier: BSD-3-Clause
// convolution.c - Convolution, ConvolutionDepthWise, and the same in 1D and 3D: windows times a filter for each
// output channel, in groups of channels or not. Rule: the work is parts/conv.c's; here stand rows and names.
#include "convolution.h"

static const ebb_param plain_1d[] = {
    EBB_CONV_COMMON, EBB_CONV_PAD_VALUE, EBB_CONV_DYNAMIC(19), {0},
};
static const ebb_param plain_2d[] = {
    EBB_CONV_COMMON, EBB_CONV_HEIGHT, EBB_CONV_PAD_VALUE, EBB_CONV_INT8, EBB_CONV_DYNAMIC(19), {0},
};
static const ebb_param plain_3d[] = {
    EBB_CONV_COMMON, EBB_CONV_HEIGHT, EBB_CONV_DEPTH, EBB_CONV_PAD_VALUE, {0},
};
static const ebb_param grouped_1d[] = {
    EBB_CONV_COMMON, EBB_CONV_GROUP, EBB_CONV_PAD_VALUE, EBB_CONV_DYNAMIC(19), {0},
};
static const ebb_param grouped_2d[] = {
    EBB_CONV_COMMON,    EBB_CONV_HEIGHT, EBB_CONV_GROUP,       EBB_CONV_PAD_VALUE,
    EBB_CONV_INT8,      EBB_CONV_DYNAMIC(19), {0},
};
static const ebb_param grouped_3d[] = {
    EBB_CONV_COMMON, EBB_CONV_HEIGHT, EBB_CONV_DEPTH, EBB_CONV_GROUP, EBB_CONV_PAD_VALUE, {0},
};

#define CONVOLUTION(sym, text, axes, rows, in_groups, inputs, words, ...)                                    \
    static ebb_status init_##sym(void *st, const ebb_init *in, ebb_error *e)                                 \
    {                                                                                                        \
        ((ebb_conv *)st)->grouped = in_groups;                                                               \
        return ebb_conv_init(st, in, axes, e);                                                               \
    }                                                                                                        \
    const ebb_layer_type ebb_layer_##sym = {                                                                 \
        .size = sizeof(ebb_layer_type), .name = text, .reads = EBB_PIXEL, .doc = words,                      \
        .in_min = 1, .in_max = inputs, .out_min = 1, .out_max = 1,                                           \
        .state_size = sizeof(ebb_conv), .work_size = sizeof(ebb_conv_work), .params = rows,                  \
        .init = init_##sym, .load = ebb_conv_load,                                                           \
        .shape = ebb_conv_shape, .plan = ebb_conv_plan, .cpu = ebb_conv_cpu,          \
        __VA_ARGS__                                                                                          \
    };

// Weights may come as inputs, but in 3D.
CONVOLUTION(convolution, "Convolution", 2, plain_2d, false, 3,
            "windows of an image times a filter for each output channel", EBB_VK_SLOTS(convolution))
CONVOLUTION(convolution1d, "Convolution1D", 1, plain_1d, false, 3,
            "windows of a sequence times a filter for each output channel")
CONVOLUTION(convolution3d, "Convolution3D", 3, plain_3d, false, 1,
            "windows of a volume times a filter for each output channel")
CONVOLUTION(convolutiondepthwise, "ConvolutionDepthWise", 2, grouped_2d, true, 3,
            "a convolution within groups of channels")
CONVOLUTION(convolutiondepthwise1d, "ConvolutionDepthWise1D", 1, grouped_1d, true, 3,
            "a convolution of a sequence within groups of channels")
CONVOLUTION(convolutiondepthwise3d, "ConvolutionDepthWise3D", 3, grouped_3d, true, 1,
            "a convolution of a volume within groups of channels")
