// SPDX-License-Identifier: BSD-3-Clause
// output.h - files that the program writes: there whole, or not there at all.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct output {
    FILE *f;
    char *path, *beside;  // beside: what is written first; NULL where that cannot be (a device, a pipe)
    struct output *outer;
} output;

// Opens a file beside `path`, which stays as it is. False: it has told why.
bool output_open(output *o, const char *path);
// With `keep`, the file takes its place; otherwise it goes. Does nothing when it is not open. False: it could
// not be written, it has told why, and `path` is as it was.
bool output_close(output *o, bool keep);
bool output_write(const char *path, const void *data, size_t bytes);  // all three steps
// For a signal's handler: what is open now will never be finished.
void output_abandon_all(void);
