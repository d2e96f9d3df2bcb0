// SPDX-License-Identifier: BSD-3-Clause
// tool_picture_test.c - `ebb run --image`: every kind of picture file comes out as the pixels that it means,
// and a broken one as a sentence.
#include "tool_harness.h"
#include <math.h>

enum { MOST = 1 << 14 };
static float got[3][MOST];
static int width, height;

// The picture's pixels, as R, G and B from 0 to 255.
static void show(const char *file)
{
    write_text("pic.param", "7767517\n1 1\nInput in 0 1 data\n");
    ck_assert_msg(ebb("run pic.param --image data=%s --pixel rgb --out data=p.f32", file) == 0, "%s: %s",
                  file, err);
    ck_assert_int_eq(sscanf(out, "data: f32 3x%dx%d,", &height, &width), 2);
    const size_t n = (size_t)width * (size_t)height;
    FILE *f = fopen("p.f32", "rb");
    for (int c = 0; c < 3; c++) ck_assert_uint_eq(fread(got[c], sizeof(float), n, f), n);
    fclose(f);
}

static void refused(const char *file, const char *words)
{
    write_text("pic.param", "7767517\n1 1\nInput in 0 1 data\n");
    one_sentence(ebb("run pic.param --image data=%s", file), words);
    ck_has(err, file);
}

// Every beginning of a file is refused; `step` bytes apart.
static void cut_everywhere(const char *file, size_t step)
{
    static char data[1 << 16];
    FILE *f = fopen(file, "rb");
    const size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    for (size_t cut = 0; cut < n; cut += step) {
        write_bytes("cut.img", data, cut);
        refused("cut.img", "");
    }
}

START_TEST(fitted)
{
    make_model();
    write_bytes("p.pgm", "P5\n2 2\n255\n\x0a\x1e\x32\x46", 15);  // 10 30 50 70
    ck_assert_int_eq(ebb("run net.param --image data=p.pgm --size 4x2 --pixel gray --mean 10 --scale 0.5 "
                         "--out data=p.f32"),
                     0);
    float fit[8];
    FILE *f = fopen("p.f32", "rb");
    ck_assert_uint_eq(fread(fit, 1, sizeof fit, f), sizeof fit);
    fclose(f);
    static const float want[8] = {0, 2.5f, 7.5f, 10, 20, 22.5f, 27.5f, 30};
    for (int i = 0; i < 8; i++) ck_assert_float_eq_tol(fit[i], want[i], 1e-4f);
    one_sentence(ebb("run net.param --image data=p.pgm --size 4"), "--size");
    one_sentence(ebb("run net.param --image data=p.pgm --pixel cmyk"), "cmyk");
    one_sentence(ebb("run net.param --image data=p.pgm --mean 1,2"), "--mean");
    one_sentence(ebb("run net.param --image data=none.png"), "none.png");
}
END_TEST

START_TEST(pnm)
{
#define PNM(text) write_bytes("p.pnm", text, sizeof text - 1)
    PNM("P6 # a comment\n# another\n2 1\n255\n\1\2\3\4\5\6");
    show("p.pnm");
    ck_assert(width == 2 && height == 1);
    for (int c = 0; c < 3; c++) ck_assert(got[c][0] == (float)c + 1 && got[c][1] == (float)c + 4);
    PNM("P5\n3\t1\n65535\n\xff\xff\x80\x80\x01\x00");  // 255, 128, 256 / 257
    show("p.pnm");
    ck_assert(got[0][0] == 255 && got[1][1] == 128 && got[2][2] == 1);
    PNM("P6 1 1 1023 \x03\xff\x02\x00\x00\x00");
    show("p.pnm");
    ck_assert(got[0][0] == 255 && got[1][0] == 128 && got[2][0] == 0);
    PNM("P5 2 1 1\n\1\0");
    show("p.pnm");
    ck_assert(got[0][0] == 255 && got[0][1] == 0);
    PNM("P6 2 2 300\nabcdefghijklmnopqrstuvwx");
    refused("p.pnm", "maximum");
    PNM("P5 2 2 255\nabcd");
    cut_everywhere("p.pnm", 1);
    static const char *const bad[] = {"P5 0 2 255\n",
                                      "P5 2 0 255\n",
                                      "P5 2 2 0\n",
                                      "P5 2 2 65536\n",
                                      "P5 -2 2 255\n",
                                      "P5 2 2\n",
                                      "P5 2 x 255\n",
                                      "P5 2 2 255x",
                                      "P5 99999 2 255\n",
                                      "P5 65535 65535 255\n",
                                      "P5 99999999999999999999 1 255\n",
                                      "P52 2 255\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        write_bytes("bad.pnm", text, (size_t)snprintf(text, sizeof text, "%sabcdefghijklmn", bad[i]));
        refused("bad.pnm", "");
    }
}
END_TEST

