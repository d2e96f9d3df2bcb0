// SPDX-License-Identifier: BSD-3-Clause
// boxes.c - order and suppression of boxes. Rule: the same boxes found in the same order give the same rows.
#include "boxes.h"
#include <string.h>

static void swap(ebb_box *a, ebb_box *b)
{
    const ebb_box t = *a;
    *a = *b, *b = t;
}

// Hoare's partition around the middle element decides where equal scores end up. The smaller part is sorted
// by a call, the larger one by the loop: the stack stays shallow.
static void sort_range(ebb_box *b, int left, int right)
{
    while (left < right) {
        const float pivot = b[left + (right - left) / 2].score;
        int i = left, j = right;
        while (i <= j) {
            while (b[i].score > pivot) i++;
            while (b[j].score < pivot) j--;
            if (i <= j) swap(&b[i++], &b[j--]);
        }
        if (j - left < right - i) {
            sort_range(b, left, j);
            left = i;
        } else {
            sort_range(b, i, right);
            right = j;
        }
    }
}

void ebb_boxes_sort(ebb_box *b, int n) { sort_range(b, 0, n - 1); }

static float area(const ebb_box *b) { return (b->x1 - b->x0) * (b->y1 - b->y0); }

static float overlap(const ebb_box *a, const ebb_box *b)
{
    if (a->x0 > b->x1 || a->x1 < b->x0 || a->y0 > b->y1 || a->y1 < b->y0) return 0.f;
    const float w = (a->x1 < b->x1 ? a->x1 : b->x1) - (a->x0 > b->x0 ? a->x0 : b->x0);
    const float h = (a->y1 < b->y1 ? a->y1 : b->y1) - (a->y0 > b->y0 ? a->y0 : b->y0);
    return w * h / (area(a) + area(b) - w * h);
}

int ebb_boxes_suppress(ebb_box *b, int n, float threshold)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < kept && !(overlap(&b[i], &b[k]) > threshold)) k++;
        if (k == kept) b[kept++] = b[i];
    }
    return kept;
}

void ebb_boxes_write(const ebb_box *b, int n, int label_offset, ebb_blob *out)
{
    for (int i = 0; i < n; i++) {
        float *row = ebb_f32(out) + i * ebb_blob_desc(out)->stride[0];
        const float v[6] = {
            (float)(b[i].label + label_offset), b[i].score, b[i].x0, b[i].y0, b[i].x1, b[i].y1};
        memcpy(row, v, sizeof v);
    }
    ebb_blob_shrink(out, 0, n);
}
