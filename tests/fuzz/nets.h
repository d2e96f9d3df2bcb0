// SPDX-License-Identifier: BSD-3-Clause
// nets.h - nets that could have been written: types and parameters from the registry, wiring and sizes that
// mostly fit. Rule: the same bytes make the same net.
#pragma once
#include "ebb.h"

// Choices, one byte each. Where the bytes end, every choice is the first one.
typedef struct fuzz_choices {
    const uint8_t *data;
    size_t bytes, at;
} fuzz_choices;
unsigned fuzz_pick(fuzz_choices *c, unsigned n);  // 0 … n - 1; n at most 256
bool fuzz_chance(fuzz_choices *c, unsigned n);    // one in n; never where the bytes have ended
// Fills data as random bytes would: for runs without a fuzzer.
void fuzz_random(uint64_t seed, uint8_t *data, size_t bytes);

enum {
    NETS_BLOBS = 64,
    NETS_LAYERS = 16,
    NETS_INPUTS = 6,
    NETS_PORTS = 6,
    NETS_LINE = 512,
    NETS_WEIGHTS = 1 << 16
};

// A layer that was tried by itself: whether it loads and has sizes.
typedef struct fuzz_layer {
    const ebb_layer_type *type;
    char params[NETS_LINE];  // " 0=1 1=3"
    int n_in, n_out, in[NETS_PORTS], out[NETS_PORTS];
    size_t from, to;  // its bytes of the weights
    bool fits;
} fuzz_layer;

typedef struct fuzz_made {
    int n_blobs, n_inputs, n_layers;
    ebb_desc desc[NETS_BLOBS];  // blob i is "b<i>"; the first ones are inputs of the net
    bool is_input[NETS_BLOBS], is_read[NETS_BLOBS];
    fuzz_layer layer[NETS_LAYERS];
    unsigned char weights[NETS_WEIGHTS];
    size_t n_weights;
    char text[NETS_LAYERS * NETS_LINE + NETS_INPUTS * 64];  // .param
} fuzz_made;

// One layer with its inputs as Input layers, to be loaded by itself.
void fuzz_write_layer(const fuzz_made *m, const fuzz_layer *l, char *text, size_t room);
// False when no layer fits.
bool fuzz_make_net(fuzz_choices *c, fuzz_made *m);
