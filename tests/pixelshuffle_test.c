// SPDX-License-Identifier: BSD-3-Clause
// pixelshuffle_test.c - PixelShuffle and Reorg.
#include "shapes.h"

// The channel of the small side that holds place (y, x) of channel c's blocks.
static int channel(const layer_case *c, int size, int n, int at, int y, int x)
{
    const int place = y * size + x;
    return case_param(c, 1, 0) != 0 ? place * n + at : at * size * size + place;
}

static void shuffle(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int size = (int)case_param(c, 0, 1), n = in[0].dim[0] / size / size;
    out[0] = tensor_new(3, (const int[]){n, in[0].dim[1] * size, in[0].dim[2] * size});
    for (int k = 0; k < n; k++)
        for (int y = 0; y < out[0].dim[1]; y++)
            for (int x = 0; x < out[0].dim[2]; x++)
                tensor_at(&out[0], k, y, x) =
                    tensor_at(&in[0], channel(c, size, n, k, y % size, x % size), y / size, x / size);
}

static void reorg(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int size = (int)case_param(c, 0, 1), n = in[0].dim[0];
    out[0] = tensor_new(3, (const int[]){n * size * size, in[0].dim[1] / size, in[0].dim[2] / size});
    for (int k = 0; k < n; k++)
        for (int y = 0; y < in[0].dim[1] / size * size; y++)
            for (int x = 0; x < in[0].dim[2] / size * size; x++)
                tensor_at(&out[0], channel(c, size, n, k, y % size, x % size), y / size, x / size) =
                    tensor_at(&in[0], k, y, x);
}

static layer_case make(const char *type, const char *params, const char *shape)
{
    layer_case c = {
        .type = type, .params = params, .n_out = 1, .reference = type[0] == 'P' ? shuffle : reorg};
    add_input(&c, shape);
    return c;
}

static void check(const char *type, const char *params, const char *shape)
{
    const layer_case c = make(type, params, shape);
    layer_check(&c);
}

static void refuses(const char *type, const char *params, const char *shape, ebb_status s, const char *words)
{
    layer_case c = make(type, params, shape);
    c.reference = NULL;
    layer_refuses(&c, s, words);
}

START_TEST(channels_become_pixels)
{
    check("PixelShuffle", "0=1", "3x5x7");
    check("PixelShuffle", "0=2", "12x3x5");
    check("PixelShuffle", "0=2 1=1", "12x3x5");
    check("PixelShuffle", "0=3", "9x17x1");
    check("PixelShuffle", "0=3 1=1", "45x1x3");
    check("PixelShuffle", "0=4", "80x3x2");
    check("PixelShuffle", "0=2", "4x0x3");
    check("PixelShuffle", "0=2", "0x2x3");
}
END_TEST

START_TEST(pixels_become_channels)
{
    check("Reorg", "0=1", "3x5x7");
    check("Reorg", "0=2", "3x6x8");
    check("Reorg", "0=2 1=1", "3x6x8");
    check("Reorg", "0=3", "5x9x3");
    check("Reorg", "0=3 1=1", "17x6x3");
    check("Reorg", "0=2", "3x7x9");  // the last row and column stand in no block
    check("Reorg", "0=4", "3x2x9");
    check("Reorg", "0=30000", "1x2x9");  // nothing, at once
}
END_TEST

START_TEST(whole_numbers_pass)
{
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        layer_case c = make("PixelShuffle", "0=2", "12x3x5");
        c.in[0].dtype = (ebb_dtype)t;
        layer_check(&c);
    }
}
END_TEST

START_TEST(what_has_no_blocks_is_refused)
{
    refuses("PixelShuffle", "0=2", "6x3x5", EBB_E_SHAPE, "6 channels do not make blocks of 2x2");
    refuses("PixelShuffle", "0=2", "4x3", EBB_E_SHAPE, "4x3");
    refuses("PixelShuffle", "0=0", "4x3x3", EBB_E_PARAM, "upscale_factor");
    refuses("PixelShuffle", "0=2 1=2", "4x3x3", EBB_E_PARAM, "mode");
    refuses("PixelShuffle", "0=2", "0x2147483647x1", EBB_E_SHAPE, "the output would be too large");
    refuses("PixelShuffle", "0=2", "0x1x2147483647", EBB_E_SHAPE, "the output would be too large");
    refuses("Reorg", "0=2", "2147483647x0x2", EBB_E_SHAPE, "the output would be too large");
    refuses("Reorg", "0=2", "2x4x3x5", EBB_E_SHAPE, "2x4x3x5");
    refuses("Reorg", "0=-1", "4x3x3", EBB_E_PARAM, "stride");
}
END_TEST

int main(void)
{
    return run_tests("pixelshuffle", (const test_entry[]){
                                         {"channels_become_pixels", channels_become_pixels},
                                         {"pixels_become_channels", pixels_become_channels},
                                         {"whole_numbers_pass", whole_numbers_pass},
                                         {"what_has_no_blocks_is_refused", what_has_no_blocks_is_refused},
                                         {0},
                                     });
}
