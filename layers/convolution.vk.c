// SPDX-License-Identifier: BSD-3-Clause
// convolution.vk.c - records a pointwise Convolution on a Vulkan device; the others run on the CPU.
#include "convolution.h"
#include "convolution_1x1.comp.h"
#include "vk/vk.h"
#include "convolution_1x1.push.h"

enum { TILE = 32 };  // pixels and outputs that a group of the shader makes

ebb_status ebb_convolution_prepare_vk(const void *st, ebb_vk *vk, void **dev_state, ebb_error *e)
{
    const ebb_conv *c = st;
    if (!c->raw.data)
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "only 1 x 1 kernels with stride 1 and float weights run on a device");
    const ebb_weights parts[] = {c->raw,
                                 {.dtype = EBB_F32, .n = (size_t)c->num_output, .data = c->weights.bias}};
    void *pipeline;
    EBB_TRY(ebb_vk_pipeline_new(vk, ebb_spv_convolution_1x1, sizeof ebb_spv_convolution_1x1, 3,
                                sizeof(struct convolution_1x1_push), &pipeline, e));
    return ebb_vk_weights_new(vk, pipeline, parts, c->weights.bias ? 2 : 1, dev_state, e);
}

// Strides of channels, rows and pixels; a missing axis has none.
static void strides_of(const ebb_desc *d, bool vector, int *channel, int *row, int *pixel)
{
    *channel = vector || d->rank == 3 ? (int)d->stride[0] : 0;
    *row = d->rank > 1 ? (int)d->stride[d->rank - 2] : 0;
    *pixel = vector ? 0 : (int)d->stride[d->rank - 1];
}

ebb_status ebb_convolution_record_vk(const void *st, const void *dev_state, ebb_vk_cmd *cmd,
                                     const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    const ebb_conv *c = st;
    const ebb_vk_weights *w = dev_state;
    ebb_conv_case v;
    EBB_TRY(ebb_conv_resolve(c, ebb_blob_desc(in[0]), &v, e));
    const int pixels = v.axis[1].out * v.axis[2].out, across = (v.oc + TILE - 1) / TILE;
    const size_t tiles = ((size_t)pixels + TILE - 1) / TILE * (size_t)across;  // fits: no buffer of a device is as large
    struct convolution_1x1_push k = {.tiles = (int)tiles,
                                     .across = across,
                                     .pixels = pixels,
                                     .width = v.axis[2].out,
                                     .ic = v.ic,
                                     .oc = v.oc,
                                     .has_bias = c->weights.bias != NULL,
                                     .activation = c->act.type,
                                     .p = c->act.a,
                                     .q = c->act.b,
                                     .x_offset = (int)ebb_vk_offset(in[0]),
                                     .y_offset = (int)ebb_vk_offset(out[0])};
    strides_of(ebb_blob_desc(in[0]), v.vector, &k.x_channel, &k.x_row, &k.x_pixel);
    strides_of(ebb_blob_desc(out[0]), v.vector, &k.y_channel, &k.y_row, &k.y_pixel);
    return ebb_vk_dispatch(cmd, w->pipeline, (const ebb_blob *const[]){out[0], in[0], w->blob}, &k, tiles, e);
}
