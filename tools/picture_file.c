// SPDX-License-Identifier: BSD-3-Clause
// picture_file.c - which decoder reads a picture file, and which way up it is. Rule: a kind is told by its
// first bytes, a size is allowed before memory is taken, and what is not read here is named.
#include "picture_file.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool raster_make(raster *r, unsigned long width, unsigned long height, char *why, size_t room)
{
    if (width < 1 || height < 1 || width > MOST_PIXELS_A_SIDE || height > MOST_PIXELS_A_SIDE ||
        width * (unsigned long long)height > MOST_PIXELS) {
        snprintf(why, room, "it has %lu x %lu pixels; 1 to %d a side are read, %d in all", width, height,
                 MOST_PIXELS_A_SIDE, MOST_PIXELS);
        return false;
    }
    *r = (raster){(int)width, (int)height, need_more(NULL, width * height * 3)};
    return true;
}

// ------------------------------------------------------------------------------------------- orientation

static unsigned number_at(const unsigned char *at, int bytes, bool big_end)
{
    unsigned v = 0;
    for (int i = 0; i < bytes; i++) v |= (unsigned)at[i] << 8 * (big_end ? bytes - 1 - i : i);
    return v;
}

int exif_orientation(const unsigned char *tiff, size_t bytes)
{
    enum { ORIENTATION = 0x112, SHORT = 3, ENTRY = 12 };
    if (bytes < 8 || (memcmp(tiff, "II*\0", 4) != 0 && memcmp(tiff, "MM\0*", 4) != 0)) return 1;
    const bool big = tiff[0] == 'M';
    const size_t first = number_at(tiff + 4, 4, big);
    if (first > bytes || bytes - first < 2) return 1;
    const unsigned char *entry = tiff + first + 2, *end = tiff + bytes;
    for (unsigned n = number_at(tiff + first, 2, big); n > 0 && end - entry >= ENTRY; n--, entry += ENTRY) {
        if (number_at(entry, 2, big) != ORIENTATION || number_at(entry + 2, 2, big) != SHORT) continue;
        const unsigned v = number_at(entry + 8, 2, big);
        return v >= 1 && v <= 8 ? (int)v : 1;
    }
    return 1;
}

// Orientations are three switches: EXIF counts them so that 5 to 8 swap the axes.
static void turn(raster *r, int orientation)
{
    const bool swapped = orientation > 4, from_right = strchr("2378", '0' + orientation) != NULL,
               from_below = strchr("3467", '0' + orientation) != NULL;
    if (orientation == 1) return;
    raster t = {swapped ? r->height : r->width, swapped ? r->width : r->height, NULL};
    unsigned char *to = t.rgb = need_more(NULL, (size_t)t.width * (size_t)t.height * 3);
    for (int y = 0; y < t.height; y++)
        for (int x = 0; x < t.width; x++, to += 3) {
            const int u = swapped ? y : x, v = swapped ? x : y;
            const int column = from_right ? r->width - 1 - u : u, row = from_below ? r->height - 1 - v : v;
            memcpy(to, r->rgb + 3 * ((size_t)row * (size_t)r->width + (size_t)column), 3);
        }
    free(r->rgb);
    *r = t;
}

// ------------------------------------------------------------------------------------------- kinds

static bool begins(const unsigned char *data, size_t bytes, size_t at, const char *with)
{
    const size_t n = strlen(with);
    return bytes >= at + n && !memcmp(data + at, with, n);
}

static picture_decoder *decoder_of(const unsigned char *data, size_t bytes)
{
    if (begins(data, bytes, 0, "\x89PNG\r\n\x1a\n")) return picture_png;
    if (begins(data, bytes, 0, "\xff\xd8\xff")) return picture_jpeg;
    return begins(data, bytes, 0, "P5") || begins(data, bytes, 0, "P6") ? picture_pnm : NULL;
}

static const char *kind_of(const unsigned char *data, size_t bytes)
{
    static const struct {
        size_t at;
        const char *with, *kind;
    } kinds[] = {{0, "BM", "a BMP picture"},         {0, "GIF8", "a GIF picture"},
                 {8, "WEBP", "a WebP picture"},      {0, "II*", "a TIFF picture"},
                 {0, "MM", "a TIFF picture"},        {4, "ftyp", "a HEIC, AVIF or video file"},
                 {0, "8BPS", "a PSD picture"},       {0, "P1", "a PBM picture"},
                 {0, "P2", "a PGM picture in text"}, {0, "P3", "a PPM picture in text"},
                 {0, "P4", "a PBM picture"},         {0, "P7", "a PAM picture"},
                 {0, "%PDF", "a PDF file"},          {0, "<svg", "an SVG picture"},
                 {0, "<?xml", "an XML file"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(data, bytes, kinds[i].at, kinds[i].with)) return kinds[i].kind;
    return bytes ? "no picture of a known kind" : "empty";
}

bool picture_decode(raster *r, const unsigned char *data, size_t bytes, char *why, size_t room)
{
    int orientation = 1;
    picture_decoder *decode = decoder_of(data, bytes);
    *r = (raster){.rgb = NULL};
    if (!decode) {
        snprintf(why, room,
                 "it is %s, and PNG, JPEG, PGM (P5) and PPM (P6) are read; ImageMagick makes one of it: "
                 "convert FILE picture.png",
                 kind_of(data, bytes));
        return false;
    }
    const bool ok = decode(r, &orientation, data, bytes, why, room);
    if (ok) turn(r, orientation);
    if (!ok) free(r->rgb), r->rgb = NULL;
    return ok;
}
