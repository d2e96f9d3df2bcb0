// SPDX-License-Identifier: BSD-3-Clause
// attention_test.c - attention in blocks of keys and rows: their edges, heads as rows, both ways k and v may
// lie.
#include "attention_lay.h"

static const lay rows[] = {{1, 1, 1, 1, 1, 1, false, false},    {2, 1, 5, 128, 3, 5, false, true},
                           {3, 3, 4, 129, 17, 7, true, false},  {4, 2, 1, 257, 5, 33, false, false},
                           {6, 2, 1, 40, 16, 16, true, true},   {1, 1, 193, 20, 4, 3, false, true},
                           {2, 2, 400, 130, 2, 2, true, false}, {40, 1, 1, 3, 5, 5, false, false},
                           {2, 2, 0, 5, 3, 3, false, false}};

START_TEST(edges)
{
    for (int t = 0; ebb_cpu_table(t); t++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            for (int threads = 1; threads < 4; threads += 2)
                attend(&rows[i], ebb_cpu_table(t), threads, false, 1e-5);
}
END_TEST

START_TEST(scratch_is_bounded)
{
    const ebb_attention p = {.heads = 8, .groups = 8, .rows = 1 << 20, .keys = 1 << 20, .d = 256, .dv = 256};
    for (int t = 0; ebb_cpu_table(t); t++)
        ck_assert_uint_lt(ebb_attention_scratch(&p, ebb_cpu_table(t)), 256 << 10);
}
END_TEST

int main(void)
{
    return run_tests("attention",
                     (const test_entry[]){{"edges", edges}, {"scratch", scratch_is_bounded}, {0}});
}
