// SPDX-License-Identifier: BSD-3-Clause
// relu.h - what relu.c and relu.vk.c share.
#pragma once
#include "vk_slots.h"

typedef struct relu {
    float slope;
} relu;

EBB_VK_DECLARE(relu);
