// SPDX-License-Identifier: BSD-3-Clause
// ratio.h - division where data can make both sides 0. Rule: 0 over 0 is 0; NaN stays NaN.
#pragma once

// a / b; 0 where b is 0, since what is summed to nothing has nothing to share out.
static inline float ebb_ratio(float a, float b) { return b == 0.f ? 0.f : a / b; }
