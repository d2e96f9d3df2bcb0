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

// Weights may come as inputs, but in 3D.
EBB_CONV_TYPE(convolution, "Convolution", 2, plain_2d, false, false, 3,
              "windows of an image times a filter for each output channel", EBB_VK_SLOTS(convolution))
EBB_CONV_TYPE(convolution1d, "Convolution1D", 1, plain_1d, false, false, 3,
              "windows of a sequence times a filter for each output channel")
EBB_CONV_TYPE(convolution3d, "Convolution3D", 3, plain_3d, false, false, 1,
              "windows of a volume times a filter for each output channel")
EBB_CONV_TYPE(convolutiondepthwise, "ConvolutionDepthWise", 2, grouped_2d, true, false, 3,
              "a convolution within groups of channels")
EBB_CONV_TYPE(convolutiondepthwise1d, "ConvolutionDepthWise1D", 1, grouped_1d, true, false, 3,
              "a convolution of a sequence within groups of channels")
EBB_CONV_TYPE(convolutiondepthwise3d, "ConvolutionDepthWise3D", 3, grouped_3d, true, false, 1,
              "a convolution of a volume within groups of channels")
