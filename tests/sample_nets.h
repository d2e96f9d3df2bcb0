// SPDX-License-Identifier: BSD-3-Clause
// sample_nets.h - small nets of different kinds, whole and with weights, for tests of what does not depend on a layer.
#pragma once
#include "ebb.h"

enum { SAMPLE_NETS = 5, SAMPLE_BLOBS = 4 };

typedef struct sample_net {
    const char *name;
    const char *text;             // .param
    const char
        *weights;  // of the .bin: t tagged f32, h f16, b i8, r raw, s raw scales; with the number of elements
    const char *out[SAMPLE_BLOBS];
    int n_out;
} sample_net;
// classifier, detector, recurrent, attention (with caches), eight (8-bit numbers from layer to layer)
extern const sample_net sample_nets[SAMPLE_NETS];

// The bytes of a .bin, see `weights`; the caller frees them.
void *sample_weights(const char *spec, size_t *bytes);
// Parameters and weights; bin outlives the net.
ebb_status sample_load(const sample_net *s, ebb_net *net, const void *bin, size_t bytes, ebb_error *e);
// Sets the inputs, in turn given and copied; then extracts all outputs. variant: another one, other inputs.
ebb_status sample_set(const ebb_net *net, ebb_extractor *x, int variant, ebb_error *e);
ebb_status sample_run(const sample_net *s, const ebb_net *net, ebb_extractor *x, int variant, ebb_blob **out,
                      ebb_error *e);
// The same blobs to the last bit? Any of them may be NULL, which equals NULL.
bool sample_equal(const sample_net *s, ebb_blob *const *a, ebb_blob *const *b);
void sample_drop(const sample_net *s, ebb_blob **out);
