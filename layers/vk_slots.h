// SPDX-License-Identifier: BSD-3-Clause
// vk_slots.h - the Vulkan slot of a layer type: <stem>.vk.c defines it; a build without Vulkan leaves it out.
#pragma once
#include "ebb_layer.h"

#ifdef EBB_VULKAN
#define EBB_VK_DECLARE(stem) extern const ebb_vk_op ebb_vk_##stem
#define EBB_VK_SLOTS(stem)   .vk = &ebb_vk_##stem,
#else
#define EBB_VK_DECLARE(stem) struct ebb_no_vulkan
#define EBB_VK_SLOTS(stem)
#endif
