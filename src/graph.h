// SPDX-License-Identifier: BSD-3-Clause
// graph.h - what load produces: layers (nodes) and blobs (slots) by index, never changed afterwards.
#pragma once
#include "blob.h"

typedef struct ebb_node {
    const char *name;
    const ebb_layer_type *type;
    void *state;
    int n_in, n_out;
    const int *in, *out;          // blob indices
    const bool *shape_only;       // n_in: that input's data is not read
    unsigned features;            // parameter 31
    ebb_blob *constants;          // n_out, for EBB_LAYER_CONSTANT; else NULL
    ebb_storage **kept;           // storages of weights that are referenced, n_kept
    int n_kept;
    size_t weight_bytes;
    size_t weight_count[EBB_DTYPES];
    const ebb_desc *hints;        // n_out: parameter 30, rank 0 where there is none; NULL without any
    bool on_device;               // known before its weights are read
    void *dev_state;              // what it needs there
} ebb_node;

typedef struct ebb_slot {
    const char *name;
    int producer;                 // layer index
    int port;                     // which of its outputs
    int n_readers;                // inputs that name this blob, shape-only ones included
    const int *readers;           // their layer indices, ascending; a layer that reads it twice stands twice
    int data_readers;             // those of them that read the data
} ebb_slot;

typedef struct ebb_graph {
    ebb_node *nodes;
    ebb_slot *slots;
    int n_nodes, n_slots;
    int max_in, max_out;          // of any node
    size_t max_work;              // bytes from plan to cpu, of any node
    const int *by_name;           // blob indices sorted by name
    int n_named;
    int n_inited;                 // nodes from the first whose init succeeded: these get unload
} ebb_graph;

struct ebb_draft;
// Makes an empty graph that of a draft: nodes, their states (through init), slots and readers, all in d->keep.
ebb_status ebb_graph_build(ebb_graph *g, struct ebb_draft *d, ebb_error *e);

// names.c: the blob called `name`, or "#7"; -1 with an error that proposes the nearest name, or says that it is a layer's.
int ebb_graph_find(const ebb_graph *g, const char *name, ebb_error *e);
