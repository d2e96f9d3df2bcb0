// SPDX-License-Identifier: BSD-3-Clause
// checker.h - what `ebb check` shares between its kinds of files: how to run, and the count of what came out.
#pragma once
#include "tensor.h"
#include <stdatomic.h>

typedef struct checker {
    ebb_net_options net;
    ebb_extractor_options run;
    hand_over how;  // of inputs
    bool pixel;     // inputs in pixel order
    bool memory;    // also: predicted memory is used memory
    bool json, verbose, progress;
    const char *only;    // cases whose names contain this; NULL: all
    atomic_size_t held;  // bytes of the net that is loaded now
    int passed, failed, skipped;
    int files;  // of answers, found so far
    int plain;  // checks that ran in f32 because the precision asked for would not have lowered their peak
    struct skipped_type {
        char *type;
        int count;
    } * types;  // that are not supported
    int n_types;
} checker;

// Whether a layer of this type can be loaded.
bool check_knows(const char *type);

typedef struct check_io {
    char *blob;
    tensor t;
} check_io;

// One inference: a net, its inputs, and what it makes of them.
typedef struct check_job {
    const char *param, *bin;  // paths, bin NULL: there are no weights; or:
    const char *text;         // the .param itself, not NULL
    const void *weights;      // and what would stand in its .bin
    size_t weight_bytes;
    check_io *in, *out;
    int n_in, n_out;
    bool graph_loads;  // found by check_load: what is wrong, if anything, is not the .param
} check_job;

// The net, with the program's own layer types, counted in `held`; NULL: e says why.
ebb_net *check_load(checker *c, check_job *j, ebb_error *e);
// Sets j->in, extracts the blobs of j->out and fills their tensors; false: why says it.
bool check_infer(checker *c, ebb_net *net, check_job *j, char *why, size_t room);
// Blobs and tensors.
void check_drop(check_job *j);

// Verdicts. `why` is one sentence.
void check_begin(checker *c, const char *name);
void check_verdict(checker *c, const char *name, const char *why);  // NULL: passed
void check_skip(checker *c, const char *name, const char *type);

// Whole files; DONE, or TROUBLE where the file itself cannot be used.
int check_cases(checker *c, const char *path);
int check_model(checker *c, const char *path);
