// SPDX-License-Identifier: BSD-3-Clause
// cases_file.h - the records of a .cases file: one layer, its inputs, its weights and the right outputs.
#pragma once
#include "tensor.h"
#include "words.h"

typedef struct record {
    const char *name, *type, *params;  // in the text
    double eps;
    int n_in, n_out;
    const char *weights;  // in the text
    size_t weight_bytes;
    tensor *in, *out;
    const char *malformed;  // what is wrong with it, where something is
    int line;               // of the record, where that stands
} record;

// Cuts the next record off; the text's memory outlives it. False: it is malformed, and the text is of no more
// use. Dropped either way.
bool record_take(cursor *text, record *r);
void record_drop(record *r);
