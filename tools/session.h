// SPDX-License-Identifier: BSD-3-Clause
// session.h - a model from the command line: found, loaded, given its inputs, asked for its outputs.
#pragma once
#include "options.h"

typedef struct session {
    ebb_net *net;
    ebb_extractor *x;
    char *param, *bin;      // paths; bin is NULL when there are no weights: zeros stand for them
    char **out;             // names of the blobs to extract
    const char **out_file;  // where to write each; NULL: nowhere
    int n_out;
    double load_seconds;
} session;

// Loads the model that the line names, with the options of OPTIONS_MODEL and OPTIONS_ENGINE. Without a file
// of weights: zeros where `weightless`, else trouble. False: it has told why; close it all the same.
bool session_load(session *s, const args *a, bool weightless);
// Then makes the extractor; observer may be empty.
bool session_start(session *s, const args *a, ebb_observer observer);
// Ends the extractor: the last events are sent, then a trace can be finished.
void session_stop(session *s);
void session_close(session *s);

// What becomes of inputs that the line says nothing about.
typedef enum unset_input { UNSET_IS_TROUBLE, UNSET_IS_RANDOM, UNSET_IS_EXPECTED } unset_input;
// Inputs of OPTIONS_INPUT (and --image, where the command has it) go to the extractor. With UNSET_IS_EXPECTED
// none gets data: all are only announced, for a prediction.
bool session_inputs(session *s, const args *a, unset_input unset);
// Outputs: those of --out BLOB[=FILE], or all of the net; declared, so that nothing else is kept.
bool session_outputs(session *s, const args *a);
// Runs; the caller owns what comes back in blobs (NULL: it is dropped). False: it has told why.
bool session_extract(session *s, ebb_blob **blobs);

// For traces: the form that an option names, when it does, and a writer to a FILE.
bool trace_format(const args *a, const char *name, ebb_trace_format *format);
void trace_to_file(void *file, const char *text, size_t bytes);
