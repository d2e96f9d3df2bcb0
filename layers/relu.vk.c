// SPDX-License-Identifier: BSD-3-Clause
// relu.vk.c - ReLU on a Vulkan device.
#include "relu.h"
#include "relu.comp.h"
#include "vk/vk.h"
#include "relu.push.h"

enum { GROUP = 64 };  // local_size_x of the shader

static int steps(const void *st, const ebb_vk_at *in, const ebb_vk_at *out, ebb_vk_step *s)
{
    ebb_loop l;
    ebb_loop_init(&l, 2, (const ebb_desc *[]){&out->desc, &in->desc});
    struct relu_push *k = (struct relu_push *)s->push;
    *k = (struct relu_push){.count =
                                (int)(l.outer * (size_t)l.dim[l.rank - 1]),  // fits: no device holds as many
                            .dim = {1, 1, 1, 1},
                            .slope = ((const relu *)st)->slope,
                            .y_offset = out->offset,
                            .x_offset = in->offset};
    for (int axis = 0, to = 4 - l.rank; axis < l.rank; axis++, to++) {
        k->dim[to] = l.dim[axis];
        k->y_stride[to] = (int)l.stride[0][axis];
        k->x_stride[to] = (int)l.stride[1][axis];
    }
    s->groups = ((size_t)k->count + GROUP - 1) / GROUP;
    s->bind[0] = EBB_VK_OUT, s->bind[1] = EBB_VK_IN;
    return 1;
}

const ebb_vk_op ebb_vk_relu = {
    .code = {ebb_spv_relu, sizeof ebb_spv_relu, .buffers = 2, .push = sizeof(struct relu_push)},
    .steps = steps,
};
