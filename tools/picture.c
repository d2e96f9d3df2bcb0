// SPDX-License-Identifier: BSD-3-Clause
// picture.c - a picture file as an input. Rule: the library resizes and normalises; only the file's format is
// undone here.
#include "picture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<stb/stb_image.h>)
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#endif

// "A,B,C" for n channels, or one number for all.
static bool numbers(const args *a, const char *name, int n, float v[4])
{
    const char *text = args_text(a, name);
    if (!text) return true;
    int found = 0;
    char *end = (char *)text;
    for (const char *from = text; found < n; from = end + 1) {
        v[found] = strtof(from, &end);
        if (end == from) break;
        found++;
        if (*end != ',') break;
    }
    if (*end || (found != n && found != 1))
        return refuse("%s takes %d numbers with commas between them, or one, not '%s'", name, n, text);
    for (int i = found; i < n; i++) v[i] = v[0];
    return true;
}

bool picture_configure(ebb_picture_fit *fit, const args *a)
{
    static const ebb_pixel pixels[] = {EBB_BGR, EBB_RGB, EBB_GRAY};
    const char *size = args_text(a, "--size");
    int pixel = 0;
    char rest;
    if (!args_choice(a, "--pixel", "bgr|rgb|gray", &pixel)) return false;
    *fit = (ebb_picture_fit){.to = pixels[pixel]};
    if (size && (sscanf(size, "%dx%d%c", &fit->to_width, &fit->to_height, &rest) != 2 || fit->to_width < 1 ||
                 fit->to_height < 1))
        return refuse("--size is a width and a height, like 320x240, not '%s'", size);
    const int channels = fit->to == EBB_GRAY ? 1 : 3;
    return numbers(a, "--mean", channels, fit->mean) && numbers(a, "--scale", channels, fit->scale);
}

#ifdef STB_IMAGE_IMPLEMENTATION
bool picture_set(ebb_extractor *x, const char *blob, const char *path, const ebb_picture_fit *fit)
{
    int in_file;
    ebb_error e;
    ebb_picture p = {.pixel = EBB_RGB};
    unsigned char *pixels = stbi_load(path, &p.width, &p.height, &in_file, 3);
    if (!pixels) return refuse("cannot read the picture %s: %s", path, stbi_failure_reason());
    p.data = pixels;
    const ebb_status s = ebb_extractor_picture(x, blob, &p, fit, &e);
    stbi_image_free(pixels);
    return s == EBB_OK || refuse("%s", e.msg);
}
#else
bool picture_set(ebb_extractor *x, const char *blob, const char *path, const ebb_picture_fit *fit)
{
    (void)x, (void)blob, (void)fit;
    return refuse(
        "cannot read the picture %s: this program was built without <stb/stb_image.h> (Debian: libstb-dev)",
        path);
}
#endif
