// SPDX-License-Identifier: BSD-3-Clause
// convolution.h - what convolution.c and convolution.vk.c share.
#pragma once
#include "parts/conv.h"
#include "vk_slots.h"

EBB_VK_DECLARE(convolution);
