// SPDX-License-Identifier: BSD-3-Clause
// conv_run_test.c - images of many blocks: blocks that end within a row, columns shared out, windows that overlap, and
// inputs without pixels.
#include "conv_reference.h"

START_TEST(many_blocks)
{
    static const conv_row rows[] = {
        {"0=5 1=3 4=1 5=1 6=225", 3, {5, 15, 29}, 225, 5},
        {"0=3 1=3 3=2 4=-233 6=54", 3, {2, 27, 25}, 54, 0},
        {"0=130 1=1 6=390", 3, {3, 2, 9}, 390, 0},  // few pixels, several panels
        {"0=3 1=1 6=300", 3, {100, 13, 17}, 300, 0},
        {0},
    };
    conv_check("Convolution", W_F32, rows);
}
END_TEST

START_TEST(many_blocks_depthwise)
{
    static const conv_row rows[] = {{"0=9 1=3 4=1 5=1 6=81 7=9", 3, {9, 15, 29}, 81, 9}, {0}};
    conv_check("ConvolutionDepthWise", W_F32, rows);
}
END_TEST

START_TEST(many_blocks_transposed)
{
    static const conv_row rows[] = {{"0=3 1=5 3=2 4=2 5=1 6=150 18=1", 3, {2, 11, 13}, 150, 3}, {0}};
    conv_check("Deconvolution", W_F32, rows);
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

START_TEST(no_pixels)  // padding alone makes outputs; without it there is no window
{
    const conv_row padded = {"0=2 1=3 4=2 18=0.5 5=1 6=18", 3, {1, 0, 3}, 18, 2};
    const layer_case c = conv_case("Convolution", &padded, W_F32);
    layer_check(&c);
    conv_refuses("Convolution", &(conv_row){"0=2 1=1 6=2", 3, {1, 0, 3}, 2, 0}, EBB_E_SHAPE,
                 "smaller than the kernel");
    conv_refuses("Convolution", &(conv_row){"0=2 1=1 6=2", 3, {0, 3, 3}, 2, 0}, EBB_E_SHAPE,
                 "has 0 channels");
}
END_TEST

int main(void)
{
    return run_tests("conv_run", (const test_entry[]){{"many_blocks", many_blocks},
                                                      {"many_blocks_depthwise", many_blocks_depthwise},
                                                      {"many_blocks_transposed", many_blocks_transposed},
                                                      {"windows", windows}, {"no_pixels", no_pixels}, {0}});
}
