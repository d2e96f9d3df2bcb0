// SPDX-License-Identifier: BSD-3-Clause
// attention_i8_test.c - attention with 8-bit products: both ways k and v may lie, groups, masks.
#include "attention_lay.h"

static const lay rows[] = {{1, 1, 1, 1, 1, 1, false, false},   {2, 1, 5, 33, 3, 5, false, true},
                           {3, 3, 4, 129, 17, 7, true, false}, {4, 2, 1, 57, 5, 33, false, false},
                           {6, 2, 3, 40, 16, 16, true, true},  {2, 2, 0, 5, 3, 3, false, false}};

START_TEST(forms)
{
    for (int t = 0; ebb_cpu_table(t); t++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (int threads = 1; threads < 4; threads += 2)
                attend(&rows[i], ebb_cpu_table(t), threads, true, 1e-2);
}
END_TEST

int main(void) { return run_tests("attention_i8", (const test_entry[]){{"forms", forms}, {0}}); }
