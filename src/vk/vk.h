// SPDX-License-Identifier: BSD-3-Clause
// vk.h - what layers/*.vk.c see of a Vulkan device: pipelines and dispatches, no Vulkan types.
#pragma once
#include "ebb_layer.h"

enum { EBB_VK_MAX_BUFFERS = 8, EBB_VK_MAX_PUSH = 128 };

typedef struct ebb_vk_pipeline ebb_vk_pipeline;

// For prepare_vk. A compute shader (SPIR-V, kept by the caller) that reads `buffers` storage buffers at
// bindings 0, 1 … of set 0 and `push` bytes of push constants. Lives until the net forgets its model; the
// same code gives the same pipeline. *dev_state becomes an ebb_vk_pipeline.
ebb_status ebb_vk_pipeline_new(ebb_vk *vk, const uint32_t *code, size_t bytes, int buffers, size_t push,
                               void **dev_state, ebb_error *e);
// For prepare_vk: a pipeline, and weights on the device.
typedef struct ebb_vk_weights {
    const ebb_vk_pipeline *pipeline;
    const ebb_blob *blob;  // for ebb_vk_dispatch
} ebb_vk_weights;
// The n parts widened to f32, one behind the other, for a layer that runs them through `pipeline`. They live
// as long as the pipeline. *dev_state becomes an ebb_vk_weights. EBB_E_UNSUPPORTED: too large to bind.
ebb_status ebb_vk_weights_new(ebb_vk *vk, const ebb_vk_pipeline *pipeline, const ebb_weights *parts, int n,
                              void **dev_state, ebb_error *e);
// For record_vk. One dispatch of `groups` workgroups (of at most 65535 the rest is left to the shader's own
// loop). Binding i is the whole storage of blobs[i]: ebb_vk_offset goes into the push constants.
ebb_status ebb_vk_dispatch(ebb_vk_cmd *cmd, const ebb_vk_pipeline *p, const ebb_blob *const *blobs,
                           const void *push, size_t groups, ebb_error *e);
// Of element 0 in the storage, in elements.
ptrdiff_t ebb_vk_offset(const ebb_blob *b);
