// SPDX-License-Identifier: BSD-3-Clause
// net.h - a loaded net: the graph, its memory and what it was made for. Read-only after load.
#pragma once
#include "graph.h"

struct ebb_weight_block;

struct ebb_net {
    ebb_net_options opt;
    ebb_heap *heap;
    ebb_arena arena;              // the graph: names, rows, states
    ebb_graph g;
    const ebb_kernels *k;
    const char *isa;
    const ebb_layer_type **custom;  // of ebb_net_add_layer, latest first in lookup
    int n_custom;
    enum { EBB_NET_EMPTY, EBB_NET_PARAM, EBB_NET_READY, EBB_NET_FAILED } state;
    const struct ebb_device_ops *dev;  // NULL: everything runs on the CPU
    struct ebb_vk *vk;            // what dev opened
    struct ebb_weight_block *blocks;  // ebb_load_alloc's memory
    int n_inited;                 // layers from the first whose init succeeded: these get unload
};

void ebb_net_log(const ebb_net *net, ebb_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// The custom type called `name`, else the built-in one, else NULL.
const ebb_layer_type *ebb_net_type(const ebb_net *net, const char *name);
