// SPDX-License-Identifier: BSD-3-Clause
// activation.h - the activation that is fused into convolutions and products (parameters 9 and 10).
#pragma once
#include "ebb_layer.h"

enum {
    EBB_ACT_NONE, EBB_ACT_RELU, EBB_ACT_LEAKY, EBB_ACT_CLIP, EBB_ACT_SIGMOID, EBB_ACT_MISH, EBB_ACT_HARDSWISH
};
typedef struct ebb_activation {
    int type;    // one of the above
    float a, b;  // leaky: slope; clip: min, max; hard swish: alpha, beta
} ebb_activation;

// Checks the type, and that params has as many values as the type needs.
ebb_status ebb_activation_init(ebb_activation *a, int type, ebb_floats params, ebb_error *e);
