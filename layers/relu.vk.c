// SPDX-License-Identifier: BSD-3-Clause
// relu.vk.c - records ReLU on a Vulkan device.
#include "relu.h"
#include "relu.comp.h"
#include "vk/vk.h"
#include "relu.push.h"

enum { GROUP = 64 };  // local_size_x of the shader

ebb_status ebb_relu_prepare_vk(const void *st, ebb_vk *vk, void **dev_state, ebb_error *e)
{
    (void)st;
    return ebb_vk_pipeline_new(vk, ebb_spv_relu, sizeof ebb_spv_relu, 2, sizeof(struct relu_push), dev_state, e);
}

ebb_status ebb_relu_record_vk(const void *st, const void *dev_state, ebb_vk_cmd *cmd,
                              const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
{
    const ebb_blob *const blobs[] = {out[0], in[0]};
    ebb_loop l;
    ebb_loop_init(&l, 2, (const ebb_desc *[]){ebb_blob_desc(out[0]), ebb_blob_desc(in[0])});
    struct relu_push k = {.count = l.outer * l.dim[l.rank - 1],  // fits: no device holds as many
                          .dim = {1, 1, 1, 1},
                          .slope = ((const relu *)st)->slope,
                          .y_offset = (int)ebb_vk_offset(out[0]), .x_offset = (int)ebb_vk_offset(in[0])};
    for (int axis = 0, to = 4 - l.rank; axis < l.rank; axis++, to++) {
        k.dim[to] = l.dim[axis];
        k.y_stride[to] = (int)l.stride[0][axis];
        k.x_stride[to] = (int)l.stride[1][axis];
    }
    return ebb_vk_dispatch(cmd, dev_state, blobs, &k, ((size_t)k.count + GROUP - 1) / GROUP, e);
}
