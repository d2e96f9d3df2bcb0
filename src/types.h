// SPDX-License-Identifier: BSD-3-Clause
// types.h - the layer types that a net can have: its own, then the built-in ones.
#pragma once
#include "ebb_layer.h"

typedef struct ebb_types {
    const ebb_layer_type **custom;  // of ebb_net_add_layer; a later one hides an earlier one of its name
    int n_custom;
} ebb_types;

// The type called `name`; NULL when there is none.
const ebb_layer_type *ebb_types_named(const ebb_types *t, const char *name);
// The type with that number in binary files: ncnn's in its order, or EBB_CUSTOM and the number of a custom
// one.
const ebb_layer_type *ebb_types_numbered(const ebb_types *t, int number);
enum { EBB_CUSTOM = 256 };
// The name that was probably meant; NULL when none is near.
const char *ebb_types_nearest(const ebb_types *t, const char *name);
bool ebb_types_of_ncnn(const char *name);
// ncnn's layer types in the order of binary files; NULL past the end.
const char *ebb_ncnn_type(int number);
