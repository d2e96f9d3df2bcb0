// SPDX-License-Identifier: BSD-3-Clause
// bychannel_test.c - the walk of layers with constants by channel: which constants each piece is given.
#include "parts/bychannel.h"
#include "blob.h"
#include "cpu.h"
#include <check.h>
#include "harness.h"

enum { CHANNELS = 3, ROWS = 70, COLS = 100 };

static void note(const void *st, const ebb_kernels *k, void *y, const void *x, size_t n, size_t channel,
                 bool each)
{
    (void)st, (void)k;
    for (size_t i = 0; i < n; i++)
        ((int8_t *)y)[i] = (int8_t)(((const float *)x)[i] * 10 + (float)(channel + (each ? i : 0)));
}

static void check(bool pixel, int constants)
{
    static float x[CHANNELS * ROWS * COLS];
    static int8_t y[CHANNELS * ROWS * COLS];
    const int dim[] = {CHANNELS, ROWS, COLS};
    const ebb_desc d = pixel ? ebb_desc_pixel(EBB_F32, 3, dim) : ebb_desc_planar(EBB_F32, 3, dim);
    ebb_storage in = {.refs = 1, .data = x, .bytes = sizeof x},
                out = {.refs = 1, .data = y, .bytes = sizeof y};
    ebb_blob bx = {.desc = d, .mem = &in}, by = {.desc = d, .mem = &out};
    by.desc.dtype = EBB_I8;
    for (int i = 0; i < CHANNELS * ROWS * COLS; i++) x[i] = 1;
    const ebb_by_channel p = {.n = constants};
    const ebb_cpu c = {.k = ebb_cpu_table(0), .threads = 1};
    ebb_by_channel_run(NULL, &p, &c, &bx, &by, note);
    for (int ch = 0; ch < CHANNELS; ch++)
        for (int i = 0; i < ROWS * COLS; i++)
            ck_assert_int_eq(y[pixel ? i * CHANNELS + ch : ch * ROWS * COLS + i],
                             10 + (constants > 1 ? ch : 0));
}

START_TEST(each_element_meets_its_channel)
{
    check(false, CHANNELS);
    check(true, CHANNELS);
    check(false, 1);
    check(true, 1);
}
END_TEST

int main(void)
{
    return run_tests("bychannel", (const test_entry[]){{"channels", each_element_meets_its_channel}, {0}});
}
