// SPDX-License-Identifier: BSD-3-Clause
// activation.h - the fused activations of layers/parts/activation.h on a vector. Rule: NaN stays NaN.
#pragma once
#include "math.h"

static inline vf v_relu(vf x) { return v_max(v_set(0.f), x); }
static inline vf v_leaky(vf x, vf slope) { return v_select(v_lt(x, v_set(0.f)), v_mul(x, slope), x); }

// x * clamp(x * alpha + beta, 0, 1); minus infinity gives 0, not 0 * infinity.
static inline vf v_hard_swish(vf x, vf alpha, vf beta)
{
    const vf gate = v_clamp(v_fma(x, alpha, beta), v_set(0.f), v_set(1.f));
    return v_select(v_eq(gate, v_set(0.f)), v_set(0.f), v_mul(x, gate));
}

// type: 0 none, 1 ReLU, 2 leaky (slope a), 3 clip (a, b), 4 sigmoid, 5 mish, 6 hard swish (alpha a, beta b).
static inline vf v_activate(vf x, int type, vf a, vf b)
{
    switch (type) {
    case 1: return v_relu(x);
    case 2: return v_leaky(x, a);
    case 3: return v_clamp(x, a, b);
    case 4: return v_sigmoid(x);
    case 5: return v_mish(x);
    case 6: return v_hard_swish(x, a, b);
    default: return x;
    }
}
