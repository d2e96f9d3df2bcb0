// SPDX-License-Identifier: BSD-3-Clause
// net.h - a loaded net: the graph, its memory and what it was made for. Read-only after load.
#pragma once
#include "graph.h"
#include "log.h"
#include "types.h"

struct ebb_weight_block;

struct ebb_net {
    ebb_net_options opt;
    ebb_heap *heap;
    ebb_arena arena;              // the graph: names, rows, states
    ebb_graph g;
    const ebb_kernels *k;
    const char *isa;
    ebb_types types;
    ebb_log log;
    enum { EBB_NET_EMPTY, EBB_NET_PARAM, EBB_NET_READY, EBB_NET_FAILED, EBB_NET_CLEARING } state;
    const struct ebb_device_ops *dev;  // NULL: everything runs on the CPU
    struct ebb_vk *vk;            // what dev opened
    ebb_storage *file;            // that weights are read from where they stand; NULL: none
    struct ebb_weight_block *blocks;  // ebb_load_alloc's memory
    atomic_int refs;              // its maker, extractors and traces: with the last one it goes
};

// Extractors and traces keep their net; const is for its model.
ebb_net *ebb_net_hold(const ebb_net *net);
void ebb_net_drop(ebb_net *net);
