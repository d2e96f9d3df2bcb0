// SPDX-License-Identifier: BSD-3-Clause
// harness.h - checks a layer against a naive reference in every way the interpreter may call it.
#pragma once
#include "ebb_layer.h"
#include <check.h>

// A tensor of the reference: planar, double precision, outermost axis first.
typedef struct tensor {
    int rank, dim[4];
    double *v;
} tensor;
size_t tensor_count(const tensor *t);
tensor tensor_new(int rank, const int *dim);  // zeroed; freed by the harness when it is an output
// Element i, j, k, l; unused indices of lower ranks are left out: tensor_at(t, y, x).
#define tensor_at(t, ...) (*tensor_at_(t, (const int[4]){__VA_ARGS__}))
double *tensor_at_(const tensor *t, const int *index);

enum { CASE_IN = 8, CASE_OUT = 8, CASE_WEIGHTS = 16 };

typedef enum weight_kind {
    W_END,
    W_RAW,
    W_F32,
    W_F16,
    W_I8
} weight_kind;  // raw f32 without a tag, or tagged

typedef struct layer_case {
    const char *type;    // "Pooling"
    const char *params;  // "0=1 1=3 2=2", as in a .param line
    int n_in, n_out;
    struct {
        ebb_dtype dtype;
        int rank, dim[4];
        double lo, hi;   // range of the pseudo-random values; both 0: -1 to 1
    } in[CASE_IN];
    struct {             // in file order, ended by W_END
        weight_kind kind;
        size_t n;
        double lo, hi;   // both 0: -1 to 1 (i8: -127 to 127)
    } weights[CASE_WEIGHTS];
    double tol;          // |got - want| <= tol * max(1, |want|); 0: exactly
    // Fills out[k]: rank, dim and values, with tensor_new. NaN equals NaN, an infinity the same infinity.
    void (*reference)(const struct layer_case *c, const tensor *in, const tensor *weights, tensor *out);
    void (*fill)(const struct layer_case *c, int i, tensor *in);  // may overwrite input i's values (extremes)
} layer_case;

// For references: parameter `id` of the case, or `otherwise`. And an array, old form (-23300 - id) or new:
// how many values there are.
double case_param(const layer_case *c, int id, double otherwise);
int case_array(const layer_case *c, int id, double *v, int room);

// Runs the case over kernel tables, the accepted orders of each input, dense and padded strides with guard
// bytes between elements, dtypes, 1 and 2 threads: rows in which every pair of these occurs (FULL=1 in the
// environment: all combinations). Each in place where the plan allows it, rows in two halves where the layer
// is spatial, without scratch to spare, each output alone. Then through an extractor, with every allocation
// failing in turn; and with inputs of zeros, of one value, of tiny and of huge ones: where the reference has
// a number there must be one.
void layer_check(const layer_case *c);
// Expects that loading or running the case fails with this status and a message that contains `words`.
void layer_refuses(const layer_case *c, ebb_status s, const char *words);

// Runs one suite with all test functions and returns main's exit code.
typedef struct test_entry {
    const char *name;
    const TTest *test;
} test_entry;
int run_tests(const char *suite, const test_entry *tests);  // ends with a NULL name
