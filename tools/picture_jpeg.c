// SPDX-License-Identifier: BSD-3-Clause
// picture_jpeg.c - JPEG, through libjpeg where the program was built with it. Rule: no error leaves through
// exit(), and pixels that the file lacks are not made up.
#include "picture_file.h"
#include <stdio.h>

#ifdef EBB_JPEG
#include <jerror.h>
#include <jpeglib.h>
#include <setjmp.h>
#include <string.h>

enum { MOST_SCANS = 500 };  // of a progressive picture: each costs as much as the whole picture

// All that lives across a jump out of libjpeg. `errors` stands first: libjpeg hands back its address.
typedef struct reading {
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    jmp_buf out;
    raster *r;
    int orientation;
    char *why;
    size_t room;
} reading;

static void on_error(j_common_ptr jpeg)
{
    reading *g = (reading *)jpeg->err;
    char words[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, words);
    snprintf(g->why, g->room, "its JPEG data is broken: %.200s", words);
    longjmp(g->out, 1);
}

// What follows some warnings is invented by the decoder.
static void on_message(j_common_ptr jpeg, int level)
{
    const int code = jpeg->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE ||
                      code == JWRN_MUST_RESYNC))
        on_error(jpeg);
}

static void on_progress(j_common_ptr jpeg)
{
    reading *g = (reading *)jpeg->err;
    if (!jpeg->is_decompressor || ((j_decompress_ptr)jpeg)->input_scan_number <= MOST_SCANS) return;
    snprintf(g->why, g->room, "it has more than %d scans", MOST_SCANS);
    longjmp(g->out, 1);
}

static void find_orientation(reading *g)
{
    for (const struct jpeg_marker_struct *m = g->jpeg.marker_list; m; m = m->next) {
        if (m->data_length < 6 || memcmp(m->data, "Exif\0\0", 6) != 0) continue;
        g->orientation = exif_orientation(m->data + 6, m->data_length - 6);
        return;
    }
}

// Adobe's programs store the four inks the other way round.
static void inks_to_rgb(unsigned char *rgb, const unsigned char *cmyk, int n, bool inverted)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            const unsigned ink = cmyk[4 * i + c], black = cmyk[4 * i + 3];
            const unsigned v = inverted ? ink * black : (255 - ink) * (255 - black);
            rgb[3 * i + c] = (unsigned char)((v + 127) / 255);
        }
}

static void read_rows(reading *g)
{
    j_decompress_ptr jpeg = &g->jpeg;
    const bool inks = jpeg->out_color_space == JCS_CMYK;
    const JDIMENSION width = jpeg->output_width;
    JSAMPARRAY line = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, width * 4, 1);
    while (jpeg->output_scanline < jpeg->output_height) {
        unsigned char *row = g->r->rgb + (size_t)jpeg->output_scanline * width * 3;
        jpeg_read_scanlines(jpeg, line, 1);
        if (inks)
            inks_to_rgb(row, line[0], (int)width, jpeg->saw_Adobe_marker);
        else
            memcpy(row, line[0], (size_t)width * 3);
    }
}

static bool decode(reading *g, const unsigned char *data, size_t bytes)
{
    j_decompress_ptr jpeg = &g->jpeg;
    if (setjmp(g->out)) return false;
    jpeg_create_decompress(jpeg);
    jpeg->progress = &g->progress;
    jpeg_mem_src(jpeg, data, (unsigned long)bytes);
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(jpeg, TRUE);
    if (!raster_make(g->r, jpeg->image_width, jpeg->image_height, g->why, g->room)) return false;
    const bool inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = inks ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(jpeg);
    read_rows(g);
    find_orientation(g);
    jpeg_finish_decompress(jpeg);
    return true;
}

bool picture_jpeg(raster *r, int *orientation, const unsigned char *data, size_t bytes, char *why,
                  size_t room)
{
    reading g = {.r = r, .orientation = 1, .why = why, .room = room};
    g.jpeg.err = jpeg_std_error(&g.errors);
    g.errors.error_exit = on_error;
    g.errors.emit_message = on_message;
    g.progress.progress_monitor = on_progress;
    const bool ok = decode(&g, data, bytes);
    jpeg_destroy_decompress(&g.jpeg);
    *orientation = g.orientation;
    return ok;
}
#else
bool picture_jpeg(raster *r, int *orientation, const unsigned char *data, size_t bytes, char *why,
                  size_t room)
{
    (void)r, (void)orientation, (void)data, (void)bytes;
    snprintf(
        why, room,
        "this program was built without libjpeg (Debian: libjpeg62-turbo-dev), which JPEG pictures want");
    return false;
}
#endif
