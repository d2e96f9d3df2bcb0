// SPDX-License-Identifier: BSD-3-Clause
// types.c - layer types by name and by number. Rule: a type of the net's own hides the built-in one of its name.
#include "types.h"
#include "nearest.h"
#include <string.h>

// clang-format off
static const char *const ncnn_types[] = {
    "AbsVal", "ArgMax", "BatchNorm", "Bias", "BNLL", "Concat", "Convolution", "Crop", "Deconvolution",
    "Dropout", "Eltwise", "ELU", "Embed", "Exp", "Flatten", "InnerProduct", "Input", "Log", "LRN",
    "MemoryData", "MVN", "Pooling", "Power", "PReLU", "Proposal", "Reduction", "ReLU", "Reshape",
    "ROIPooling", "Scale", "Sigmoid", "Slice", "Softmax", "Split", "SPP", "TanH", "Threshold", "Tile",
    "RNN", "LSTM", "BinaryOp", "UnaryOp", "ConvolutionDepthWise", "Padding", "Squeeze", "ExpandDims",
    "Normalize", "Permute", "PriorBox", "DetectionOutput", "Interp", "DeconvolutionDepthWise",
    "ShuffleChannel", "InstanceNorm", "Clip", "Reorg", "YoloDetectionOutput", "Quantize", "Dequantize",
    "Yolov3DetectionOutput", "PSROIPooling", "ROIAlign", "Packing", "Requantize", "Cast", "HardSigmoid",
    "SELU", "HardSwish", "Noop", "PixelShuffle", "DeepCopy", "Mish", "StatisticsPooling", "Swish", "Gemm",
    "GroupNorm", "LayerNorm", "Softplus", "GRU", "MultiHeadAttention", "GELU", "Convolution1D", "Pooling1D",
    "ConvolutionDepthWise1D", "Convolution3D", "ConvolutionDepthWise3D", "Pooling3D", "MatMul",
    "Deconvolution1D", "DeconvolutionDepthWise1D", "Deconvolution3D", "DeconvolutionDepthWise3D", "Einsum",
    "DeformableConv2D", "GLU", "Fold", "Unfold", "GridSample", "CumulativeSum", "CopyTo", "Erf", "Diag",
    "CELU", "Shrink", "RMSNorm", "Spectrogram", "InverseSpectrogram", "Flip", "SDPA", "RotaryEmbed",
};
// clang-format on

const char *ebb_ncnn_type(int number)
{
    const int n = sizeof ncnn_types / sizeof *ncnn_types;
    return number >= 0 && number < n ? ncnn_types[number] : NULL;
}

bool ebb_types_of_ncnn(const char *name)
{
    for (int i = 0; ebb_ncnn_type(i); i++)
        if (!strcmp(ebb_ncnn_type(i), name)) return true;
    return false;
}

const ebb_layer_type *ebb_types_named(const ebb_types *t, const char *name)
{
    for (int i = t->n_custom - 1; i >= 0; i--)
        if (!strcmp(t->custom[i]->name, name)) return t->custom[i];
    return ebb_builtin_layer_named(name);
}

const ebb_layer_type *ebb_types_numbered(const ebb_types *t, int number)
{
    if (!(number & EBB_CUSTOM))
        return ebb_ncnn_type(number) ? ebb_types_named(t, ebb_ncnn_type(number)) : NULL;
    const int n = number & ~EBB_CUSTOM;
    return n >= 0 && n < t->n_custom ? t->custom[n] : NULL;
}

const char *ebb_types_nearest(const ebb_types *t, const char *name)
{
    ebb_nearest near = ebb_nearest_to(name);
    for (int i = 0; i < t->n_custom; i++) ebb_nearest_offer(&near, t->custom[i]->name);
    for (int i = 0; ebb_builtin_layer(i); i++) ebb_nearest_offer(&near, ebb_builtin_layer(i)->name);
    return near.name;
}
