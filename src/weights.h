// SPDX-License-Identifier: BSD-3-Clause
// weights.h - the weights of a net, read layer by layer.
#pragma once
#include "net.h"

// Where weights come from: bytes in memory (a mapping, or the caller's), or the caller's function.
typedef struct ebb_weight_source {
    const char *label;   // for messages
    ebb_storage *bytes;  // NULL: reader
    int fd;              // of the file that is mapped; -1: none
    const ebb_reader *reader;
} ebb_weight_source;

// Calls load of every layer, in file order.
ebb_status ebb_weights_load(ebb_net *net, const ebb_weight_source *from, ebb_error *e);
// Frees what loading allocated and drops what it referenced.
void ebb_weights_free(ebb_net *net);
