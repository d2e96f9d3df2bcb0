// SPDX-License-Identifier: BSD-3-Clause
// gather_test.c - elements that stand apart are copied side by side, and nothing else is written.
#include "cpu.h"
#include "harness.h"
#include "kernels/kernels.h"

START_TEST(steps)
{
    float from[200], to[70];
    for (int i = 0; i < 200; i++) from[i] = (float)i;
    for (int t = 0; ebb_cpu_table(t); t++)
        for (int step = 1; step < 5; step++)
            for (int n = 0; n < 40; n++) {
                for (int i = 0; i < 70; i++) to[i] = -1;
                ebb_cpu_table(t)->gather_f32(to, from, step, (size_t)n);
                for (int i = 0; i < 70; i++) ck_assert_float_eq(to[i], i < n ? (float)(i * step) : -1);
            }
}
END_TEST

int main(void) { return run_tests("spread", (const test_entry[]){{"steps", steps}, {0}}); }
