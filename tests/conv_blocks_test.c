// SPDX-License-Identifier: BSD-3-Clause
// conv_blocks_test.c - images of many blocks: blocks that end within a row, columns shared out, and inputs
// without pixels.
#include "conv_reference.h"

START_TEST(many_blocks)
{
    static const conv_row rows[] = {
        {"0=5 1=3 4=1 5=1 6=225", 3, {5, 15, 29}, 225, 5}, {"0=3 1=3 3=2 4=-233 6=54", 3, {2, 27, 25}, 54, 0},
        {"0=130 1=1 6=390", 3, {3, 2, 9}, 390, 0},  // few pixels, several panels
        {"0=3 1=1 6=300", 3, {100, 13, 17}, 300, 0},       {0},
    };
    conv_check("Convolution", W_F32, rows);
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
    return run_tests("conv_blocks",
                     (const test_entry[]){{"many_blocks", many_blocks}, {"no_pixels", no_pixels}, {0}});
}
