// SPDX-License-Identifier: BSD-3-Clause
// carve.h - cuts a piece of scratch into arrays. Rule: the same calls count without a base and hand out with
// one.
#pragma once
#include "ebb_layer.h"

typedef struct ebb_carver {
    char *base;   // NULL: only count
    size_t used;  // SIZE_MAX on overflow
} ebb_carver;

// The next array of n elements, 64-byte aligned when the base is.
static inline void *ebb_carve(ebb_carver *c, size_t n, size_t each)
{
    void *p = c->base ? c->base + c->used : NULL;
    const size_t bytes = ebb_size_add(ebb_size_mul(n, each), 63);
    c->used = bytes == SIZE_MAX ? SIZE_MAX : ebb_size_add(c->used, bytes / 64 * 64);
    return p;
}
