// SPDX-License-Identifier: BSD-3-Clause
// stft_ref.h - the window and norm that the references of the two spectrogram layers share.
#pragma once
#include "harness.h"
#include <math.h>

static inline double window_at(const layer_case *c, int i)
{
    const int n = (int)case_param(c, 0, 0), len = (int)case_param(c, 3, n), type = (int)case_param(c, 4, 0);
    const int at = i - (n - len) / 2;
    if (at < 0 || at >= len) return 0;
    const double turn = cos(2 * acos(-1) * at / len);
    return type == 1 ? 0.5 - 0.5 * turn : type == 2 ? 0.54 - 0.46 * turn : 1;
}

static inline double norm_of(const layer_case *c)
{
    const int n = (int)case_param(c, 0, 0), how = (int)case_param(c, 7, 0);
    double energy = 0;
    for (int i = 0; i < n; i++) energy += window_at(c, i) * window_at(c, i);
    return how == 1 ? sqrt(n) : how == 2 ? sqrt(energy) : 1;
}
