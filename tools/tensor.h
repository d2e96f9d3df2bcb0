// SPDX-License-Identifier: BSD-3-Clause
// tensor.h - dense numbers with a shape, as files hold them: read, made up, handed to an extractor, compared.
#pragma once
#include "ebb.h"

typedef struct tensor {
    ebb_desc desc;  // dense, outermost axis first
    void *data;     // owned
} tensor;

void tensor_drop(tensor *t);

// "f32 3 17 11": dtype and sizes from the words at *text, which is moved behind them. False: not a tensor.
bool tensor_words(char **text, ebb_desc *d);
// "3x17x11" or "3x17x11:i32"; false: malformed.
bool tensor_shape(const char *text, ebb_desc *d);
size_t tensor_bytes(const ebb_desc *d);  // SIZE_MAX when it overflows

// Takes its bytes out of memory, or a file; false: there are not as many as the shape wants, why says it.
bool tensor_from_memory(tensor *t, const ebb_desc *d, const char *data, size_t bytes);
bool tensor_from_file(tensor *t, const ebb_desc *d, const char *path, char *why, size_t room);
// The generator of model.txt: numbers from lo to hi (i32: 0 to 399), the same on every machine.
void tensor_random(tensor *t, const ebb_desc *d, uint32_t seed, double lo, double hi);

// Element i in c, h, w order.
double tensor_at(const tensor *t, size_t i);

// How to hand it to an extractor.
typedef enum hand_over { HAND_COPY, HAND_BORROW, HAND_GIVE } hand_over;
// With `pixel`, its elements are put in pixel order first. Borrowed memory must outlive the extractor: it is
// left in *lent, to be freed.
ebb_status tensor_set(ebb_extractor *x, const char *blob, const tensor *t, hand_over how, bool pixel,
                      void **lent, ebb_error *e);

// The largest difference between what is right and what came out.
typedef struct difference {
    size_t at;  // element, in c, h, w order
    double got, want;
    double error;  // absolute; infinite where one is NaN or infinite and the other is not the same
    bool over;     // beyond what the rule allows
} difference;

// |a - b| <= eps or |a - b| <= eps * max(|a|, |b|), element by element; NaN equals NaN.
difference tensor_compare(const tensor *got, const tensor *want, double eps);
double tensor_error(double got, double want);
// Where element i stands: "[2,0,5]".
const char *tensor_place(const ebb_desc *d, size_t i, char text[64]);

// A dense tensor out of an extracted planar blob.
void tensor_from_blob(tensor *t, const ebb_blob *b);

typedef struct summary {
    double min, max, sum;  // of the finite numbers
    size_t strange;        // NaN or infinite
    size_t count;
} summary;
summary tensor_summary(const tensor *t);
