// SPDX-License-Identifier: BSD-3-Clause
// vk.h - how a layer runs on a Vulkan device: data, and functions that know no device. layers/*.vk.c fill it in, op.c
// is the only one that reads it.
#pragma once
#include "ebb_layer.h"

enum { EBB_VK_MAX_BUFFERS = 4, EBB_VK_MAX_PUSH = 128, EBB_VK_MAX_STEPS = 8, EBB_VK_MAX_BLOBS = 8 };

// A compute shader: SPIR-V, the storage buffers at bindings 0, 1 … of set 0, bytes of push constants.
typedef struct ebb_vk_code {
    const uint32_t *words;
    size_t bytes;
    int buffers;
    size_t push;
} ebb_vk_code;

// A blob as it lies in what is bound: offset of element 0, in elements.
typedef struct ebb_vk_at {
    ebb_desc desc;
    int offset;
} ebb_vk_at;

// What is bound: an input, an output, or the layer's weights.
enum { EBB_VK_IN = 0, EBB_VK_OUT = 64, EBB_VK_WEIGHTS = 128 };

// One dispatch, zeroed before. Of more than 65535 groups the rest is left to the shader's own loop; 0: nothing to do.
typedef struct ebb_vk_step {
    size_t groups;
    int bind[EBB_VK_MAX_BUFFERS];  // EBB_VK_OUT + k, EBB_VK_IN + i, EBB_VK_WEIGHTS
    _Alignas(16) unsigned char push[EBB_VK_MAX_PUSH];
} ebb_vk_step;

struct ebb_vk_op {
    ebb_vk_code code;
    // ? Asked at load, before weights are read, so by parameters alone; largest: bytes that can be bound. NULL: always.
    bool (*takes)(const void *st, size_t largest);
    // ? Weights as the shader reads them: how many floats; written to `to` unless it is NULL. They lived through load.
    size_t (*weigh)(const void *st, float *to);
    // The dispatches of one run, at most EBB_VK_MAX_STEPS: how many. All blobs are f32; of the inputs and of the
    // outputs the first EBB_VK_MAX_BLOBS are there.
    int (*steps)(const void *st, const ebb_vk_at *in, const ebb_vk_at *out, ebb_vk_step *s);
};
