// SPDX-License-Identifier: BSD-3-Clause
// conv_window_test.c - 8-bit weights: the windows that blocks read overlap, in both directions.
#include "conv_reference.h"

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

int main(void) { return run_tests("conv_window", (const test_entry[]){{"windows", windows}, {0}}); }
