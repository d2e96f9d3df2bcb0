// SPDX-License-Identifier: BSD-3-Clause
// fuzz.h - what the fuzz targets share: nets in little memory, and everything that callers do with a net.
// Rule: the same bytes do the same; the last one of them says how.
#pragma once
#include "ebb.h"
#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(x)                                                                                           \
    do {                                                                                                     \
        if (!(x)) {                                                                                          \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);                                  \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

// Memory of all targets: counted, at most 64 MiB, full of a byte that runs may choose. One allocation after n
// others fails; negative: none.
extern const ebb_allocator fuzz_allocator;
size_t fuzz_live(void);
void fuzz_fill(unsigned char with);
void fuzz_fail_after(int n);
bool fuzz_has_failed(void);

// How a file is loaded and run, as bits of its last byte; the rest is for `values` and `precision`.
typedef struct fuzz_how {
    bool best;        // kernel table: the best one, else scalar
    bool fast;        // prefer
    bool threads;     // two of them, else one
    bool one_by_one;  // extracts each output by itself, else all at once
    enum { FUZZ_SMALL, FUZZ_WHOLE, FUZZ_EXTREME, FUZZ_ZERO } values;  // of inputs
    ebb_precision precision;
} fuzz_how;

// A copy of the file behind which no byte may be read, without its last byte.
typedef struct fuzz_file {
    unsigned char *data;
    size_t bytes;
    fuzz_how how;
} fuzz_file;

// False when there is no byte. Freed by fuzz_end.
bool fuzz_begin(fuzz_file *f, const uint8_t *data, size_t bytes);
void fuzz_end(fuzz_file *f);
ebb_net *fuzz_new_net(const fuzz_how *how);
// Stops the program when a call that did not succeed has no message; returns whether it succeeded.
bool fuzz_ok(ebb_status s, const ebb_error *e);
// Loads weights that never end.
bool fuzz_load_weights(ebb_net *net, const fuzz_how *how);
// Predicts and, where memory and time allow it, extracts all outputs twice: prediction and run must agree,
// and both runs bit for bit. Then destroys the net: nothing may be left.
void fuzz_run(ebb_net *net, const fuzz_how *how);

// The targets, as libFuzzer wants them.
int fuzz_param(const uint8_t *data, size_t bytes);      // .param as text: last byte, see above
int fuzz_param_bin(const uint8_t *data, size_t bytes);  // binary .param; its magic number is put there
int fuzz_bin(const uint8_t *data,
             size_t bytes);  // weights of one of a few nets: the last byte but one says which
int fuzz_net(const uint8_t *data, size_t bytes);  // choices of a generator, see nets.h
int fuzz_api(const uint8_t *data, size_t bytes);  // two such nets, and calls on them
// Files of the program: .cases, model.txt, pictures.
int fuzz_cases(const uint8_t *data, size_t bytes);
int fuzz_model(const uint8_t *data, size_t bytes);
int fuzz_picture(const uint8_t *data, size_t bytes);

// How many nets were made, how many of them ran, and their layers.
typedef struct fuzz_tally {
    size_t all, ran, layers;
} fuzz_tally;
extern fuzz_tally fuzz_net_tally;
