// SPDX-License-Identifier: BSD-3-Clause
// harness_model.h - what the parts of the harness share: cells, and the net that a case describes.
#pragma once
#include "harness.h"

// A case as files, with its inputs, weights and right outputs.
typedef struct model {
    const layer_case *c;
    char text[2048];    // .param
    unsigned char *bin; // .bin
    size_t bytes;
    tensor in[CASE_IN], weights[CASE_WEIGHTS], out[CASE_OUT];
    const char *edge;  // what all float inputs hold: outputs need only be numbers where the right ones are
} model;
void model_new(model *m, const layer_case *c);
void model_free(model *m);
ebb_status model_load(const model *m, const ebb_net_options *opt, ebb_net **net, ebb_error *e);
// Sets the inputs, extracts all outputs and compares them.
ebb_status model_run(const model *m, ebb_extractor *x, ebb_error *e);
// Runs it on that net with float inputs of nothing but zeros, one value, tiny ones, and signs that alternate.
void model_edges(model *m, ebb_net *net);
// Loads and runs it with the k-th allocation failing, for every k.
void model_survives(const model *m);

bool is_integer(ebb_dtype t);
void put_cell(ebb_dtype t, void *at, double v);
double get_cell(ebb_dtype t, const void *at);
bool holds_exactly(ebb_dtype t, const tensor *x);

ebb_desc describe(const tensor *t, ebb_dtype dtype);  // without strides
ptrdiff_t element(const ebb_desc *d, size_t i);       // its offset; i in c, h, w order
// False when the blob is what is wanted; else text says what is wrong.
bool differs(const tensor *want, double tol, const ebb_desc *d, const void *element_0, char *text,
             size_t room);
