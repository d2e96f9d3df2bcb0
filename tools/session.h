// SPDX-License-Identifier: BSD-3-Clause
// session.h - a model from the command line: found, loaded, given its inputs, asked for its outputs.
#pragma once
#include "options.h"

typedef struct session {
    bool dry;      // set before load: nothing will run, so that inputs are only announced and weights may be
                   // missing
    bool made_up;  // set before load: inputs that the line does not set get pseudo-random numbers
    bool silent;   // set before load: a forecast, without remarks and without --limit
    ebb_net *net;
    ebb_extractor *x;
    char *param, *bin;        // paths; bin is NULL when there are no weights
    ebb_precision precision;  // of its blobs
    char **out;               // names of the blobs to extract
    const char **out_file;    // where to write each; NULL: nowhere
    int n_out;
    const char *unknown;      // dry: an input that the outputs need and of which nobody says the size; NULL: none
    double load_seconds;
} session;

// Loads the model that the line names, with the options of OPTIONS_MODEL and OPTIONS_ENGINE. A --precision
// that does not lower the peak of what the line asks for is told of and not taken (see precision.c). False:
// it has told why; close it all the same.
bool session_load(session *s, const args *a);
// The same in a precision that is settled.
bool session_load_in(session *s, const args *a, ebb_precision precision);
// Then makes the extractor; observer may be empty.
bool session_start(session *s, const args *a, ebb_observer observer);
// Ends the extractor: the last events are sent, then a trace can be finished.
void session_stop(session *s);
void session_close(session *s);

// Outputs: those of --out BLOB[=FILE], or all of the net; declared, so that nothing else is kept.
bool session_outputs(session *s, const args *a);
// Then the inputs of OPTIONS_INPUT (and --image, where the command has it) that these outputs need.
bool session_inputs(session *s, const args *a);
// What the outputs would take; watch may be NULL.
ebb_status session_predict(const session *s, const ebb_observer *watch, ebb_prediction *p, ebb_error *e);
// Runs; the caller owns what comes back in blobs (NULL: it is dropped). False: it has told why.
bool session_extract(session *s, ebb_blob **blobs);

// For traces: the form that an option names, when it does, and a writer to a FILE.
bool trace_format(const args *a, const char *name, ebb_trace_format *format);
void trace_to_file(void *file, const char *text, size_t bytes);
