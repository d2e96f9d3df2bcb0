// SPDX-License-Identifier: BSD-3-Clause
// picture.c - a picture file as an input. Rule: the library resizes and normalises; only the file's format is
// undone here.
#include "picture.h"
#include "words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<stb/stb_image.h>)
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#endif

// Up to n numbers with commas between them; how many there are, 0 where it is something else.
static int numbers(const char *text, int n, float v[4])
{
    char *copy = need_text("%s", text), *rest = copy;
    int found = 0;
    double number;
    for (const char *word; found >= 0 && (word = strsep(&rest, ","));) {
        const bool good = found < n && finite_number(word + strspn(word, " "), &number);
        if (good) v[found] = (float)number;
        found = good && isfinite(v[found]) ? found + 1 : -1;
    }
    free(copy);
    return found < 0 ? 0 : found;
}

// "A,B,C" for the channels, or one number for all.
static bool by_channel(const args *a, const char *name, int channels, float v[4])
{
    const char *text = args_text(a, name);
    if (!text) return true;
    const int found = numbers(text, channels, v);
    if (found != channels && found != 1)
        return refuse("%s takes %d finite numbers with commas between them, or one, not '%s'", name, channels,
                      text);
    for (int i = found; i < channels; i++) v[i] = v[0];
    return true;
}

static bool size_option(const args *a, int *width, int *height)
{
    const char *text = args_text(a, "--size");
    if (!text) return true;
    long long w = 0, h = 0;
    char *copy = need_text("%s", text), *rest = copy;
    const bool good = whole_number(strsep(&rest, "x"), 1, MOST_PIXELS_A_SIDE, &w) && rest &&
                      whole_number(rest, 1, MOST_PIXELS_A_SIDE, &h);
    free(copy);
    *width = (int)w, *height = (int)h;
    return good || refuse("--size takes a width and a height up to %d, like 320x240, not '%s'",
                          MOST_PIXELS_A_SIDE, text);
}

static bool scales(const args *a, int channels, float v[4])
{
    if (!by_channel(a, "--scale", channels, v)) return false;
    for (int i = 0; args_text(a, "--scale") && i < channels; i++)
        if (v[i] == 0) return refuse("--scale 0 leaves nothing of a picture: the default is 1");
    return true;
}

bool picture_configure(ebb_picture_fit *fit, const args *a)
{
    static const ebb_pixel pixels[] = {EBB_BGR, EBB_RGB, EBB_GRAY};
    int pixel = 0;
    if (!args_choice(a, "--pixel", "bgr|rgb|gray", &pixel)) return false;
    *fit = (ebb_picture_fit){.to = pixels[pixel]};
    const int channels = fit->to == EBB_GRAY ? 1 : 3;
    return size_option(a, &fit->to_width, &fit->to_height) && by_channel(a, "--mean", channels, fit->mean) &&
           scales(a, channels, fit->scale);
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
