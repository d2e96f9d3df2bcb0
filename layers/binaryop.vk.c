// SPDX-License-Identifier: BSD-3-Clause
// binaryop.vk.c - BinaryOp on a Vulkan device.
#include "binaryop.h"
#include "binaryop.comp.h"
#include "vk/vk.h"
#include "binaryop.push.h"

enum { GROUP = 64 };  // local_size_x of the shader

static int steps(const void *st, const ebb_vk_at *in, const ebb_vk_at *out, ebb_vk_step *s)
{
    const ebb_binaryop *p = st;
    const ebb_vk_at *a = &in[0], *b = p->with_scalar ? a : &in[1];
    ebb_desc d[2];
    ebb_binaryop_align((const ebb_desc[]){a->desc, b->desc}, d);
    ebb_loop l;
    ebb_loop_init(&l, 3, (const ebb_desc *[]){&out->desc, &d[0], &d[1]});
    bool swap;
    struct binaryop_push *k = (struct binaryop_push *)s->push;
    *k = (struct binaryop_push){.op = ebb_binaryop_op(p, &swap),
                                .count = (int)(l.outer * (size_t)l.dim[l.rank - 1]),  // fits, as in relu.vk.c
                                .has_number = p->with_scalar != 0,
                                .number = p->b,
                                .dim = {1, 1, 1, 1},
                                .y_offset = out->offset,
                                .a_offset = a->offset,
                                .b_offset = b->offset};
    k->swap = swap;
    for (int axis = 0, to = 4 - l.rank; axis < l.rank; axis++, to++) {
        k->dim[to] = l.dim[axis];
        k->y_stride[to] = (int)l.stride[0][axis];
        k->a_stride[to] = (int)l.stride[1][axis];
        k->b_stride[to] = (int)l.stride[2][axis];
    }
    s->groups = ((size_t)k->count + GROUP - 1) / GROUP;
    s->bind[0] = EBB_VK_OUT, s->bind[1] = EBB_VK_IN, s->bind[2] = EBB_VK_IN + (p->with_scalar ? 0 : 1);
    return 1;
}

const ebb_vk_op ebb_vk_binaryop = {
    .code = {ebb_spv_binaryop, sizeof ebb_spv_binaryop, .buffers = 3, .push = sizeof(struct binaryop_push)},
    .steps = steps,
};
