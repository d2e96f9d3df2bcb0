// SPDX-License-Identifier: BSD-3-Clause
// windows.h - the windows that Unfold and Fold slide over a picture.
#pragma once
#include "axis.h"

typedef struct ebb_windows {
    int num_output, kernel_w, kernel_h, dilation_w, dilation_h, stride_w, stride_h;
    int pad_left, pad_right, pad_top, pad_bottom;
} ebb_windows;

// Rows for a state that begins with an ebb_windows.
#define EBB_WINDOW_ROW(key, field, ...)                                                                      \
    EBB_INT(ebb_windows, key, #field, field, __VA_ARGS__)
#define EBB_WINDOW_ROWS                                                                                      \
    EBB_WINDOW_ROW(0, num_output, .doc = "not used"),                                                        \
        EBB_WINDOW_ROW(1, kernel_w, .doc = "width of the window"), EBB_WINDOW_ROW(2, dilation_w, .def = 1),  \
        EBB_WINDOW_ROW(3, stride_w, .def = 1),                                                               \
        EBB_WINDOW_ROW(4, pad_left, .doc = "-233 or -234 everywhere: as many windows as strides fit"),       \
        EBB_WINDOW_ROW(11, kernel_h, .like = EBB_LIKE(1)),                                                   \
        EBB_WINDOW_ROW(12, dilation_h, .like = EBB_LIKE(2)),                                                 \
        EBB_WINDOW_ROW(13, stride_h, .like = EBB_LIKE(3)), EBB_WINDOW_ROW(14, pad_top, .like = EBB_LIKE(4)), \
        EBB_WINDOW_ROW(15, pad_right, .like = EBB_LIKE(4)),                                                  \
        EBB_WINDOW_ROW(16, pad_bottom, .like = EBB_LIKE(14))

// Sizes of at least 1; pads of at least 0, or all the same special number where `same` allows it.
ebb_status ebb_windows_init(const ebb_windows *p, bool same, ebb_error *e);

// Along one axis of `size` pixels: a->out windows, the first of which begins at pixel -a->before. False when none fits.
bool ebb_windows_x(const ebb_windows *p, int size, ebb_axis *a);
bool ebb_windows_y(const ebb_windows *p, int size, ebb_axis *a);