START_TEST(other_kinds)
{
    static const struct {
        const char *begin, *kind;
    } kinds[] = {{"BM______", "BMP"},          {"GIF89a__", "GIF"},
                 {"RIFF____WEBPVP8 ", "WebP"}, {"II*_____", "TIFF"},
                 {"P3 1 1 255 1 2 3", "text"}, {"____ftypheic", "HEIC"},
                 {"hello", "known kind"},      {"", "empty"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        write_text("other.img", kinds[i].begin);
        refused("other.img", kinds[i].kind);
        ck_has(err, "PNG, JPEG, PGM (P5) and PPM (P6)");
        ck_has(err, "convert");
    }
}
END_TEST

// ------------------------------------------------------------------------------------------- orientations

#if defined EBB_PNG || defined EBB_JPEG

// EXIF data with nothing but an orientation, in either byte order.
static size_t exif_block(unsigned char *to, int orientation, bool big)
{
    static const unsigned char m[] = {'M',  'M', 0, 42, 0, 0, 0, 8, 0, 1, 1,
                                      0x12, 0,   3, 0,  0, 0, 1, 0, 0, 0, 0};
    static const unsigned char i[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12,
                                      1,   3,   0,  1, 0, 0, 0, 0, 0, 0, 0};
    memcpy(to, big ? m : i, sizeof m);
    to[big ? 19 : 18] = (unsigned char)orientation;
    return sizeof m;
}

// Where the stored picture's corners end up: the upper left, upper right, lower left and lower right are
// shown as corner[o][0 to 3] of the stored one, after the standard's own words (row 0 is top, right side, …).
static const char *const corners[9] = {"", "0123", "1032", "3210", "2301", "0213", "2031", "3120", "1302"};

// Of a stored picture of 32 x 16 whose corners are 0, 80, 160 and 240.
static void check_corners(const char *file, int orientation)
{
    show(file);
    ck_assert_msg(orientation > 4 ? width == 16 && height == 32 : width == 32 && height == 16, "%d: %dx%d",
                  orientation, width, height);
    const int at[4] = {0, width - 1, (height - 1) * width, height * width - 1};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(fabsf(got[1][at[i]] - 80 * (float)(corners[orientation][i] - '0')) < 6,
                      "orientation %d, corner %d: %g", orientation, i, got[1][at[i]]);
}

static unsigned char corner_value(int x, int y) { return (unsigned char)(80 * ((x >= 16) + 2 * (y >= 8))); }

#endif

// ------------------------------------------------------------------------------------------- PNG

#ifdef EBB_PNG
#include <png.h>

enum { WIDE = 37, HIGH = 11 };

static int raw(int x, int y, int c) { return (x * 5 + y * 19 + c * 83) & 255; }

// Samples of `depth` bits that repeat raw() as well as they can.
static int stored(int x, int y, int c, int depth)
{
    return depth == 16 ? raw(x, y, c) * 257 : raw(x, y, c) >> (8 - depth);
}

static void put(unsigned char *row, int i, int depth, int v)
{
    if (depth == 16) {
        row[2 * i] = (unsigned char)(v >> 8), row[2 * i + 1] = (unsigned char)v;
        return;
    }
    const int bit = i * depth;
    row[bit / 8] |= (unsigned char)(v << (8 - depth - bit % 8));
}

static void write_png(const char *name, int w, int h, int type, int depth, bool interlaced, int orientation,
                      int (*value)(int x, int y, int c, int depth))
{
    FILE *f = fopen(name, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, f);
    png_set_IHDR(png, info, (png_uint_32)w, (png_uint_32)h, depth, type,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_color palette[256];
    png_byte alpha[1] = {0};
    for (int i = 0; i < 256; i++)
        palette[i] = (png_color){(png_byte)(255 - i), (png_byte)i, (png_byte)(i * 7)};
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_set_PLTE(png, info, palette, 1 << depth);
        png_set_tRNS(png, info, alpha, 1, NULL);
    }
    unsigned char exif[64];
#ifdef PNG_eXIf_SUPPORTED
    if (orientation)
        png_set_eXIf_1(png, info, (png_uint_32)exif_block(exif, orientation, orientation & 1), exif);
#endif
    png_write_info(png, info);
    const int channels = png_get_channels(png, info);
    static unsigned char rows[64][1024];
    png_bytep row[64];
    memset(rows, 0, sizeof rows);
    for (int y = 0; y < h; y++) {
        row[y] = rows[y];
        for (int x = 0; x < w; x++)
            for (int c = 0; c < channels; c++) put(rows[y], x * channels + c, depth, value(x, y, c, depth));
    }
    png_write_image(png, row);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(f);
}

// What a file of this kind shows at a place.
static int shown(int x, int y, int c, int type, int depth)
{
    const bool gray = !(type & PNG_COLOR_MASK_COLOR), indexed = type == PNG_COLOR_TYPE_PALETTE;
    const int v = stored(x, y, gray || indexed ? 0 : c, depth);
    if (indexed) return (c == 0 ? 255 - v : c == 1 ? v : v * 7) & 255;
    return depth == 16 ? v / 257 : v * 255 / ((1 << depth) - 1);
}

START_TEST(png)
{
    static const struct {
        int type, depths;
    } kinds[] = {{PNG_COLOR_TYPE_GRAY, 1 | 2 | 4 | 8 | 16},
                 {PNG_COLOR_TYPE_PALETTE, 1 | 2 | 4 | 8},
                 {PNG_COLOR_TYPE_RGB, 8 | 16},
                 {PNG_COLOR_TYPE_GRAY_ALPHA, 8 | 16},
                 {PNG_COLOR_TYPE_RGB_ALPHA, 8 | 16}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int how = 0; how < 10; how++) {
            const int depth = 1 << how / 2;
            if (!(kinds[k].depths & depth)) continue;
            write_png("p.png", WIDE, HIGH, kinds[k].type, depth, how & 1, 0, stored);
            show("p.png");
            ck_assert(width == WIDE && height == HIGH);
            for (int i = 0; i < 3 * WIDE * HIGH; i++) {
                const int c = i % 3, x = i / 3 % WIDE, y = i / 3 / WIDE;
                ck_assert_msg((int)got[c][y * WIDE + x] == shown(x, y, c, kinds[k].type, depth),
                              "type %d, %d bits, %d,%d,%d: %g, should be %d", kinds[k].type, depth, c, y, x,
                              got[c][y * WIDE + x], shown(x, y, c, kinds[k].type, depth));
            }
        }
    cut_everywhere("p.png", 97);
}
END_TEST

static int corner_sample(int x, int y, int c, int depth)
{
    (void)c, (void)depth;
    return corner_value(x, y);
}

START_TEST(png_orientations)
{
#ifdef PNG_eXIf_SUPPORTED
    for (int o = 1; o <= 8; o++) {
        write_png("o.png", 32, 16, PNG_COLOR_TYPE_RGB, 8, false, o, corner_sample);
        check_corners("o.png", o);
    }
#endif
}
END_TEST

// A header may promise any size: it is asked before memory is.
START_TEST(png_too_large)
{
    FILE *f = fopen("huge.png", "wb");
    png_structp png_file = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png_file);
    png_init_io(png_file, f);
    png_set_IHDR(png_file, info, 65535, 65535, 8, PNG_COLOR_TYPE_RGB, 0, 0, 0);
    png_write_info(png_file, info);
    png_write_flush(png_file);
    png_destroy_write_struct(&png_file, &info);
    fclose(f);
    refused("huge.png", "");
}
END_TEST
#define PNG_TESTS T(png), T(png_orientations), T(png_too_large),
#else
START_TEST(no_png)
{
    write_bytes("p.png", "\x89PNG\r\n\x1a\n________", 16);
    refused("p.png", "libpng-dev");
}
END_TEST
#define PNG_TESTS T(no_png),
#endif

