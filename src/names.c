// SPDX-License-Identifier: BSD-3-Clause
// names.c - blobs by name. Rule: a name that is not there gets a proposal.
#include "graph.h"
#include "nearest.h"
#include <stdlib.h>
#include <string.h>

static int find_number(const ebb_graph *g, const char *name, ebb_error *e)
{
    char *end;
    const long n = name[1] >= '0' && name[1] <= '9' ? strtol(name + 1, &end, 10) : -1;
    if (n < 0 || *end) {
        ebb_fail(e, EBB_E_NAME, "'%.64s' is no blob: a blob's number is written like #7", name);
        return -1;
    }
    if (n < g->n_slots) return (int)n;
    ebb_fail(e, EBB_E_NAME, "there is no blob %.64s: they go from #0 to #%d", name, g->n_slots - 1);
    return -1;
}

static void layer_instead(const ebb_graph *g, const ebb_node *n, ebb_error *e)
{
    if (n->n_out == 0)
        ebb_fail(e, EBB_E_NAME, "'%.64s' is a layer, not a blob, and it has no outputs", n->name);
    else if (n->n_out == 1)
        ebb_fail(e, EBB_E_NAME, "'%.64s' is a layer, not a blob; its output is '%.64s'", n->name,
                 g->slots[n->out[0]].name);
    else
        ebb_fail(e, EBB_E_NAME, "'%.64s' is a layer, not a blob; its %d outputs start with '%.64s'", n->name,
                 n->n_out, g->slots[n->out[0]].name);
}

static void propose(const ebb_graph *g, const char *name, ebb_error *e)
{
    for (int i = 0; i < g->n_nodes; i++)
        if (!strcmp(g->nodes[i].name, name)) {
            layer_instead(g, &g->nodes[i], e);
            return;
        }
    if (!g->by_name) {
        ebb_fail(e, EBB_E_NAME,
                 "there is no blob '%.64s': a binary .param has no names, blobs are called #0 to #%d", name,
                 g->n_slots - 1);
        return;
    }
    ebb_nearest near = ebb_nearest_to(name);
    for (int i = 0; i < g->n_slots; i++) ebb_nearest_offer(&near, g->slots[i].name);
    if (near.name)
        ebb_fail(e, EBB_E_NAME, "there is no blob '%.64s'; the nearest is '%.64s'", name, near.name);
    else
        ebb_fail(e, EBB_E_NAME, "there is no blob '%.64s', and none with a similar name", name);
}

int ebb_graph_find(const ebb_graph *g, const char *name, ebb_error *e)
{
    for (int low = 0, high = g->n_named; low < high;) {
        const int middle = low + (high - low) / 2, blob = g->by_name[middle];
        const int c = strcmp(name, g->slots[blob].name);
        if (c == 0) return blob;
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    if (name[0] == '#') return find_number(g, name, e);
    if (e) propose(g, name, e);
    return -1;
}
