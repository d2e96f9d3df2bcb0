// SPDX-License-Identifier: BSD-3-Clause
// pixels_test.c - pictures against values worked out by hand, and every refusal.
#include "small_layers.h"
#include <limits.h>
#include <math.h>
#include <string.h>

START_TEST(channels_go_where_they_belong)
{
    const uint8_t rgba[] = {10, 20, 30, 40, 50, 60, 70, 80};
    float to[8];
    const ebb_picture p = {.pixel = EBB_RGBA, .width = 2, .height = 1, .data = rgba};
    ck_assert(ebb_picture_floats(&p, &(ebb_picture_fit){.to = EBB_BGR}, to, NULL) == EBB_OK);
    const float bgr[] = {30, 20, 10, 70, 60, 50};
    for (int i = 0; i < 6; i++) ck_assert_float_eq(to[i], bgr[i]);
    ck_assert(ebb_picture_floats(
                  &p, &(ebb_picture_fit){.to = EBB_BGRA, .mean = {1, 2, 3, 4}, .scale = {1, .5f, 2, 1}}, to,
                  NULL) == EBB_OK);
    const float scaled[] = {29, 9, 14, 36, 69, 29, 94, 76};
    for (int i = 0; i < 8; i++) ck_assert_float_eq(to[i], scaled[i]);
    ck_assert(ebb_picture_floats(&p, &(ebb_picture_fit){.to = EBB_GRAY}, to, NULL) == EBB_OK);
    ck_assert_float_eq_tol(to[0], .299f * 10 + .587f * 20 + .114f * 30, 1e-4f);
}
END_TEST

START_TEST(resizing_weighs_by_half_pixel_centres)
{
    const uint8_t gray[] = {0, 100, 200, 40};  // 4 x 1
    float to[8];
    const ebb_picture p = {.pixel = EBB_GRAY, .width = 4, .height = 1, .data = gray};
    ck_assert(ebb_picture_floats(&p, &(ebb_picture_fit){.to = EBB_GRAY, .to_width = 8, .to_height = 1}, to,
                                 NULL) == EBB_OK);
    const float want[] = {0, 25, 75, 125, 175, 160, 80, 40};
    for (int i = 0; i < 8; i++) ck_assert_float_eq_tol(to[i], want[i], 1.0f);
    ck_assert(ebb_picture_floats(&p, &(ebb_picture_fit){.to = EBB_GRAY, .to_width = 2, .to_height = 1}, to,
                                 NULL) == EBB_OK);
    ck_assert_float_eq_tol(to[0], 50, 1.0f);
    ck_assert_float_eq_tol(to[1], 120, 1.0f);
}
END_TEST

START_TEST(a_crop_is_taken_before_resizing)
{
    uint8_t rgb[5 * 4 * 3];
    for (int i = 0; i < 60; i++) rgb[i] = (uint8_t)(4 * i);
    float to[2 * 2 * 3];
    const ebb_picture p = {.pixel = EBB_RGB, .width = 4, .height = 4, .stride = 15, .data = rgb};
    ck_assert(ebb_picture_floats(&p, &(ebb_picture_fit){.x = 1, .y = 2, .width = 2, .height = 2}, to, NULL) ==
              EBB_OK);
    for (int y = 0; y < 2; y++)
        for (int i = 0; i < 6; i++) ck_assert_float_eq(to[6 * y + i], (float)rgb[(y + 2) * 15 + 3 + i]);
}
END_TEST

START_TEST(nv21_has_one_colour_for_four_pixels)
{
    const uint8_t nv21[] = {100, 110, 120, 130, 128 + 64, 128 - 32};  // 2 x 2: V = 64, U = -32
    float to[12];
    const ebb_picture p = {.pixel = EBB_NV21, .width = 2, .height = 2, .data = nv21};
    ck_assert(ebb_picture_floats(&p, NULL, to, NULL) == EBB_OK);
    for (int i = 0; i < 4; i++) {
        const float l = (float)nv21[i];
        ck_assert_float_eq_tol(to[3 * i], fminf(255, l + 1.402f * 64), 1.0f);
        ck_assert_float_eq_tol(to[3 * i + 1], l + .344f * 32 - .714f * 64, 1.0f);
        ck_assert_float_eq_tol(to[3 * i + 2], l - 1.772f * 32, 1.0f);
    }
}
END_TEST

