// SPDX-License-Identifier: BSD-3-Clause
// picture_pnm.c - PGM (P5) and PPM (P6), 8 and 16 bits. Rule: every byte is looked for before it is read.
#include "picture_file.h"
#include <stdio.h>

typedef struct bytes_left {
    const unsigned char *at, *end;
} bytes_left;

static bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A number behind blanks and comments, which reach from # to the end of their line.
static bool header_number(bytes_left *b, unsigned long most, unsigned long *number)
{
    const unsigned char *before = b->at;
    while (b->at < b->end && (is_blank(*b->at) || *b->at == '#')) {
        if (*b->at == '#')
            while (b->at < b->end && *b->at != '\n') b->at++;
        else
            b->at++;
    }
    const unsigned char *digits = b->at;
    for (*number = 0; b->at < b->end && *b->at >= '0' && *b->at <= '9' && *number <= most; b->at++)
        *number = *number * 10 + (unsigned long)(*b->at - '0');
    return digits > before && b->at > digits && *number <= most;
}

static unsigned sample(bytes_left *b, bool wide)
{
    const unsigned high = wide ? *b->at++ : 0;
    return high << 8 | *b->at++;
}

// The samples as 0 to 255, gray three times; false: one is above the maximum.
static bool read_samples(raster *r, bytes_left *b, bool gray, unsigned max)
{
    unsigned char *to = r->rgb;
    const size_t n = (size_t)r->width * (size_t)r->height * (gray ? 1 : 3);
    for (size_t i = 0; i < n; i++) {
        const unsigned v = sample(b, max > 255);
        if (v > max) return false;
        for (int k = 0; k < (gray ? 3 : 1); k++) *to++ = (unsigned char)((v * 255 + max / 2) / max);
    }
    return true;
}

bool picture_pnm(raster *r, int *orientation, const unsigned char *data, size_t bytes, char *why, size_t room)
{
    bytes_left b = {data + 2, data + bytes};
    unsigned long width, height, max;
    const bool gray = data[1] == '5';
    *orientation = 1;
    if (!header_number(&b, 1000000, &width) || !header_number(&b, 1000000, &height) ||
        !header_number(&b, 65535, &max) || max < 1 || b.at == b.end || !is_blank(*b.at++)) {
        snprintf(why, room,
                 "its header is malformed: P5 or P6, width, height and a maximum up to 65535 are wanted");
        return false;
    }
    if (!raster_make(r, width, height, why, room)) return false;
    const size_t wanted = (size_t)width * height * (gray ? 1 : 3) * (max > 255 ? 2 : 1);
    if ((size_t)(b.end - b.at) < wanted) {
        snprintf(why, room, "it is cut short: %zu of %zu bytes of pixels are there", (size_t)(b.end - b.at),
                 wanted);
        return false;
    }
    if (read_samples(r, &b, gray, (unsigned)max)) return true;
    snprintf(why, room, "a sample is above the maximum of %lu that its header says", max);
    return false;
}
