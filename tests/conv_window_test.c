// SPDX-License-Identifier: BSD-3-Clause
// conv_window_test.c - 8-bit weights: the windows that blocks read overlap, in both directions, and are cut
// at the ends of the image.
#include "conv_reference.h"
#include "parts/conv_way.h"
#include <string.h>

enum { H = 4, W = 5, C = 2, GUARD = 0x55 };

// Region r of a padded 3 x 3 convolution reads rows [y0, y1) and columns [x0, x1); a zero stands behind.
static void cut(ebb_region r, int y0, int y1, int x0, int x1)
{
    int8_t image[H * W * C], to[(H + 2) * (W + 2) * C];
    for (int i = 0; i < H * W * C; i++) image[i] = (int8_t)(i + 1);
    memset(to, GUARD, sizeof to);
    const ebb_conv_job j = {.in_dtype = EBB_I8, .ic = C,
                            .axis = {[1] = {H, H, 3, 1, 1, 1}, [2] = {W, W, 3, 1, 1, 1}},
                            .in = {.data = (char *)image, .channel = 1, .stride = {0, W * C, C}}};
    const ebb_volume v = ebb_conv_window(&j, &r, to, NULL);
    const int row = (x1 - x0) * C, end = (y1 - y0) * row;
    ck_assert_int_eq(v.stride[1], row);
    ck_assert_int_eq(v.origin, y0 * row + x0 * C);
    for (int y = y0; y < y1; y++)
        ck_assert_mem_eq(to + (y - y0) * row, &image[(y * W + x0) * C], (size_t)row);
    ck_assert_int_eq(to[end], 0);
    for (size_t i = (size_t)end + 1; i < sizeof to; i++) ck_assert_int_eq(to[i], GUARD);
}

START_TEST(cut_at_the_ends)
{
    cut((ebb_region){.y1 = H, .x1 = W}, 0, H, 0, W);
    cut((ebb_region){.y1 = 1, .x1 = 1}, 0, 2, 0, 2);
    cut((ebb_region){.y0 = 2, .y1 = H, .x0 = 3, .x1 = W}, 1, H, 2, W);
    cut((ebb_region){.y0 = 1, .y1 = 2, .x0 = 1, .x1 = 3}, 0, 3, 0, 4);
}
END_TEST

START_TEST(windows)  // 8-bit weights: overlapping windows, in both directions
{
    layer_case c = {.type = "Convolution",
                    .params = "0=4 1=3 2=2 4=2 3=1 6=108 8=1",
                    .n_in = 1,
                    .n_out = 1,
                    .tol = 2e-5,
                    .in = {{EBB_F32, 3, {3, 9, 250}, 0, 0}},
                    .reference = conv_reference,
                    .weights = {{W_I8, 108, 0, 0}, {W_RAW, 4, 64, 64}, {W_RAW, 1, 96, 96}}};
    layer_check(&c);
    c.type = "ConvolutionDepthWise";
    c.params = "0=3 1=3 4=1 6=27 7=3 8=1";
    c.in[0].dim[1] = 70, c.in[0].dim[2] = 31;
    c.weights[0].n = 27, c.weights[1].n = 3;
    layer_check(&c);
}
END_TEST

int main(void)
{
    return run_tests("conv_window",
                     (const test_entry[]){{"windows", windows}, {"cut_at_the_ends", cut_at_the_ends}, {0}});
}