START_TEST(a_picture_becomes_an_input)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const uint8_t rgb[] = {1, 2, 3, 4, 5, 6};
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert(ebb_extractor_picture(x, "x", &(ebb_picture){.width = 2, .height = 1, .data = rgb}, NULL, &e) ==
              EBB_OK);
    ck_assert(ebb_extractor_extract(x, "x", EBB_TAKE_PLANAR, &b, &e) == EBB_OK);
    const float planar[] = {1, 4, 2, 5, 3, 6};
    for (int i = 0; i < 6; i++) ck_assert_float_eq(ebb_f32(b)[i], planar[i]);
    ebb_blob_drop(b);
    float out[6];
    const ebb_desc d = ebb_desc_pixel(EBB_F32, 3, (const int[]){3, 1, 2}), other = vec(6);
    ck_assert(ebb_extractor_extract_to(x, "x", &d, out, &e) == EBB_OK);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(out[i], (float)rgb[i]);
    ck_assert_int_eq(ebb_extractor_extract_to(x, "x", &other, out, &e), EBB_E_SHAPE);
    ck_assert_str_eq(e.msg, "blob 'x' is 3x1x2, but there is room for 6");
    ck_assert_int_eq(
        ebb_extractor_picture(x, "nope", &(ebb_picture){.width = 2, .height = 1, .data = rgb}, NULL, &e),
        EBB_E_NAME);
    ck_assert_int_eq(ebb_extractor_picture(x, "x", &(ebb_picture){.width = 2, .height = 1}, NULL, &e),
                     EBB_E_PARAM);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// 255 is the most and 0 the least that colours of NV21 come to; its rows and colours may stand anywhere.
START_TEST(nv21_is_clamped_and_may_be_strided)
{
    const uint8_t light[] = {255, 255, 9, 0, 0, 9}, colour[] = {255, 255, 9, 9, 0, 0};
    float to[12];
    const ebb_picture p = {.pixel = EBB_NV21, .width = 2, .height = 2, .stride = 3, .data = light,
                           .chroma = colour, .chroma_stride = 4};
    ck_assert(ebb_picture_floats(&p, NULL, to, NULL) == EBB_OK);
    ck_assert_float_eq(to[0], 255);
    ck_assert_float_eq(to[2], 255);
    ck_assert_float_eq(to[6], 178);  // floor(90 * 127 / 64)
    ck_assert_float_eq(to[7], 0);
}
END_TEST

START_TEST(each_order_of_channels)
{
    const uint8_t px[] = {10, 20, 30, 40};
    static const struct {
        ebb_pixel from;
        float want[4];
    } t[] = {{EBB_RGB, {10, 20, 30, 255}}, {EBB_BGR, {30, 20, 10, 255}}, {EBB_RGBA, {10, 20, 30, 40}},
             {EBB_BGRA, {30, 20, 10, 40}}, {EBB_GRAY, {10, 10, 10, 255}}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        float to[4];
        const ebb_picture p = {.pixel = t[i].from, .width = 1, .height = 1, .data = px};
        ck_assert(ebb_picture_floats(&p, &(ebb_picture_fit){.to = EBB_RGBA}, to, NULL) == EBB_OK);
        for (int c = 0; c < 4; c++) ck_assert_float_eq(to[c], t[i].want[c]);
    }
}
END_TEST

// A scale in one place leaves 0 in the others: only where all are 0 does it mean 1.
START_TEST(one_scale_of_four)
{
    const uint8_t px[] = {10, 20, 30, 40};
    const ebb_picture p = {.pixel = EBB_RGBA, .width = 1, .height = 1, .data = px};
    for (int one = 0; one < 4; one++) {
        ebb_picture_fit fit = {.to = EBB_RGBA};
        float to[4];
        fit.scale[one] = 2;
        ck_assert(ebb_picture_floats(&p, &fit, to, NULL) == EBB_OK);
        for (int c = 0; c < 4; c++) ck_assert_float_eq(to[c], c == one ? 2.f * px[c] : 0);
    }
}
END_TEST