// ------------------------------------------------------------------------------------------- JPEG

#ifdef EBB_JPEG
#include <jpeglib.h>

static void write_jpeg(const char *name, J_COLOR_SPACE space, bool progressive, int orientation)
{
    static const int channels[] = {[JCS_GRAYSCALE] = 1, [JCS_RGB] = 3, [JCS_CMYK] = 4};
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *f = fopen(name, "wb");
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, f);
    jpeg.image_width = 32, jpeg.image_height = 16;
    jpeg.input_components = channels[space], jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    if (progressive) jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    unsigned char exif[64] = "Exif\0";
    if (orientation)
        jpeg_write_marker(&jpeg, JPEG_APP0 + 1, exif,
                          (unsigned)(6 + exif_block(exif + 6, orientation, orientation & 1)));
    for (int y = 0; y < 16; y++) {
        unsigned char row[128];
        JSAMPROW rows[] = {row};
        for (int x = 0; x < 32; x++)
            for (int c = 0; c < channels[space]; c++)
                row[x * channels[space] + c] = c == 3 ? 255 : corner_value(x, y);
        jpeg_write_scanlines(&jpeg, rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    fclose(f);
}

START_TEST(jpeg)
{
    static const J_COLOR_SPACE spaces[] = {JCS_GRAYSCALE, JCS_RGB, JCS_CMYK};
    for (int how = 0; how < 6; how++) {
        write_jpeg("p.jpg", spaces[how / 2], how & 1, 0);
        check_corners("p.jpg", 1);
    }
    for (int o = 1; o <= 8; o++) {
        write_jpeg("o.jpg", JCS_RGB, o > 4, o);
        check_corners("o.jpg", o);
    }
}
END_TEST

START_TEST(jpeg_broken)
{
    static unsigned char data[1 << 14];
    write_jpeg("p.jpg", JCS_RGB, false, 0);
    FILE *f = fopen("p.jpg", "rb");
    const size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    for (size_t cut = 0; cut + 20 < n; cut += 31) {
        write_bytes("cut.jpg", data, cut);
        refused("cut.jpg", "");
    }
    // A size that its pixels could never fill.
    for (size_t i = 0; i + 9 < n; i++)
        if (data[i] == 0xff && data[i + 1] == 0xc0) memset(data + i + 5, 0xfe, 4);
    write_bytes("huge.jpg", data, n);
    refused("huge.jpg", "pixels");
}
END_TEST
#define JPEG_TESTS T(jpeg), T(jpeg_broken),
#else
START_TEST(no_jpeg)
{
    write_bytes("p.jpg", "\xff\xd8\xff\xe0________", 12);
    refused("p.jpg", "libjpeg62-turbo-dev");
}
END_TEST
#define JPEG_TESTS T(no_jpeg),
#endif

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tool_tests("tool picture",
                          (const test_entry[]){T(fitted), T(pnm), T(other_kinds), PNG_TESTS JPEG_TESTS{0}});
}
