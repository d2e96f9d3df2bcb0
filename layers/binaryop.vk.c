// SPDX-License-Identifier: BSD-3-Clause
// binaryop.vk.c - records BinaryOp on a Vulkan device.
#include "binaryop.h"
#include "binaryop.comp.h"
#include "vk/vk.h"
#include "binaryop.push.h"

enum { GROUP = 64 };  // local_size_x of the shader

ebb_status ebb_binaryop_prepare_vk(const void *st, ebb_vk *vk, void **dev_state, ebb_error *e)
{
    (void)st;
    return ebb_vk_pipeline_new(vk, ebb_spv_binaryop, sizeof ebb_spv_binaryop, 3, sizeof(struct binaryop_push),
                               dev_state, e);
}

ebb_status ebb_binaryop_record_vk(const void *st, const void *dev_state, ebb_vk_cmd *cmd,
                                  const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    const ebb_binaryop *p = st;
    const ebb_blob *const a = in[0], *const b = p->with_scalar ? a : in[1], *const blobs[] = {out[0], a, b};
    ebb_desc d[2];
    ebb_binaryop_align((const ebb_desc[]){*ebb_blob_desc(a), *ebb_blob_desc(b)}, d);
    ebb_loop l;
    ebb_loop_init(&l, 3, (const ebb_desc *[]){ebb_blob_desc(out[0]), &d[0], &d[1]});
    bool swap;
    struct binaryop_push k = {.op = ebb_binaryop_op(p, &swap),
                              .count = l.outer * l.dim[l.rank - 1],  // fits: no device holds as many
                              .has_number = p->with_scalar != 0,
                              .number = p->b,
                              .dim = {1, 1, 1, 1},
                              .y_offset = (int)ebb_vk_offset(out[0]),
                              .a_offset = (int)ebb_vk_offset(a),
                              .b_offset = (int)ebb_vk_offset(b)};
    k.swap = swap;
    for (int axis = 0, to = 4 - l.rank; axis < l.rank; axis++, to++) {
        k.dim[to] = l.dim[axis];
        k.y_stride[to] = (int)l.stride[0][axis];
        k.a_stride[to] = (int)l.stride[1][axis];
        k.b_stride[to] = (int)l.stride[2][axis];
    }
    return ebb_vk_dispatch(cmd, dev_state, blobs, &k, ((size_t)k.count + GROUP - 1) / GROUP, e);
}