// Of a crop and of a size, both sides are given or neither is.
START_TEST(half_a_size_is_refused)
{
    const uint8_t data[4] = {0};
    float to[4];
    ebb_error e;
    const ebb_picture p = {.pixel = EBB_GRAY, .width = 2, .height = 2, .data = data};
    static const struct {
        ebb_picture_fit fit;
        const char *words;
    } t[] = {{{.width = 1}, "the crop 1 x 0 at 0, 0 leaves"},
             {{.height = 1}, "the crop 0 x 1 at 0, 0 leaves"},
             {{.width = 1, .height = 3}, "the crop 1 x 3 at 0, 0 leaves"},
             {{.width = 3, .height = 1}, "the crop 3 x 1 at 0, 0 leaves"},
             {{.to_width = 1}, "cannot become 1 x 0 pixels"},
             {{.to_height = 1}, "cannot become 0 x 1 pixels"},
             {{.to = EBB_NV21}, "no such kind of pixels"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ck_assert_int_eq(ebb_picture_floats(&p, &t[i].fit, to, &e), EBB_E_PARAM);
        ck_assert_msg(strstr(e.msg, t[i].words) != NULL, "%s", e.msg);
    }
    const ebb_picture none[] = {{.pixel = EBB_GRAY, .width = 2, .height = 2},
                                {.pixel = EBB_GRAY, .width = 2, .data = data}};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(ebb_picture_floats(&none[i], NULL, to, &e), EBB_E_PARAM);
        ck_assert_msg(strstr(e.msg, "is empty") != NULL, "%s", e.msg);
    }
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    const uint8_t data[4] = {0};
    float to[4];
    ebb_error e = {0};
    const ebb_picture good = {.pixel = EBB_GRAY, .width = 2, .height = 2, .data = data};
    ebb_picture empty = good, odd = good;
    empty.width = 0;
    odd.pixel = (ebb_pixel)77;
    ck_assert_int_eq(ebb_picture_floats(&empty, NULL, to, &e), EBB_E_PARAM);
    ck_assert_int_eq(ebb_picture_floats(&odd, NULL, to, &e), EBB_E_PARAM);
    ck_assert_int_eq(ebb_picture_floats(
                         &good, &(ebb_picture_fit){.x = 1, .width = 2, .height = 2, .to = EBB_GRAY}, to, &e),
                     EBB_E_PARAM);
    ck_assert_msg(strstr(e.msg, "leaves the picture of 2 x 2"), "%s", e.msg);
    for (int far = 0; far < 4; far++) {
        const ebb_picture_fit f = {.x = (int[]){INT_MIN, INT_MAX, 0, 0}[far],
                                   .y = (int[]){0, 0, INT_MIN, INT_MAX}[far], .to = EBB_GRAY};
        ck_assert_int_eq(ebb_picture_floats(&good, &f, to, &e), EBB_E_PARAM);
    }
    const ebb_picture vast = {.pixel = EBB_GRAY, .width = 2, .height = 2, .stride = SIZE_MAX / 2, .data = good.data};
    ck_assert_int_eq(ebb_picture_floats(&vast, &(ebb_picture_fit){.to = EBB_GRAY}, to, &e), EBB_E_PARAM);
    ck_assert_int_eq(ebb_picture_floats(&good, &(ebb_picture_fit){.to_width = -1, .to_height = 3}, to, &e),
                     EBB_E_PARAM);
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests("pixels", (const test_entry[]){T(channels_go_where_they_belong),
                                                    T(resizing_weighs_by_half_pixel_centres),
                                                    T(a_crop_is_taken_before_resizing),
                                                    T(nv21_has_one_colour_for_four_pixels),
                                                    T(a_picture_becomes_an_input),
                                                    T(nv21_is_clamped_and_may_be_strided),
                                                    T(each_order_of_channels), T(one_scale_of_four),
                                                    T(half_a_size_is_refused), T(what_cannot_be_is_refused),
                                                    {0}});
}
