// SPDX-License-Identifier: BSD-3-Clause
// types.c - layer types by name and by number. Rule: a type of the net's own hides the built-in one of its name.
#include "types.h"
#include "nearest.h"
#include <string.h>

enum { CUSTOM = 256 };

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

static bool known_to_ncnn(const char *name)
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

ebb_status ebb_types_find(const ebb_types *t, const char *name, const ebb_layer_type **type, ebb_error *e)
{
    *type = ebb_types_named(t, name);
    if (*type) return EBB_OK;
    if (known_to_ncnn(name))
        return ebb_fail(e, EBB_E_UNSUPPORTED, "the layer type %s of ncnn is not supported", name);
    if (!strncmp(name, "pnnx.", 5))
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "%.64s is a type of pnnx: load the .ncnn.param that pnnx wrote beside it", name);
    ebb_nearest near = ebb_nearest_to(name);
    for (int i = 0; i < t->n_custom; i++) ebb_nearest_offer(&near, t->custom[i]->name);
    for (int i = 0; ebb_builtin_layer(i); i++) ebb_nearest_offer(&near, ebb_builtin_layer(i)->name);
    if (near.name)
        return ebb_fail(e, EBB_E_UNSUPPORTED, "there is no layer type '%.64s'; the nearest is '%.64s'", name,
                        near.name);
    return ebb_fail(e, EBB_E_UNSUPPORTED,
                    "there is no layer type '%.64s'; a custom one is added before loading", name);
}

ebb_status ebb_types_numbered(const ebb_types *t, int number, const ebb_layer_type **type, ebb_error *e)
{
    if (number & CUSTOM) {
        const int n = number & ~CUSTOM;
        if (n < 0 || n >= t->n_custom)
            return ebb_fail(e, EBB_E_UNSUPPORTED,
                            "the layer is custom type %d, but %d were added to the net before loading", n,
                            t->n_custom);
        *type = t->custom[n];
        return EBB_OK;
    }
    const char *name = ebb_ncnn_type(number);
    if (!name) return ebb_fail(e, EBB_E_UNSUPPORTED, "there is no layer type number %d", number);
    return ebb_types_find(t, name, type, e);
}
