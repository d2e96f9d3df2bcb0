// SPDX-License-Identifier: BSD-3-Clause
// picture.h - a picture file as an input.
#pragma once
#include "options.h"

#define OPTIONS_PICTURE                                                                                      \
    {"--image", "BLOB=FILE", "a picture (PNG, JPEG and others) as an input"},                                \
    {"--size", "WxH", "resize pictures (default: the size that the model's file gives, else as they are)"},  \
    {"--pixel", "bgr|rgb|gray", "the channels that the model wants (default bgr)"},                          \
    {"--mean", "A,B,C", "subtracted from each channel, in the model's order (default 0)"},                   \
    {"--scale", "A,B,C", "then multiplied (default 1)"}

// What the options say; false: it has told what is wrong.
bool picture_configure(ebb_picture_fit *fit, const args *a);
// Sets the blob to the file's picture; false: it has told why.
bool picture_set(ebb_extractor *x, const char *blob, const char *path, const ebb_picture_fit *fit);
