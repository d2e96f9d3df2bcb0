// SPDX-License-Identifier: BSD-3-Clause
// small_layers.h - tiny layers and calls for tests of the interpreter.
#pragma once
#include "harness.h"
#include "walk_text.h"

// Fork: y[k] = x + k + 1, any number of outputs, never in place. Fail: fails. Positive: keeps the positive values.
// Like: x * size of input 1, whose data it does not read. Pixel, Planar: Fork in that order only. Cache: input 1,
// a growing blob, with the rows of input 0 behind it. Workers: how many it has, with 128 bytes of scratch for each.
// Both: x + y, x read in planar order and y in pixel order. Narrow: x, read as f16 in any order.
extern const ebb_layer_type *const small_layers[];

ebb_net *small_net(const char *layers, const void *bin, size_t bytes);  // walk_net with them
// The same, and a walk on it whose blob 0, ten zeros, was given.
struct ebb_walk;
ebb_net *small_walk(struct ebb_walk *w, const char *layers);
ebb_extractor *open_on(ebb_net *net, const ebb_extractor_options *opt);
ebb_desc vec(int n);
void give(ebb_extractor *x, const char *name, const ebb_desc *d, float first);  // first, first + 1, …
float first_of(ebb_extractor *x, const char *name);  // element 0 of the extracted blob; 0 when it is empty
// Runs the request dry, then for real with a given input x = 1, 2, …: asserts that both traces and peaks are the
// same, and returns the text.
const char *trace_of(const char *layers, const ebb_desc *d, const char *const *outs, int n);
#define ONE(name) ((const char *const[]){name})
