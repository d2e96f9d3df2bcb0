// SPDX-License-Identifier: BSD-3-Clause
// demand.c - what a request needs: the scope, the reads to come, and the layers to run in pull order.
// Rule: counts change only after the whole demand is known to be possible.
#include "walk.h"

// What a layer that will run asks of its inputs, beside the reads: see fit.c.
static void count_needs(ebb_walk *w, const ebb_node *n, int by)
{
    const unsigned reads = n->type->reads;
    const bool view = n->type->flags & EBB_LAYER_VIEW;
    for (int i = 0; i < n->n_in && !view; i++) {
        int *needs = w->cells[n->in[i]].needs;
        needs[n->on_device ? EBB_NEEDS_DEVICE : EBB_NEEDS_HOST] += by;
        if (reads) needs[reads == EBB_PIXEL ? EBB_NEEDS_PIXEL : EBB_NEEDS_PLANAR] += by;
    }
}

// False when the layer will run already.
static bool pend(ebb_walk *w, int layer)
{
    if (w->node[layer] & EBB_PENDING) return false;
    w->node[layer] |= EBB_PENDING;
    count_needs(w, &w->net->g.nodes[layer], 1);
    return true;
}

void ebb_demand_met(ebb_walk *w, int layer)
{
    w->node[layer] = (unsigned char)((w->node[layer] & ~EBB_PENDING) | EBB_RAN);
    count_needs(w, &w->net->g.nodes[layer], -1);
}

// Marks the layers that the declared blobs reach, and counts their reads.
static void begin_declared(ebb_walk *w)
{
    const ebb_graph *g = &w->net->g;
    int top = 0;
    for (int s = 0; s < g->n_slots; s++) {
        if (!w->cells[s].declared || w->cells[s].state == EBB_CELL_HERE) continue;
        if (pend(w, g->slots[s].producer)) w->stack[top++] = g->slots[s].producer;
    }
    while (top) {
        const ebb_node *n = &g->nodes[w->stack[--top]];
        for (int i = 0; i < n->n_in; i++) {
            ebb_cell *c = &w->cells[n->in[i]];
            if (!n->shape_only[i]) c->reads++;
            const int p = g->slots[n->in[i]].producer;
            if (c->state != EBB_CELL_HERE && pend(w, p)) w->stack[top++] = p;
        }
    }
}

static void begin_everything(ebb_walk *w)
{
    const ebb_graph *g = &w->net->g;
    for (int n = 0; n < g->n_nodes; n++) pend(w, n);
    for (int s = 0; s < g->n_slots; s++) {
        w->cells[s].reads += g->slots[s].data_readers;
        if (g->slots[s].n_readers == 0) ebb_walk_pin(w, s);
    }
}

// Sets the scope, and what is pinned in it.
static void begin(ebb_walk *w)
{
    w->begun = true;
    if (w->any_declared)
        begin_declared(w);
    else
        begin_everything(w);
    for (int s = 0; s < w->net->g.n_slots; s++) {
        ebb_cell *c = &w->cells[s];
        if (c->keep || w->keep_all || c->input == EBB_COPIED || c->input == EBB_BORROWED) ebb_walk_pin(w, s);
        c->reads += c->declared;
    }
}

static void release_unread(ebb_walk *w)
{
    for (int s = 0; s < w->net->g.n_slots; s++)
        if (w->cells[s].state == EBB_CELL_HERE && w->cells[s].reads == 0)
            ebb_walk_release(w, -1, s, "unread");
}

static bool missing(const ebb_walk *w, const ebb_node *n, int i)
{
    const ebb_cell *c = &w->cells[n->in[i]];
    return n->shape_only[i] ? c->state == EBB_CELL_NEVER : c->state != EBB_CELL_HERE;
}

static ebb_status explain(const ebb_walk *w, int wanted, int input, ebb_error *e)
{
    const ebb_slot *s = &w->net->g.slots[input];
    if (w->cells[input].state == EBB_CELL_NEVER)
        return ebb_fail(e, EBB_E_STATE,
                        "input '%s' was not set: copy, borrow or give it before extracting '%s'", s->name,
                        w->net->g.slots[wanted].name);
    return ebb_fail(e, EBB_E_STATE,
                    "making '%s' needs input '%s', which was given and is gone: declare the outputs that you "
                    "want, keep '%s', or borrow the input",
                    w->net->g.slots[wanted].name, s->name, w->net->g.slots[wanted].name);
}

static ebb_status only_expected(const ebb_walk *w, int slot, ebb_error *e)
{
    if (w->dry || !w->cells[slot].blob.mem->ghost) return EBB_OK;
    return ebb_fail(e, EBB_E_STATE, "input '%s' was only expected: give its data before extracting",
                    w->net->g.slots[slot].name);
}

// Depth first, inputs in order: w->order gets the layers in the order in which a recursive pull would run
// them. *open of them are left on w->stack after a failure.
static ebb_status search(ebb_walk *w, int slot, int *open, ebb_error *e)
{
    const ebb_graph *g = &w->net->g;
    int top = 0;
    w->stack[top] = g->slots[slot].producer, w->next[top++] = 0;
    w->node[w->stack[0]] |= EBB_VISITED;
    while (top) {
        const int at = w->stack[top - 1];
        *open = top;
        const ebb_node *n = &g->nodes[at];
        if (n->type->flags & EBB_LAYER_INPUT)
            return explain(w, slot, top > 1 ? g->nodes[w->stack[top - 2]].in[w->next[top - 2] - 1] : slot, e);
        if (w->next[top - 1] == n->n_in) {
            w->order[w->n_order++] = at;
            top--;
            continue;
        }
        const int i = w->next[top - 1]++;
        if (!missing(w, n, i)) {
            if (!n->shape_only[i]) EBB_TRY(only_expected(w, n->in[i], e));
            continue;
        }
        const int p = g->slots[n->in[i]].producer;
        if (w->node[p] & EBB_VISITED) continue;
        w->node[p] |= EBB_VISITED;
        w->stack[top] = p, w->next[top++] = 0;
    }
    *open = 0;
    return EBB_OK;
}

static void clear_visits(ebb_walk *w, const int *nodes, int n)
{
    for (int i = 0; i < n; i++) w->node[nodes[i]] &= (unsigned char)~EBB_VISITED;
}

static ebb_status find_order(ebb_walk *w, int slot, ebb_error *e)
{
    w->n_order = 0;
    if (w->cells[slot].state == EBB_CELL_HERE) return only_expected(w, slot, e);
    int open = 0;
    const ebb_status s = search(w, slot, &open, e);
    clear_visits(w, w->order, w->n_order);
    clear_visits(w, w->stack, open);
    if (s != EBB_OK) w->n_order = 0;
    return s;
}

static void count_reads(ebb_walk *w)
{
    for (int k = 0; k < w->n_order; k++) {
        const int at = w->order[k];
        if (!pend(w, at)) continue;
        const ebb_node *n = &w->net->g.nodes[at];
        for (int i = 0; i < n->n_in; i++)
            if (!n->shape_only[i]) w->cells[n->in[i]].reads++;
    }
}

ebb_status ebb_demand(ebb_walk *w, int slot, ebb_error *e)
{
    EBB_TRY(find_order(w, slot, e));
    const bool first = !w->begun;
    if (first) begin(w);
    count_reads(w);
    if (first) release_unread(w);
    return EBB_OK;
}
