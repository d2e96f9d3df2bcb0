// SPDX-License-Identifier: BSD-3-Clause
// vk_slots.h - the Vulkan slots of a layer type: <stem>.vk.c defines them; a build without Vulkan leaves them out.
#pragma once
#include "ebb_layer.h"

#ifdef EBB_VULKAN
#define EBB_VK_DECLARE(stem)                                                                                 \
    ebb_status ebb_##stem##_prepare_vk(const void *st, ebb_vk *vk, void **dev_state, ebb_error *e);          \
    ebb_status ebb_##stem##_record_vk(const void *st, const void *dev_state, ebb_vk_cmd *cmd,                \
                                      const ebb_blob *const *in, ebb_blob *const *out, ebb_error *e)
#define EBB_VK_SLOTS(stem) .prepare_vk = ebb_##stem##_prepare_vk, .record_vk = ebb_##stem##_record_vk,
#else
#define EBB_VK_DECLARE(stem) struct ebb_no_vulkan
#define EBB_VK_SLOTS(stem)
#endif
