// SPDX-License-Identifier: BSD-3-Clause
// pixels.c - 8-bit pictures to input blobs. Rule: every pixel is read once per use and written once, straight into
// pixel order; no picture is made in between.
#include "walk.h"
#include <math.h>

static int channels(ebb_pixel p) { return p == EBB_GRAY ? 1 : p == EBB_RGBA || p == EBB_BGRA ? 4 : 3; }

typedef struct plan {
    ebb_picture p;
    ebb_picture_fit f;
} plan;

static float clamp255(float v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

// R, G, B, A of one pixel of the picture.
static void pixel_at(const ebb_picture *p, int x, int y, float rgba[4])
{
    const uint8_t *row = p->data + (size_t)y * p->stride;
    rgba[3] = 255;
    switch (p->pixel) {
    case EBB_RGB: row += 3 * (size_t)x; rgba[0] = row[0], rgba[1] = row[1], rgba[2] = row[2]; break;
    case EBB_BGR: row += 3 * (size_t)x; rgba[0] = row[2], rgba[1] = row[1], rgba[2] = row[0]; break;
    case EBB_RGBA:
        row += 4 * (size_t)x;
        rgba[0] = row[0], rgba[1] = row[1], rgba[2] = row[2], rgba[3] = row[3];
        break;
    case EBB_BGRA:
        row += 4 * (size_t)x;
        rgba[0] = row[2], rgba[1] = row[1], rgba[2] = row[0], rgba[3] = row[3];
        break;
    case EBB_GRAY: rgba[0] = rgba[1] = rgba[2] = row[x]; break;
    case EBB_NV21: {
        const uint8_t *vu = p->chroma + (size_t)(y / 2) * p->chroma_stride + (size_t)(x / 2) * 2;
        const float l = row[x], v = (float)vu[0] - 128, u = (float)vu[1] - 128;
        rgba[0] = clamp255(l + floorf(90 * v / 64));  // BT.601, in the 64ths that phone pipelines use
        rgba[1] = clamp255(l + floorf((-46 * v - 22 * u) / 64));
        rgba[2] = clamp255(l + floorf(113 * u / 64));
        break;
    }
    }
}

// The two source positions that a position of the result lies between, and the share of the second.
typedef struct between {
    int a, b;
    float share;
} between;

static between find(int at, int to, int from)
{
    const float f = ((float)at + 0.5f) * (float)from / (float)to - 0.5f;
    if (f < 0) return (between){0, 0, 0};
    if (f >= (float)(from - 1)) return (between){from - 1, from - 1, 0};
    const int i = (int)floorf(f);
    return (between){i, i + 1, f - (float)i};
}

static void put(const ebb_picture_fit *f, const float rgba[4], float *to)
{
    float v[4] = {rgba[0], rgba[1], rgba[2], rgba[3]};
    if (f->to == EBB_BGR || f->to == EBB_BGRA) v[0] = rgba[2], v[2] = rgba[0];
    if (f->to == EBB_GRAY) v[0] = 0.299f * rgba[0] + 0.587f * rgba[1] + 0.114f * rgba[2];
    for (int c = 0; c < channels(f->to); c++) to[c] = (v[c] - f->mean[c]) * f->scale[c];
}

static void fit_row(const plan *l, int y, float *to)
{
    const ebb_picture_fit *f = &l->f;
    const between v = find(y, f->to_height, f->height);
    for (int x = 0; x < f->to_width; x++, to += channels(f->to)) {
        const between h = find(x, f->to_width, f->width);
        float p[4][4], mixed[4];
        pixel_at(&l->p, f->x + h.a, f->y + v.a, p[0]);
        if (h.share == 0 && v.share == 0) {
            put(f, p[0], to);
            continue;
        }
        pixel_at(&l->p, f->x + h.b, f->y + v.a, p[1]);
        pixel_at(&l->p, f->x + h.a, f->y + v.b, p[2]);
        pixel_at(&l->p, f->x + h.b, f->y + v.b, p[3]);
        for (int c = 0; c < 4; c++) {
            const float top = p[0][c] + (p[1][c] - p[0][c]) * h.share;
            const float low = p[2][c] + (p[3][c] - p[2][c]) * h.share;
            mixed[c] = floorf(top + (low - top) * v.share + 0.5f);  // 8-bit steps, as other resizers give
        }
        put(f, mixed, to);
    }
}

static ebb_status complete(const ebb_picture *p, const ebb_picture_fit *fit, plan *l, ebb_error *e)
{
    *l = (plan){.p = *p};
    if (fit) l->f = *fit;
    ebb_picture_fit *f = &l->f;
    if (p->pixel < EBB_RGB || p->pixel > EBB_NV21 || f->to < EBB_RGB || f->to > EBB_GRAY)
        return ebb_fail(e, EBB_E_PARAM, "no such kind of pixels: from %d to %d", (int)p->pixel, (int)f->to);
    if (p->width < 1 || p->height < 1 || !p->data)
        return ebb_fail(e, EBB_E_PARAM, "a picture of %d x %d pixels is empty", p->width, p->height);
    const bool inside = f->x >= 0 && f->y >= 0 && f->x < p->width && f->y < p->height;
    if (!f->width && !f->height && inside) f->width = p->width - f->x, f->height = p->height - f->y;
    if (!inside || f->width < 1 || f->height < 1 || f->width > p->width - f->x ||
        f->height > p->height - f->y)
        return ebb_fail(e, EBB_E_PARAM, "the crop %d x %d at %d, %d leaves the picture of %d x %d", f->width,
                        f->height, f->x, f->y, p->width, p->height);
    if (!f->to_width && !f->to_height) f->to_width = f->width, f->to_height = f->height;
    if (f->to_width < 1 || f->to_height < 1)
        return ebb_fail(e, EBB_E_PARAM, "a picture cannot become %d x %d pixels", f->to_width, f->to_height);
    const int each = p->pixel == EBB_NV21 ? 1 : channels(p->pixel);
    if (!l->p.stride) l->p.stride = ebb_size_mul((size_t)p->width, (size_t)each);
    if (ebb_size_mul(l->p.stride, (size_t)p->height) > PTRDIFF_MAX)
        return ebb_fail(e, EBB_E_PARAM, "a picture of %d x %d pixels, %zu bytes a row, is more than memory holds",
                        p->width, p->height, l->p.stride);
    if (!l->p.chroma_stride) l->p.chroma_stride = ((size_t)p->width + 1) / 2 * 2;
    if (!l->p.chroma) l->p.chroma = p->data + l->p.stride * (size_t)p->height;
    if (f->scale[0] == 0 && f->scale[1] == 0 && f->scale[2] == 0 && f->scale[3] == 0)
        for (int c = 0; c < 4; c++) f->scale[c] = 1;
    return EBB_OK;
}

static void fit_all(const plan *l, float *to)
{
    const size_t row = ebb_size_mul((size_t)l->f.to_width, (size_t)channels(l->f.to));
    for (int y = 0; y < l->f.to_height; y++) fit_row(l, y, to + row * (size_t)y);
}

ebb_status ebb_picture_floats(const ebb_picture *p, const ebb_picture_fit *fit, float *to, ebb_error *e)
{
    plan l;
    EBB_TRY(complete(p, fit, &l, e));
    fit_all(&l, to);
    return EBB_OK;
}

ebb_status ebb_extractor_picture(ebb_extractor *x, const char *blob, const ebb_picture *p,
                                 const ebb_picture_fit *fit, ebb_error *e)
{
    plan l;
    EBB_TRY(complete(p, fit, &l, e));
    const ebb_desc d =
        ebb_desc_pixel(EBB_F32, 3, (const int[]){channels(l.f.to), l.f.to_height, l.f.to_width});
    ebb_blob *b;
    EBB_TRY(ebb_extractor_make_for(x, blob, &d, &b, e));
    fit_all(&l, ebb_f32(b));
    const ebb_status s = ebb_extractor_give(x, blob, b, e);
    if (s != EBB_OK) ebb_blob_drop(b);
    return s;
}
