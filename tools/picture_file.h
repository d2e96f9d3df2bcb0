// SPDX-License-Identifier: BSD-3-Clause
// picture_file.h - picture files as pixels: PNG and JPEG where the program was built with their libraries,
// PGM and PPM.
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { MOST_PIXELS_A_SIDE = 65535, MOST_PIXELS = 1 << 28 };

// 8 bits a channel, R, G, B; rows are dense.
typedef struct raster {
    int width, height;
    unsigned char *rgb;  // owned
} raster;

// Reads and turns it as its EXIF data says. False: why says what is wrong with it.
bool picture_decode(raster *r, const unsigned char *data, size_t bytes, char *why, size_t room);

// For the decoders. Each gives its picture as it is stored, and its EXIF orientation, 1 to 8.
typedef bool picture_decoder(raster *r, int *orientation, const unsigned char *data, size_t bytes, char *why,
                             size_t room);
picture_decoder picture_png, picture_jpeg, picture_pnm;
// Room for the pixels, where the size is allowed; asked for before anything is decoded.
bool raster_make(raster *r, unsigned long width, unsigned long height, char *why, size_t room);
// The orientation that a TIFF block of EXIF data gives; 1 where it gives none.
int exif_orientation(const unsigned char *tiff, size_t bytes);
