// SPDX-License-Identifier: BSD-3-Clause
// picture.c - a picture file as an input. Rule: the library resizes and normalises; here stands what the line
// says of that.
#include "picture.h"
#include "picture_file.h"
#include "words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool picture_set(ebb_extractor *x, const char *blob, const char *path, const ebb_picture_fit *fit)
{
    ebb_error e;
    raster r;
    char why[512];
    size_t bytes;
    char *data = read_file(path, &bytes, why, sizeof why);
    if (!data) return refuse("%s", why);
    const bool ok = picture_decode(&r, (const unsigned char *)data, bytes, why, sizeof why);
    free(data);
    if (!ok) return refuse("cannot use the picture %s: %s", path, why);
    const ebb_picture p = {.pixel = EBB_RGB, .width = r.width, .height = r.height, .data = r.rgb};
    const ebb_status s = ebb_extractor_picture(x, blob, &p, fit, &e);
    free(r.rgb);
    return s == EBB_OK || refuse("%s", e.msg);
}
