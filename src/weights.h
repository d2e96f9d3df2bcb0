// SPDX-License-Identifier: BSD-3-Clause
// weights.h - the weights of a net, read layer by layer.
#pragma once
#include "net.h"

// Where weights come from: bytes in memory (a mapping, or the caller's), or a function.
typedef struct ebb_weight_source {
    const char *label;   // for messages
    ebb_storage *bytes;  // NULL: reader
    size_t size;         // how many bytes there are; SIZE_MAX: not known
    const ebb_reader *reader;
} ebb_weight_source;

// Calls load of every layer, in file order.
ebb_status ebb_weights_load(ebb_net *net, const ebb_weight_source *from, ebb_error *e);
// Whether all weights that layers read where they stand in a file are still there.
ebb_status ebb_weights_check(const ebb_net *net, ebb_error *e);
// Frees what loading allocated and drops what it referenced.
void ebb_weights_free(ebb_net *net);
