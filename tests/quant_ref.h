// SPDX-License-Identifier: BSD-3-Clause
// quant_ref.h - the 8-bit rounding that references share: halves away from zero, -127 to 127, in single
// precision as files define it.
#pragma once
#include <math.h>

static inline double eight(double x, double scale)
{
    const float q = roundf((float)x * (float)scale);
    return q > 127 ? 127 : q < -127 ? -127 : q;
}

// The scale that n values bring with them, `step` apart.
static inline double own_scale(const double *x, int n, int step)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fabs(x[i * step]) > most ? fabs(x[i * step]) : most;
    return most == 0 ? 1 : (float)(127.f / (float)most);
}
