// SPDX-License-Identifier: BSD-3-Clause
// shapes.h - shapes as text, "3x5x7", for rows of test cases.
#pragma once
#include "harness.h"
#include <stdlib.h>

// Returns the rank.
static inline int read_shape(const char *text, int dim[4])
{
    int rank = 0;
    for (char *end; rank < 4 && *text; text = *end ? end + 1 : end) dim[rank++] = (int)strtol(text, &end, 10);
    return rank;
}

static inline void add_input(layer_case *c, const char *text)
{
    c->in[c->n_in].rank = read_shape(text, c->in[c->n_in].dim);
    c->n_in++;
}

// Where element i, in c, h, w order, stands.
static inline void place_of(const tensor *t, size_t i, int index[4])
{
    for (int axis = t->rank - 1; axis >= 0; axis--) {
        index[axis] = (int)(i % (size_t)t->dim[axis]);
        i /= (size_t)t->dim[axis];
    }
}

// A tensor of that shape with the elements of x in the same order.
static inline tensor reshaped(const tensor *x, const char *text)
{
    int dim[4];
    const int rank = read_shape(text, dim);
    tensor t = tensor_new(rank, dim);
    ck_assert_uint_eq(tensor_count(&t), tensor_count(x));
    for (size_t i = 0; i < tensor_count(x); i++) t.v[i] = x->v[i];
    return t;
}
