// SPDX-License-Identifier: BSD-3-Clause
// boxes.h - what the detection layers share: boxes in order, suppression, reading a blob in c, h, w order.
#pragma once
#include "ebb_layer.h"

typedef struct ebb_box {
    float x0, y0, x1, y1;
    float score;  // never NaN
    int label;
} ebb_box;

// Best first. Equal scores come out in the order that ncnn's quicksort gives them, so that files of right answers
// with equal scores in them agree row by row.
void ebb_boxes_sort(ebb_box *b, int n);
// Non-maximum suppression of sorted boxes: a box whose overlap with a better one (intersection over union) is
// above the threshold goes. The others move to the front; returns how many.
int ebb_boxes_suppress(ebb_box *b, int n, float threshold);
// Writes the rows of `out` (label + label_offset, score, x0, y0, x1, y1) and shrinks it to n rows.
void ebb_boxes_write(const ebb_box *b, int n, int label_offset, ebb_blob *out);

// Offset of element i in c, h, w order, whatever the strides.
static inline ptrdiff_t ebb_element(const ebb_desc *d, size_t i)
{
    ptrdiff_t at = 0;
    for (int axis = d->rank - 1; axis > 0; axis--) {
        at += (ptrdiff_t)(i % (size_t)d->dim[axis]) * d->stride[axis];
        i /= (size_t)d->dim[axis];
    }
    return d->rank ? at + (ptrdiff_t)i * d->stride[0] : 0;
}
static inline int ebb_width(const ebb_desc *d) { return d->rank > 0 ? d->dim[d->rank - 1] : 1; }
static inline int ebb_height(const ebb_desc *d) { return d->rank > 1 ? d->dim[d->rank - 2] : 1; }
