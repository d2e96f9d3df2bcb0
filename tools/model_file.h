// SPDX-License-Identifier: BSD-3-Clause
// model_file.h - what a model.txt or image.txt says: a model, its inputs and its right outputs. Nothing is
// read or made yet; names stand as they are in the text.
#pragma once
#include "ebb.h"

typedef struct model_input {
    const char *blob, *file;  // file: NULL where numbers are made up
    ebb_desc desc;
    uint32_t seed;
    double lo, hi;
} model_input;

typedef struct model_output {
    const char *blob, *file;
    bool empty;            // the right answer has no elements; there is no file
    ebb_desc desc;         // of the whole output
    size_t every;          // the file holds elements 0, every, 2 * every, …
    int samples;           // so many
    double sum, abs, max;  // of the whole output; NaN where the file does not say
} model_output;

typedef struct model_file {
    const char *param, *bin;  // NULL: not said
    double tol;               // negative: not said
    model_input *in;
    model_output *out;
    int n_in, n_out;
    int line;               // where it is malformed, from 1 on
    const char *malformed;  // what is
} model_file;

// The text is cut in place and must outlive m. With graph_only, only the param and bin lines are looked at.
// False: it is malformed. Dropped either way.
bool model_file_read(model_file *m, char *text, size_t bytes, bool graph_only);
void model_file_drop(model_file *m);
