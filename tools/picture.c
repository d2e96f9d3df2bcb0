// SPDX-License-Identifier: BSD-3-Clause
// picture.c - a picture file as an input. Rule: what the model sees is (pixel - mean) * scale, per channel.
#include "picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<stb/stb_image.h>)
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#endif

static bool numbers(const args *a, const char *name, int n, float *v)
{
    const char *text = args_text(a, name);
    if (!text) return true;
    for (int i = 0; i < n; i++) {
        char *end;
        v[i] = strtof(text, &end);
        const bool last = i == n - 1;
        if (end == text || *end != (last ? 0 : ',')) {
            // One number stands for all channels.
            if (i == 0 && end != text && !*end) {
                for (int k = 1; k < n; k++) v[k] = v[0];
                return true;
            }
            return refuse("%s takes %d numbers with commas between them, or one, not '%s'", name, n, args_text(a, name));
        }
        text = end + 1;
    }
    return true;
}

bool picture_configure(picture_options *p, const args *a)
{
    *p = (picture_options){.channels = 3, .bgr = true, .scale = {1, 1, 1}};
    const char *pixel = args_text(a, "--pixel"), *size = args_text(a, "--size");
    if (pixel && strcmp(pixel, "bgr") != 0 && strcmp(pixel, "rgb") != 0 && strcmp(pixel, "gray") != 0) return refuse("--pixel is bgr, rgb or gray, not '%s'", pixel);
    if (pixel) p->bgr = pixel[0] == 'b', p->channels = pixel[0] == 'g' ? 1 : 3;
    char rest;
    if (size && (sscanf(size, "%dx%d%c", &p->w, &p->h, &rest) != 2 || p->w < 1 || p->h < 1 || p->w > 32767 || p->h > 32767)) return refuse("--size is a width and a height, like 320x240, not '%s'", size);
    return numbers(a, "--mean", p->channels, p->mean) && numbers(a, "--scale", p->channels, p->scale);
}

// Where the centre of pixel i falls between two source pixels: *at and *at + 1, the second by the weight returned.
static float source(int i, int from, int to, int *at)
{
    const float x = ((float)i + 0.5f) * (float)from / (float)to - 0.5f;
    *at = (int)floorf(x);
    const float weight = x - (float)*at;
    if (*at < 0) return *at = 0, 0.f;
    if (*at >= from - 1) return *at = from > 1 ? from - 2 : 0, from > 1 ? 1.f : 0.f;
    return weight;
}

void picture_resize(const unsigned char *from, int w, int h, int channels, unsigned char *to, int to_w, int to_h)
{
    for (int y = 0; y < to_h; y++) {
        int y0, x0;
        const float wy = source(y, h, to_h, &y0);
        const size_t down = h > 1 ? (size_t)w * (size_t)channels : 0, right = w > 1 ? (size_t)channels : 0;
        for (int x = 0; x < to_w; x++) {
            const float wx = source(x, w, to_w, &x0);
            const unsigned char *p = from + ((size_t)y0 * (size_t)w + (size_t)x0) * (size_t)channels;
            for (int c = 0; c < channels; c++, p++) {
                const float top = (float)p[0] + ((float)p[right] - (float)p[0]) * wx;
                const float low = (float)p[down] + ((float)p[down + right] - (float)p[down]) * wx;
                *to++ = (unsigned char)(top + (low - top) * wy + 0.5f);
            }
        }
    }
}

#ifdef STB_IMAGE_IMPLEMENTATION
// Interleaved u8 as (pixel - mean) * scale in c, h, w; the file's channels are r, g, b.
static void normalise(tensor *t, const unsigned char *pixels, int w, int h, const picture_options *p)
{
    const int dim[] = {p->channels, h, w};
    const size_t plane = (size_t)w * (size_t)h;
    t->desc = ebb_desc_planar(EBB_F32, 3, dim);
    float *to = t->data = need(plane * (size_t)p->channels * sizeof *to);
    for (int c = 0; c < p->channels; c++) {
        const unsigned char *from = pixels + (p->bgr && p->channels == 3 ? 2 - c : c);
        for (size_t i = 0; i < plane; i++)
            to[(size_t)c * plane + i] = ((float)from[i * (size_t)p->channels] - p->mean[c]) * p->scale[c];
    }
}

bool picture_load(tensor *t, const char *path, const picture_options *p)
{
    int w, h, in_file;
    unsigned char *pixels = stbi_load(path, &w, &h, &in_file, p->channels);
    if (!pixels) return refuse("cannot read the picture %s: %s", path, stbi_failure_reason());
    if (p->w && (p->w != w || p->h != h)) {
        unsigned char *resized = need((size_t)p->w * (size_t)p->h * (size_t)p->channels);
        picture_resize(pixels, w, h, p->channels, resized, p->w, p->h);
        normalise(t, resized, p->w, p->h, p);
        free(resized);
    } else {
        normalise(t, pixels, w, h, p);
    }
    stbi_image_free(pixels);
    return true;
}
#else
bool picture_load(tensor *t, const char *path, const picture_options *p)
{
    (void)t, (void)p;
    return refuse("cannot read the picture %s: this program was built without <stb/stb_image.h> (Debian: libstb-dev)", path);
}
#endif
