// SPDX-License-Identifier: BSD-3-Clause
// quantize.h - floats to 8-bit numbers. Rule: halves are rounded away from zero, the result is cut to -127 … 127, and
// NaN becomes -127.
#pragma once
#include "vec.h"

static inline vf v_round_away(vf x)
{
    const vf t = v_trunc(x), rest = v_sub(x, t), zero = v_set(0.f);
    const vf away = v_select(v_lt(x, zero), v_set(-1.f), v_set(1.f));
    return v_add(t, v_select(v_ge(v_abs(rest), v_set(0.5f)), away, zero));
}

// Cut first: a product in x must not be fused with the subtraction that finds the rest.
static inline vi v_quantize(vf x)
{
    const vf lo = v_set(-127.f), hi = v_set(127.f);
    x = v_select(v_gt(x, lo), x, lo);
    return v_to_int(v_round_away(v_select(v_lt(x, hi), x, hi)));
}
