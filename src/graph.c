// SPDX-License-Identifier: BSD-3-Clause
// graph.c - a draft becomes nodes, slots and readers. Rule: a graph that is built has a producer for each
// blob and no cycle.
#include "graph.h"
#include "draft.h"
#include "error.h"
#include "nearest.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct builder {
    ebb_graph *g;
    ebb_draft *d;
} builder;

static ebb_status nomem(const builder *b, ebb_error *e) { return ebb_draft_nomem(b->d, e); }

static void *get(const builder *b, size_t n, size_t each)
{
    return ebb_arena_get(b->d->keep, ebb_size_mul(n, each));
}

// ------------------------------------------------------------------------------------------- wiring

static ebb_status count_error(const char *what, int n, int min, int max, ebb_error *e)
{
    const char *s = n == 1 ? "" : "s";
    if (max < 0) return ebb_fail(e, EBB_E_FORMAT, "it has %d %s%s, but takes %d or more", n, what, s, min);
    if (min == max) return ebb_fail(e, EBB_E_FORMAT, "it has %d %s%s, but takes %d", n, what, s, min);
    return ebb_fail(e, EBB_E_FORMAT, "it has %d %s%s, but takes %d to %d", n, what, s, min, max);
}

static ebb_status check_counts(const ebb_draft_layer *l, ebb_error *e)
{
    const ebb_layer_type *t = l->type;
    if (l->n_in < t->in_min || (t->in_max >= 0 && l->n_in > t->in_max))
        return count_error("input", l->n_in, t->in_min, t->in_max, e);
    if (l->n_out < t->out_min || (t->out_max >= 0 && l->n_out > t->out_max))
        return count_error("output", l->n_out, t->out_min, t->out_max, e);
    return EBB_OK;
}

static ebb_status make_node(const builder *b, const ebb_draft_layer *l, ebb_node *n, ebb_error *e)
{
    const ebb_status s = check_counts(l, e);
    if (s != EBB_OK) return ebb_draft_place(b->d, l, l->at, s, e);
    *n = (ebb_node){.name = l->name, .type = l->type, .n_in = l->n_in, .n_out = l->n_out};
    int *blobs = get(b, (size_t)n->n_in + (size_t)n->n_out, sizeof *blobs);
    if (!blobs) return nomem(b, e);
    for (int i = 0; i < n->n_in + n->n_out; i++) blobs[i] = l->blobs[i].blob;
    n->in = blobs;
    n->out = blobs + n->n_in;
    if (n->n_in > b->g->max_in) b->g->max_in = n->n_in;
    if (n->n_out > b->g->max_out) b->g->max_out = n->n_out;
    if (n->type->work_size > b->g->max_work) b->g->max_work = n->type->work_size;
    return EBB_OK;
}

static ebb_status set_producers(const builder *b, int layer, ebb_error *e)
{
    const ebb_draft_layer *l = &b->d->layers[layer];
    for (int port = 0; port < l->n_out; port++) {
        const ebb_word *w = &l->blobs[l->n_in + port];
        ebb_slot *slot = &b->g->slots[w->blob];
        if (slot->producer >= 0)
            return ebb_draft_place(b->d, l, w->at,
                                   ebb_fail(e, EBB_E_FORMAT,
                                            "the blob '%.64s' is already an output of layer '%.64s'",
                                            slot->name, b->g->nodes[slot->producer].name),
                                   e);
        slot->producer = layer;
        slot->port = port;
    }
    return EBB_OK;
}

static ebb_status no_producer(const builder *b, const ebb_draft_layer *l, const ebb_word *w, ebb_error *e)
{
    const char *name = b->g->slots[w->blob].name;
    ebb_nearest near = ebb_nearest_to(name);
    for (int i = 0; i < b->g->n_slots && !b->d->binary; i++)
        if (b->g->slots[i].producer >= 0) ebb_nearest_offer(&near, b->g->slots[i].name);
    ebb_status s = ebb_fail(e, EBB_E_FORMAT, "no layer makes the blob '%.64s' that it reads", name);
    if (near.name)
        s = ebb_fail(e, EBB_E_FORMAT, "no layer makes the blob '%.64s' that it reads; the nearest is '%.64s'",
                     name, near.name);
    return ebb_draft_place(b->d, l, w->at, s, e);
}

static ebb_status check_producers(const builder *b, ebb_error *e)
{
    for (const ebb_draft_layer *l = b->d->layers; l < b->d->layers + b->d->n_layers; l++)
        for (int i = 0; i < l->n_in; i++)
            if (b->g->slots[l->blobs[i].blob].producer < 0) return no_producer(b, l, &l->blobs[i], e);
    for (int i = 0; i < b->g->n_slots; i++)
        if (b->g->slots[i].producer < 0)
            return ebb_draft_place(b->d, NULL, NULL,
                                   ebb_fail(e, EBB_E_FORMAT, "no layer makes or reads the blob #%d", i), e);
    return EBB_OK;
}

