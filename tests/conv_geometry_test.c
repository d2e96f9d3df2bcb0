// SPDX-License-Identifier: BSD-3-Clause
// conv_geometry_test.c - the tables of pointers against coordinates.
#include "parts/conv_geometry.h"
#include "cpu.h"
#include "harness.h"
#include <string.h>

// Every pointer of a table, taken apart again; what is gathered stands where they point.
static void check_points(const ebb_axis axis[3], const ebb_region *r, int first, int n)
{
    static float data[4096], values[4096];
    enum { Z = 500, Y = 50, X = 4, ORIGIN = 16, CHANNELS = 2 };
    for (int i = 0; i < 4096; i++) data[i] = (float)i;
    const ebb_volume in = {
        .data = (char *)(data + ORIGIN), .origin = 4 * ORIGIN, .channel = 4, .stride = {4 * Z, 4 * Y, 4 * X}};
    const void *table[2048];
    void *out[64];
    const int row = n + 1;
    const float pad = -1;
    ebb_points_in(table, row, axis, r, first, n, &in, &pad);
    const ebb_volume to = {.data = (char *)data, .channel = 1, .stride = {4000, 300, 20}};
    ebb_points_out(out, r, first, n, &to);
    ebb_points_gather(ebb_cpu_table(0), values, row, axis, r, first, n, &in, CHANNELS, pad);
    const int taps = axis[0].kernel * axis[1].kernel * axis[2].kernel;
    for (int t = 0; t < taps; t++)
        for (int i = 0; i < n; i++) {
            const int w = r->x1 - r->x0, h = r->y1 - r->y0, at = first + i;
            const int k[] = {t / axis[2].kernel / axis[1].kernel, t / axis[2].kernel % axis[1].kernel,
                             t % axis[2].kernel};
            const int o[] = {at / w / h, r->y0 + at / w % h, r->x0 + at % w};
            int in_at = 0;
            bool hit = true;
            for (int a = 0; a < 3; a++) {
                const int j = o[a] * axis[a].stride + k[a] * axis[a].dilation - axis[a].before;
                hit &= j >= 0 && j < axis[a].in;
                in_at += j * (const int[]){Z, Y, X}[a];
            }
            ck_assert_ptr_eq(out[i], (char *)data + o[0] * 4000 + o[1] * 300 + o[2] * 20);
            ck_assert_ptr_eq(table[t * row + i], hit ? &data[in_at] : &pad);
            for (int c = 0; c < CHANNELS; c++)
                ck_assert_float_eq(values[(t * CHANNELS + c) * row + i], hit ? (float)(in_at + c) : pad);
        }
}

START_TEST(points)
{
    for (int s = 1; s < 4; s++)
        for (int d = -1; d < 3; d++)
            for (int pad = 1; pad < 3; pad++) {
                const ebb_axis axis[3] = {
                    {.in = 3, .out = 3, .kernel = 2, .dilation = 1, .stride = 1, .before = 1},
                    {.in = 4, .out = 6, .kernel = 3, .dilation = d, .stride = s, .before = pad},
                    {.in = 5, .out = 7, .kernel = 3, .dilation = d, .stride = s, .before = pad}};
                const ebb_region all = {3, 0, 6, 0, 7}, part = {3, 2, 5, 1, 4};
                check_points(axis, &all, 0, 40);
                check_points(axis, &all, 33, 60);
                check_points(axis, &part, 5, 13);
            }
}
END_TEST

int main(void)
{
    return run_tests("conv_geometry", (const test_entry[]){{"points", points},
                                                           {0}});
}
