// SPDX-License-Identifier: BSD-3-Clause
// convolution.vk.c - a pointwise Convolution on a Vulkan device; the others run on the CPU.
#include "convolution.h"
#include "convolution_1x1.comp.h"
#include "vk/vk.h"
#include "convolution_1x1.push.h"

enum { TILE = 32 };  // pixels and outputs that a group of the shader makes

static size_t floats(const ebb_conv *c)
{
    return ebb_size_add((size_t)c->weight_data_size, c->bias_term ? (size_t)c->num_output : 0);
}

static bool takes(const void *st, size_t largest)
{
    return ebb_conv_is_pointwise(st) && ebb_size_mul(floats(st), sizeof(float)) <= largest;
}

// Weights as they stand in the file, then the bias.
static size_t weigh(const void *st, float *to)
{
    const ebb_conv *c = st;
    if (to) {
        ebb_weights_to_f32(&c->raw, to);
        for (int i = 0; i < c->num_output && c->weights.bias; i++)
            to[c->raw.n + (size_t)i] = c->weights.bias[i];
    }
    return floats(c);
}

// Strides of channels, rows and pixels; a missing axis has none.
static void strides_of(const ebb_desc *d, bool vector, int *channel, int *row, int *pixel)
{
    *channel = vector || d->rank == 3 ? (int)d->stride[0] : 0;
    *row = d->rank > 1 ? (int)d->stride[d->rank - 2] : 0;
    *pixel = vector ? 0 : (int)d->stride[d->rank - 1];
}

static int steps(const void *st, const ebb_vk_at *in, const ebb_vk_at *out, ebb_vk_step *s)
{
    const ebb_conv *c = st;
    ebb_conv_case v;
    ebb_conv_resolve(c, &in->desc, &v, NULL);  // shape() has seen that it fits
    const int pixels = v.axis[1].out * v.axis[2].out, across = (v.oc + TILE - 1) / TILE;
    struct convolution_1x1_push *k = (struct convolution_1x1_push *)s->push;
    s->groups = ((size_t)pixels + TILE - 1) / TILE * (size_t)across;
    *k = (struct convolution_1x1_push){.tiles = (int)s->groups,
                                       .across = across,
                                       .pixels = pixels,
                                       .width = v.axis[2].out,
                                       .ic = v.ic,
                                       .oc = v.oc,
                                       .has_bias = c->weights.bias != NULL,
                                       .activation = c->act.type,
                                       .p = c->act.a,
                                       .q = c->act.b,
                                       .x_offset = in->offset,
                                       .y_offset = out->offset};
    strides_of(&in->desc, v.vector, &k->x_channel, &k->x_row, &k->x_pixel);
    strides_of(&out->desc, v.vector, &k->y_channel, &k->y_row, &k->y_pixel);
    s->bind[0] = EBB_VK_OUT, s->bind[1] = EBB_VK_IN, s->bind[2] = EBB_VK_WEIGHTS;
    return 1;
}

const ebb_vk_op ebb_vk_convolution = {
    .code = {ebb_spv_convolution_1x1, sizeof ebb_spv_convolution_1x1, .buffers = 3,
             .push = sizeof(struct convolution_1x1_push)},
    .takes = takes, .weigh = weigh, .steps = steps,
};