static ebb_status wire(const builder *b, ebb_error *e)
{
    ebb_graph *g = b->g;
    g->nodes = get(b, (size_t)b->d->n_layers, sizeof *g->nodes);
    g->slots = get(b, (size_t)b->d->n_blobs, sizeof *g->slots);
    if (!g->nodes || !g->slots) return nomem(b, e);
    g->n_slots = b->d->n_blobs;
    g->by_name = b->d->by_name;
    g->n_named = g->by_name ? g->n_slots : 0;
    for (int i = 0; i < g->n_slots; i++) g->slots[i] = (ebb_slot){.name = b->d->names[i], .producer = -1};
    for (; g->n_nodes < b->d->n_layers; g->n_nodes++) {
        EBB_TRY(make_node(b, &b->d->layers[g->n_nodes], &g->nodes[g->n_nodes], e));
        EBB_TRY(set_producers(b, g->n_nodes, e));
    }
    return check_producers(b, e);
}

static ebb_status list_readers(const builder *b, ebb_error *e)
{
    ebb_graph *g = b->g;
    size_t all = 0;
    for (const ebb_node *n = g->nodes; n < g->nodes + g->n_nodes; n++) {
        all += (size_t)n->n_in;
        for (int i = 0; i < n->n_in; i++) g->slots[n->in[i]].n_readers++;
    }
    int *readers = get(b, all, sizeof *readers);
    if (!readers) return nomem(b, e);
    for (ebb_slot *s = g->slots; s < g->slots + g->n_slots; s++) {
        s->readers = readers;
        readers += s->n_readers;
        s->n_readers = 0;
    }
    for (int i = 0; i < g->n_nodes; i++)
        for (int k = 0; k < g->nodes[i].n_in; k++) {
            ebb_slot *s = &g->slots[g->nodes[i].in[k]];
            ((int *)s->readers)[s->n_readers++] = i;
        }
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- cycles

static bool in_file_order(const ebb_graph *g)
{
    for (int i = 0; i < g->n_nodes; i++)
        for (int k = 0; k < g->nodes[i].n_in; k++)
            if (g->slots[g->nodes[i].in[k]].producer >= i) return false;
    return true;
}

// The first layer that this one waits for.
static int waits_for(const ebb_graph *g, const int *waits, int at)
{
    const ebb_node *n = &g->nodes[at];
    int k = 0;
    while (!waits[g->slots[n->in[k]].producer]) k++;
    return g->slots[n->in[k]].producer;
}

// Every layer that waits for an input waits, in the end, for a layer of a cycle. Follow the waiting until a
// layer comes for the second time: those seen have their count negated.
static ebb_status name_cycle(const builder *b, int *waits, ebb_error *e)
{
    const ebb_graph *g = b->g;
    char text[300] = "";
    size_t used = 0;
    int first = 0;
    while (!waits[first]) first++;
    for (; waits[first] > 0; first = waits_for(g, waits, first)) waits[first] = -waits[first];
    int at = first;
    do {
        if (used < sizeof text - 80)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "'%.64s' reads from ", g->nodes[at].name);
        at = waits_for(g, waits, at);
    } while (at != first);
    const ebb_draft_layer *l = &b->d->layers[first];
    const ebb_status s =
        ebb_fail(e, EBB_E_FORMAT, "the layers form a cycle: %s'%.64s'", text, g->nodes[first].name);
    return ebb_draft_place(b->d, NULL, l->at, s, e);
}

// Takes away layer after layer that waits for nothing; what is left waits for a cycle.
static ebb_status check_cycles(const builder *b, ebb_error *e)
{
    const ebb_graph *g = b->g;
    if (in_file_order(g)) return EBB_OK;
    int *waits = ebb_arena_get(&b->d->arena, ebb_size_mul((size_t)g->n_nodes, 2 * sizeof *waits));
    if (!waits) return nomem(b, e);
    int *ready = waits + g->n_nodes, n_ready = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        waits[i] = g->nodes[i].n_in;
        if (!waits[i]) ready[n_ready++] = i;
    }
    for (int done = 0; done < n_ready; done++) {
        const ebb_node *n = &g->nodes[ready[done]];
        for (int k = 0; k < n->n_out; k++) {
            const ebb_slot *s = &g->slots[n->out[k]];
            for (int r = 0; r < s->n_readers; r++)
                if (--waits[s->readers[r]] == 0) ready[n_ready++] = s->readers[r];
        }
    }
    return n_ready == g->n_nodes ? EBB_OK : name_cycle(b, waits, e);
}

// ------------------------------------------------------------------------------------------- parameters

