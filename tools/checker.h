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
    struct skipped_type {
        char *type;
        int count;
    } * types;  // that are not supported
    int n_types;
} checker;

// A net that knows the program's own layer types, counted in `held`; NULL: why says it.
ebb_net *check_net(checker *c, ebb_error *e);
// Whether a layer of this type can be loaded.
bool check_knows(const char *type);

// One inference on a loaded net.
typedef struct check_io {
    char *blob;
    tensor t;
} check_io;
// Sets in[], extracts the blobs of out[] and fills their tensors; false: why says it.
bool check_infer(checker *c, ebb_net *net, const check_io *in, int n_in, check_io *out, int n_out, char *why,
                 size_t room);
void check_drop(check_io *io, int n);

// Verdicts. `why` is one sentence.
void check_begin(checker *c, const char *name);
void check_verdict(checker *c, const char *name, const char *why);  // NULL: passed
void check_skip(checker *c, const char *name, const char *type);

// Whole files; DONE, or TROUBLE where the file itself cannot be used.
int check_cases(checker *c, const char *path);
int check_model(checker *c, const char *path);
