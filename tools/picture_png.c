// SPDX-License-Identifier: BSD-3-Clause
// picture_png.c - PNG, through libpng where the program was built with it. Rule: whatever the file holds
// becomes 8-bit RGB, without alpha; a file that is not whole is refused.
#include "picture_file.h"
#include <stdio.h>

#ifdef EBB_PNG
#include <png.h>
#include <stdlib.h>
#include <string.h>

// All that lives across a jump out of libpng.
typedef struct reading {
    png_structp png;
    png_infop info;
    const unsigned char *at;
    size_t left;
    unsigned char **rows;
    raster *r;
    int orientation;
    char *why;
    size_t room;
} reading;

static void on_error(png_structp png, png_const_charp words)
{
    const reading *g = png_get_error_ptr(png);
    snprintf(g->why, g->room, "its PNG data is broken: %s", words);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp words) { (void)png, (void)words; }

static void on_read(png_structp png, png_bytep to, size_t bytes)
{
    reading *g = png_get_io_ptr(png);
    if (bytes > g->left) png_error(png, "the file ends too early");
    memcpy(to, g->at, bytes);
    g->at += bytes;
    g->left -= bytes;
}

static void ask_for_rgb(reading *g)
{
    png_set_expand(g->png);
    png_set_scale_16(g->png);
    png_set_strip_alpha(g->png);
    png_set_gray_to_rgb(g->png);
    png_set_interlace_handling(g->png);
    png_read_update_info(g->png, g->info);
}

static void find_orientation(reading *g)
{
#ifdef PNG_eXIf_SUPPORTED
    png_uint_32 n;
    png_bytep exif;
    if (png_get_eXIf_1(g->png, g->info, &n, &exif)) g->orientation = exif_orientation(exif, n);
#endif
}

static bool decode(reading *g)
{
    if (setjmp(png_jmpbuf(g->png))) return false;
    png_set_read_fn(g->png, g, on_read);
    png_set_user_limits(g->png, MOST_PIXELS_A_SIDE, MOST_PIXELS_A_SIDE);
    png_read_info(g->png, g->info);
    const png_uint_32 width = png_get_image_width(g->png, g->info),
                      height = png_get_image_height(g->png, g->info);
    if (!raster_make(g->r, width, height, g->why, g->room)) return false;
    ask_for_rgb(g);
    if (png_get_rowbytes(g->png, g->info) != (size_t)width * 3) png_error(g->png, "its rows are not RGB");
    g->rows = calloc(height, sizeof *g->rows);
    if (!g->rows) png_error(g->png, "no memory for its rows");
    for (png_uint_32 y = 0; y < height; y++) g->rows[y] = g->r->rgb + (size_t)y * width * 3;
    png_read_image(g->png, g->rows);
    png_read_end(g->png, g->info);
    find_orientation(g);
    return true;
}

bool picture_png(raster *r, int *orientation, const unsigned char *data, size_t bytes, char *why, size_t room)
{
    reading g = {.at = data, .left = bytes, .r = r, .orientation = 1, .why = why, .room = room};
    snprintf(why, room, "no memory to read a PNG picture");
    g.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &g, on_error, on_warning);
    g.info = g.png ? png_create_info_struct(g.png) : NULL;
    const bool ok = g.info && decode(&g);
    png_destroy_read_struct(&g.png, &g.info, NULL);
    free(g.rows);
    *orientation = g.orientation;
    return ok;
}
#else
bool picture_png(raster *r, int *orientation, const unsigned char *data, size_t bytes, char *why, size_t room)
{
    (void)r, (void)orientation, (void)data, (void)bytes;
    snprintf(why, room,
             "this program was built without libpng (Debian: libpng-dev), which PNG pictures want");
    return false;
}
#endif
