// SPDX-License-Identifier: BSD-3-Clause
// boxes.c - sorting and suppression of boxes. Rule: the same boxes give the same result in any order of finding.
#include "boxes.h"
#include <string.h>

typedef bool before_fn(const void *a, const void *b);

static void swap(char *a, char *b, size_t size)
{
    char t[64];
    memcpy(t, a, size);
    memcpy(a, b, size);
    memcpy(b, t, size);
}

// Moves element i of a heap of n down; the heap's top is the last one in order.
static void sift_down(char *v, size_t i, size_t n, size_t size, before_fn *before)
{
    for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
        if (kid + 1 < n && before(v + kid * size, v + (kid + 1) * size)) kid++;
        if (!before(v + i * size, v + kid * size)) return;
        swap(v + i * size, v + kid * size, size);
    }
}

void ebb_sort(void *base, int count, size_t size, before_fn *before)
{
    char *v = base;
    const size_t n = count > 0 ? (size_t)count : 0;
    for (size_t i = n / 2; i-- > 0;) sift_down(v, i, n, size, before);
    for (size_t i = n; i-- > 1;) {
        swap(v, v + i * size, size);
        sift_down(v, 0, i, size, before);
    }
}

static bool better(const void *pa, const void *pb)
{
    const ebb_box *a = pa, *b = pb;
    if (a->score != b->score) return a->score > b->score;
    return a->label != b->label ? a->label < b->label : a->index < b->index;
}

void ebb_boxes_sort(ebb_box *b, int n) { ebb_sort(b, n, sizeof *b, better); }

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
        const float v[6] = {(float)(b[i].label + label_offset), b[i].score, b[i].x0, b[i].y0, b[i].x1, b[i].y1};
        memcpy(row, v, sizeof v);
    }
    ebb_blob_shrink(out, 0, n);
}
