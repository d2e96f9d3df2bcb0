// SPDX-License-Identifier: BSD-3-Clause
// pairs_test.c - every pair occurs, in few rows; the same turn gives the same rows, others give others.
#include "pairs.h"
#include "harness.h"
#include <string.h>

static int walk(pairs p, int rows[][PAIRS_FACTORS])
{
    int n = 0, row[PAIRS_FACTORS];
    while (pairs_next(&p, row)) memcpy(rows[n++], row, sizeof row);
    return n;
}

static bool occurs(int rows[][PAIRS_FACTORS], int n, int f, int a, int g, int b)
{
    for (int i = 0; i < n; i++)
        if (rows[i][f] == a && rows[i][g] == b) return true;
    return false;
}

static const pairs shapes[] = {
    {.factors = 2, .levels = {1, 1}},
    {.factors = 3, .levels = {2, 2, 2}},
    {.factors = 7, .levels = {4, 3, 2, 2, 2, 3, 2}},
    {.factors = 7, .levels = {4, 5, 2, 2, 2, 3, 1}},
    {.factors = 8, .levels = {8, 8, 8, 8, 8, 8, 8, 8}},
};

START_TEST(every_pair_occurs)
{
    static int rows[4096][PAIRS_FACTORS];
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned turn = 0; turn < 20; turn++) {
            pairs p = shapes[s];
            p.turn = turn * 977;
            const int n = walk(p, rows);
            for (int f = 0; f < p.factors; f++)
                for (int g = f + 1; g < p.factors; g++)
                    for (int a = 0; a < p.levels[f]; a++)
                        for (int b = 0; b < p.levels[g]; b++)
                            ck_assert_msg(occurs(rows, n, f, a, g, b), "shape %zu, turn %u", s, turn);
        }
}
END_TEST

// The two largest factors' product is the least there can be.
START_TEST(in_few_rows)
{
    static int rows[4096][PAIRS_FACTORS], others[4096][PAIRS_FACTORS];
    static const int most[] = {1, 5, 18, 26, 130};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        ck_assert_int_le(walk(shapes[s], rows), most[s]);
    pairs p = shapes[2];
    const int n = walk(p, rows);
    ck_assert(walk(p, others) == n && !memcmp(rows, others, (size_t)n * sizeof *rows));
    p.turn = 1;
    ck_assert(walk(p, others) != n || memcmp(rows, others, (size_t)n * sizeof *rows));
}
END_TEST

START_TEST(edges_and_all)
{
    static int rows[4096][PAIRS_FACTORS];
    ck_assert_int_eq(walk((pairs){.factors = 2, .levels = {5, 1}, .all = true}, rows), 5);
    pairs p = shapes[3];
    p.all = true;
    ck_assert_int_eq(walk(p, rows), 4 * 5 * 2 * 2 * 2 * 3);
    for (int i = 0; i < 480; i++)
        for (int j = 0; j < i; j++) ck_assert(memcmp(rows[i], rows[j], sizeof rows[i]));
}
END_TEST

int main(void)
{
    return run_tests("pairs", (const test_entry[]){{"every_pair_occurs", every_pair_occurs},
                                                   {"in_few_rows", in_few_rows},
                                                   {"edges_and_all", edges_and_all},
                                                   {0}});
}
