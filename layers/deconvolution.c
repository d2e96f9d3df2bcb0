// SPDX-License-Identifier: BSD-3-Clause
// deconvolution.c - Deconvolution, DeconvolutionDepthWise, and the same in 1D and 3D: every pixel spread by a filter
// for each output channel, in groups of channels or not. Rule: the work is parts/conv.c's; here stand rows and names.
#include "parts/conv.h"

#define PAD_RIGHT  EBB_CONV_OUTPUT_PAD(18, "output_pad_right", 2, .doc = "elements behind the last")
#define PAD_BOTTOM EBB_CONV_OUTPUT_PAD(19, "output_pad_bottom", 1, .like = EBB_LIKE(18))
#define PAD_BEHIND EBB_CONV_OUTPUT_PAD(20, "output_pad_behind", 0, .like = EBB_LIKE(18))
#define WIDTH(key) EBB_CONV_OUTPUT(key, "output_w", 2, .doc = "what same padding cuts to")
#define ROWS_1D    PAD_RIGHT, WIDTH(20), EBB_CONV_DYNAMIC(28)
#define ROWS_2D                                                                                              \
    EBB_CONV_HEIGHT, PAD_RIGHT, PAD_BOTTOM, WIDTH(20),                                                       \
        EBB_CONV_OUTPUT(21, "output_h", 1, .like = EBB_LIKE(20)), EBB_CONV_DYNAMIC(28)
#define ROWS_3D                                                                                              \
    EBB_CONV_HEIGHT, EBB_CONV_DEPTH, PAD_RIGHT, PAD_BOTTOM, PAD_BEHIND, WIDTH(25),                           \
        EBB_CONV_OUTPUT(26, "output_h", 1, .like = EBB_LIKE(25)),                                            \
        EBB_CONV_OUTPUT(27, "output_d", 0, .like = EBB_LIKE(25))

static const ebb_param plain_1d[] = {EBB_CONV_COMMON, ROWS_1D, {0}};
static const ebb_param plain_2d[] = {EBB_CONV_COMMON, ROWS_2D, {0}};
static const ebb_param plain_3d[] = {EBB_CONV_COMMON, ROWS_3D, {0}};
static const ebb_param grouped_1d[] = {EBB_CONV_COMMON, EBB_CONV_GROUP, ROWS_1D, {0}};
static const ebb_param grouped_2d[] = {EBB_CONV_COMMON, EBB_CONV_GROUP, ROWS_2D, {0}};
static const ebb_param grouped_3d[] = {EBB_CONV_COMMON, EBB_CONV_GROUP, ROWS_3D, {0}};

// Weights may come as inputs, but in 3D.
EBB_CONV_TYPE(deconvolution, "Deconvolution", 2, plain_2d, false, true, 3,
              "every pixel of an image spread by a filter for each output channel")
EBB_CONV_TYPE(deconvolution1d, "Deconvolution1D", 1, plain_1d, false, true, 3,
              "every step of a sequence spread by a filter for each output channel")
EBB_CONV_TYPE(deconvolution3d, "Deconvolution3D", 3, plain_3d, false, true, 1,
              "every pixel of a volume spread by a filter for each output channel")
EBB_CONV_TYPE(deconvolutiondepthwise, "DeconvolutionDepthWise", 2, grouped_2d, true, true, 3,
              "a transposed convolution of an image within groups of channels")
EBB_CONV_TYPE(deconvolutiondepthwise1d, "DeconvolutionDepthWise1D", 1, grouped_1d, true, true, 3,
              "a transposed convolution of a sequence within groups of channels")
EBB_CONV_TYPE(deconvolutiondepthwise3d, "DeconvolutionDepthWise3D", 3, grouped_3d, true, true, 1,
              "a transposed convolution of a volume within groups of channels")
