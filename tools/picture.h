// SPDX-License-Identifier: BSD-3-Clause
// picture.h - a picture file as an input: resized, its channels in the model's order, normalised.
#pragma once
#include "options.h"
#include "tensor.h"

#define OPTIONS_PICTURE                                                                                      \
    {"--image", "BLOB=FILE", "a picture (PNG, JPEG, …) as an input"},                                        \
    {"--size", "WxH", "resize pictures (default: the size that the model's file gives, else as they are)"},  \
    {"--pixel", "bgr|rgb|gray", "the channels that the model wants (default bgr)"},                          \
    {"--mean", "A,B,C", "subtracted from each channel, in the model's order (default 0)"},                   \
    {"--scale", "A,B,C", "then multiplied (default 1)"}

// What the options say about pictures.
typedef struct picture_options {
    int w, h;        // 0: not said
    int channels;    // 3 or 1
    bool bgr;
    float mean[3], scale[3];
} picture_options;
bool picture_configure(picture_options *p, const args *a);  // false: it has told what is wrong

// The picture as c, h, w; w and h of p must be set or both 0. False: it has told why.
bool picture_load(tensor *t, const char *path, const picture_options *p);
// Bilinear, pixel centres at .5, edges repeated, rounded to whole steps.
void picture_resize(const unsigned char *from, int w, int h, int channels, unsigned char *to, int to_w, int to_h);
