// SPDX-License-Identifier: BSD-3-Clause
// draft.c - what text and binary files have in common. Rule: every message says where in the file it belongs.
#include "draft.h"
#include "error.h"
#include "nearest.h"
#include <stdio.h>
#include <string.h>

enum { MAGIC = 7767517, OLD_MAGIC = 7767485 };

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

const char *ebb_ncnn_type(int typeindex)
{
    const int n = sizeof ncnn_types / sizeof *ncnn_types;
    return typeindex >= 0 && typeindex < n ? ncnn_types[typeindex] : NULL;
}

static bool known_to_ncnn(const char *name)
{
    for (int i = 0; ebb_ncnn_type(i); i++)
        if (!strcmp(ebb_ncnn_type(i), name)) return true;
    return false;
}

ebb_status ebb_draft_type(const ebb_net *net, const char *name, const ebb_layer_type **type, ebb_error *e)
{
    *type = ebb_net_type(net, name);
    if (*type) return EBB_OK;
    if (known_to_ncnn(name))
        return ebb_fail(e, EBB_E_UNSUPPORTED, "the layer type %s of ncnn is not supported", name);
    if (!strncmp(name, "pnnx.", 5))
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "%.64s is a type of pnnx: load the .ncnn.param that pnnx wrote beside it", name);
    ebb_nearest near = ebb_nearest_to(name);
    for (int i = 0; i < net->n_custom; i++) ebb_nearest_offer(&near, net->custom[i]->name);
    for (int i = 0; ebb_builtin_layer(i); i++) ebb_nearest_offer(&near, ebb_builtin_layer(i)->name);
    if (near.name)
        return ebb_fail(e, EBB_E_UNSUPPORTED, "there is no layer type '%.64s'; the nearest is '%.64s'", name,
                        near.name);
    return ebb_fail(e, EBB_E_UNSUPPORTED,
                    "there is no layer type '%.64s'; a custom one is added before loading", name);
}

// The end of a long path says more than its beginning.
static const char *tail(const char *label)
{
    const size_t n = strlen(label);
    return n > 120 ? label + n - 120 : label;
}

ebb_status ebb_draft_place(const ebb_draft *d, const ebb_draft_layer *l, const char *at, ebb_status s,
                           ebb_error *e)
{
    if (l && l->name && l->type)
        ebb_error_prefix(e, s, "layer %td '%.64s' (%.40s): ", l - d->layers, l->name, l->type->name);
    else if (l && l->name)
        ebb_error_prefix(e, s, "layer %td '%.64s': ", l - d->layers, l->name);
    else if (l)
        ebb_error_prefix(e, s, "layer %td: ", l - d->layers);
    if (!at) return ebb_error_prefix(e, s, "%s: ", tail(d->label));
    if (d->binary) return ebb_error_prefix(e, s, "%s: byte %td: ", tail(d->label), at - d->data);
    int line = 1;
    const char *start = d->data;
    for (const char *p = start; p < at; p++)
        if (*p == '\n') line++, start = p + 1;
    return ebb_error_prefix(e, s, "%s:%d:%td: ", tail(d->label), line, at - start + 1);
}

ebb_status ebb_draft_nomem(const ebb_draft *d, ebb_error *e)
{
    return ebb_draft_place(d, NULL, NULL, ebb_fail(e, EBB_E_NOMEM, "no memory for the graph"), e);
}

ebb_status ebb_draft_add_value(ebb_draft *d, ebb_draft_layer *l, ebb_value **last, ebb_value v, ebb_error *e)
{
    if (v.id < 0 || v.id >= EBB_MAX_ID)
        return ebb_fail(e, EBB_E_FORMAT, "parameter id %d is out of range: ids go from 0 to %d", v.id,
                        EBB_MAX_ID - 1);
    if (l->ids >> v.id & 1) return ebb_fail(e, EBB_E_FORMAT, "parameter %d stands here a second time", v.id);
    ebb_value *copy = ebb_arena_get(&d->arena, sizeof *copy);
    if (!copy) return ebb_fail(e, EBB_E_NOMEM, "no memory for a parameter");
    *copy = v;
    l->ids |= (uint64_t)1 << v.id;
    if (*last)
        (*last)->next = copy;
    else
        l->values = copy;
    *last = copy;
    return EBB_OK;
}

const ebb_value *ebb_draft_value(const ebb_draft_layer *l, int id)
{
    const ebb_value *v = l->values;
    while (v && v->id != id) v = v->next;
    return v;
}

static bool starts(const ebb_draft *d, const char *with, size_t n)
{
    return d->bytes >= n && !memcmp(d->data, with, n);
}

static bool starts_with_cell(const ebb_draft *d, int32_t v)
{
    const unsigned char cell[] = {v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24 & 255};
    return starts(d, (const char *)cell, sizeof cell);
}

static bool starts_with_text(const ebb_draft *d, int32_t v)
{
    char text[16];
    const int n = snprintf(text, sizeof text, "%d", v);
    return starts(d, text, (size_t)n);
}

static bool is_text(const ebb_draft *d)
{
    for (size_t i = 0; i < d->bytes && i < 256; i++)
        if ((unsigned char)d->data[i] < ' ' && !strchr("\t\n\v\f\r", d->data[i])) return false;
    return true;
}

// What a file without the magic number seems to be.
static const char *looks_like(const ebb_draft *d)
{
    if (starts(d, "version https://git-lfs", 23)) return "a Git LFS pointer: fetch the real file";
    if (starts(d, "PK", 2)) return "a zip or PyTorch archive: convert it with pnnx first";
    if (starts(d, "\x1f\x8b", 2)) return "a gzip file: unpack it first";
    if (starts(d, "<", 1)) return "a web page: was the download right?";
    if (starts(d, "\x08", 1)) return "an ONNX file: convert it with pnnx first";
    if (is_text(d)) return "text, but no .param";
    return "no .param: are .param and .bin interchanged?";
}

static ebb_status bad_magic(const ebb_draft *d, ebb_error *e)
{
    if (d->bytes == 0) return ebb_fail(e, EBB_E_FORMAT, "the file is empty");
    if (starts_with_text(d, OLD_MAGIC) || starts_with_cell(d, OLD_MAGIC))
        return ebb_fail(e, EBB_E_FORMAT,
                        "this is a .param of the old version %d; convert it again, to version %d", OLD_MAGIC,
                        MAGIC);
    return ebb_fail(e, EBB_E_FORMAT, "the file does not start with %d; it looks like %s", MAGIC,
                    looks_like(d));
}

ebb_status ebb_draft_read(ebb_draft *d, ebb_net *net, ebb_error *e)
{
    d->binary = starts_with_cell(d, MAGIC);
    if (d->binary) return ebb_draft_binary(d, net, e);
    if (starts(d, "\xef\xbb\xbf", 3)) d->data += 3, d->bytes -= 3;
    while (d->bytes && ebb_is_space(*d->data)) d->data++, d->bytes--;
    if (starts_with_text(d, MAGIC)) return ebb_draft_text(d, net, e);
    return ebb_draft_place(d, NULL, NULL, bad_magic(d, e), e);
}
