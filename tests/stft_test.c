// SPDX-License-Identifier: BSD-3-Clause
// stft_test.c - the transform of every length up to 70 against its definition, forth and back.
#include "parts/stft.h"
#include "harness.h"
#include <math.h>

enum { LONGEST = 70 };

START_TEST(every_length)
{
    float twiddles[2 * LONGEST], x[2 * LONGEST], y[2 * LONGEST], back[2 * LONGEST], work[2 * LONGEST];
    for (int n = 1; n <= LONGEST; n++) {
        for (int i = 0; i < n; i++) {
            twiddles[2 * i] = (float)cos(2 * acos(-1) * i / n);
            twiddles[2 * i + 1] = (float)-sin(2 * acos(-1) * i / n);
            x[2 * i] = (float)((i * 37 + 11) % 64) / 32.f - 1.f;
            x[2 * i + 1] = (float)((i * 53 + 5) % 64) / 32.f - 1.f;
        }
        const ebb_stft p = {.n_fft = n, .twiddles = twiddles};
        ebb_stft_transform(&p, y, x, work, false);
        ebb_stft_transform(&p, back, y, work, true);
        for (int f = 0; f < n; f++) {
            double re = 0, im = 0;
            for (int i = 0; i < n; i++) {
                const double a = -2 * acos(-1) * f * i / n;
                re += x[2 * i] * cos(a) - x[2 * i + 1] * sin(a);
                im += x[2 * i] * sin(a) + x[2 * i + 1] * cos(a);
            }
            ck_assert_double_eq_tol(y[2 * f], re, 1e-4);
            ck_assert_double_eq_tol(y[2 * f + 1], im, 1e-4);
            ck_assert_double_eq_tol(back[2 * f] / n, x[2 * f], 1e-5);
            ck_assert_double_eq_tol(back[2 * f + 1] / n, x[2 * f + 1], 1e-5);
        }
    }
}
END_TEST

int main(void) { return run_tests("stft", (const test_entry[]){{"lengths", every_length}, {0}}); }