static void check_hint(ebb_desc *d)
{
    for (int i = 0; i < d->rank; i++)
        if (d->dim[i] <= 0) d->rank = 0;
    if (ebb_desc_bytes(d) == SIZE_MAX) d->rank = 0;
    ebb_desc_planar_strides(d);
}

// Outermost first, as everywhere; rank 0 when the cells make no sense, since hints may lie.
static ebb_desc hint(const int *v, int step)
{
    const int rank = v[0];
    ebb_desc d = {.dtype = EBB_F32};
    if (rank < 1 || rank > 4 || rank > step - 1) return d;
    const int c = v[step - 1], w = v[1], h = v[2], depth = step == 5 ? v[3] : 1;
    const int sizes[5][4] = {{0}, {w}, {h, w}, {c, h, w}, {c, depth, h, w}};
    d.rank = rank;
    for (int i = 0; i < rank; i++) d.dim[i] = sizes[rank][i];
    check_hint(&d);
    return d;
}

static ebb_status read_hints(const builder *b, const ebb_draft_layer *l, ebb_node *n, ebb_error *e)
{
    ebb_ints v;
    EBB_TRY(ebb_draft_ints(b->d, l, EBB_ID_HINTS, &v, e));
    const int step = n->n_out ? v.n / n->n_out : 0;
    const bool fits = n->n_out && v.n % n->n_out == 0 && (step == 4 || step == 5);
    if (v.n && !fits)
        ebb_draft_warn(b->d, l,
                       "its shape hints have %d numbers, not 4 or 5 for each output; they are ignored", v.n);
    if (!(v.n && fits) && !(n->type->flags & EBB_LAYER_INPUT)) return EBB_OK;
    ebb_desc *hints = get(b, (size_t)n->n_out, sizeof *hints);
    if (!hints) return nomem(b, e);
    for (int i = 0; i < n->n_out && v.n && fits; i++) hints[i] = hint(v.v + i * step, step);
    n->hints = hints;
    return EBB_OK;
}

// The sizes among an Input's own parameters come before parameter 30.
static void hint_by_shape(ebb_node *n)
{
    if (!(n->type->flags & EBB_LAYER_INPUT) || !n->type->shape || n->n_out != 1) return;
    ebb_desc d = {.dtype = EBB_F32};
    const ebb_shape_in in = {.n_out = 1};
    if (n->type->shape(n->state, &in, &d, NULL) != EBB_OK) return;
    check_hint(&d);
    if (d.rank) *(ebb_desc *)n->hints = d;
}

static ebb_status read_features(const builder *b, const ebb_draft_layer *l, ebb_node *n, ebb_error *e)
{
    ebb_ints v;
    EBB_TRY(ebb_draft_ints(b->d, l, EBB_ID_FEATURES, &v, e));
    n->features = v.n ? (unsigned)v.v[0] : 0;
    return EBB_OK;
}

void *ebb_init_alloc(const ebb_init *in, size_t bytes)
{
    return ebb_arena_get(in->ctx, bytes);
}

static ebb_status init_node(const builder *b, const ebb_draft_layer *l, ebb_node *n, ebb_error *e)
{
    n->state = ebb_arena_get(b->d->keep, n->type->state_size);
    if (!n->state) return nomem(b, e);
    EBB_TRY(ebb_draft_fill(b->d, l, n->state, e));
    EBB_TRY(read_features(b, l, n, e));
    EBB_TRY(read_hints(b, l, n, e));
    const ebb_init in = {.n_in = n->n_in, .n_out = n->n_out, .ctx = b->d->keep};
    if (n->type->init) {
        const ebb_status s = n->type->init(n->state, &in, e);
        if (s != EBB_OK) return ebb_draft_place(b->d, l, l->at, s, e);
    }
    b->g->n_inited++;
    hint_by_shape(n);
    return EBB_OK;
}

static ebb_status count_data_readers(const builder *b, ebb_node *n, ebb_error *e)
{
    bool *shape_only = get(b, (size_t)n->n_in, sizeof *shape_only);
    if (!shape_only) return nomem(b, e);
    for (int i = 0; i < n->n_in; i++) {
        shape_only[i] = n->type->shape_only && n->type->shape_only(n->state, i);
        b->g->slots[n->in[i]].data_readers += !shape_only[i];
    }
    n->shape_only = shape_only;
    return EBB_OK;
}

ebb_status ebb_graph_build(ebb_graph *g, ebb_draft *d, ebb_error *e)
{
    const builder b = {g, d};
    EBB_TRY(wire(&b, e));
    EBB_TRY(list_readers(&b, e));
    EBB_TRY(check_cycles(&b, e));
    for (int i = 0; i < g->n_nodes; i++) {
        EBB_TRY(init_node(&b, &d->layers[i], &g->nodes[i], e));
        EBB_TRY(count_data_readers(&b, &g->nodes[i], e));
    }
    return EBB_OK;
}
