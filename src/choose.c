// SPDX-License-Identifier: BSD-3-Clause
// choose.c - which Slice and Crop views are copied out. A view of a part keeps the whole alive; where that
// raises the peak, the part is copied and the whole can go. Rule: a copy is chosen only when a dry walk got
// lower by it.
#include "walk.h"

enum { MAX_CANDIDATES = 32, MAX_WALKS = 96 };
// A walk costs what the net has of layers and blobs; in very large nets fewer are tried.
enum { LEAST_WALKS = 8, MAX_WORK = 1 << 20 };

// Lowered in this order: nothing is gained by smaller blobs where scratch on top of others is what counts.
enum { JOINT, BLOBS, GOALS };

typedef struct search {
    ebb_ledger best;  // of the present choice
    int walks;        // that may still be made
    ebb_walk dry;     // the walk that looks for candidates
    int goal;
    bool looked;
    int node[MAX_CANDIDATES];  // whose views hold more than they show, at the peak
    int n;
} search;

static void add_candidate(search *s, int node)
{
    for (int i = 0; i < s->n; i++)
        if (s->node[i] == node) return;
    if (s->n < MAX_CANDIDATES) s->node[s->n++] = node;
}

// Adds up for each storage what all blobs in it show, once in a walk: views of the same part count twice.
static void sum_shown(const ebb_walk *w)
{
    const ebb_cell *end = w->cells + w->net->g.n_slots;
    for (const ebb_cell *c = w->cells; c < end; c++)
        if (c->blob.mem && c->blob.mem->ghost)
            c->blob.mem->shown = ebb_size_add(c->blob.mem->shown, ebb_desc_bytes(&c->blob.desc));
}

static void find_candidates(search *s)
{
    const ebb_walk *w = &s->dry;
    sum_shown(w);
    for (int i = 0; i < w->net->g.n_slots; i++) {
        const ebb_blob *b = &w->cells[i].blob;
        const int p = w->net->g.slots[i].producer;
        if (!b->mem || !b->mem->ghost || !(w->net->g.nodes[p].type->flags & EBB_LAYER_VIEW)) continue;
        if (ebb_desc_bytes(&b->desc) < b->mem->bytes && b->mem->shown < b->mem->bytes) add_candidate(s, p);
    }
}

// How high the peak is was found by an earlier walk: this is the moment.
static void on_event(void *user, const ebb_event *ev)
{
    search *s = user;
    const ebb_ledger *l = &s->dry.ledger;
    const bool there =
        s->goal == JOINT ? l->live + l->scratch_live == s->best.joint_peak : l->live == s->best.peak;
    (void)ev;
    if (!there || s->looked) return;
    s->looked = true;
    if (l->parts) find_candidates(s);
}

static ebb_status look(search *s, const ebb_walk *w, const ebb_request *q, ebb_error *e)
{
    s->looked = false;
    s->n = 0;
    if (!s->best.parts) return EBB_OK;
    return ebb_dry_walk(&s->dry, w, q, SIZE_MAX, (ebb_observer){on_event, s}, e);
}

static bool lower(const ebb_ledger *a, const ebb_ledger *b)
{
    return a->joint_peak < b->joint_peak || (a->joint_peak == b->joint_peak && a->peak < b->peak);
}

// Copies what node makes, if that takes less.
static ebb_status attempt(search *s, ebb_walk *w, const ebb_request *q, int node, bool *better, ebb_error *e)
{
    ebb_walk dry;
    w->node[node] |= EBB_COPY_OUT;
    s->walks--;
    const ebb_status st = ebb_dry_walk(&dry, w, q, SIZE_MAX, (ebb_observer){0}, e);
    *better = st == EBB_OK && lower(&dry.ledger, &s->best);
    if (*better)
        s->best = dry.ledger;
    else
        w->node[node] &= (unsigned char)~EBB_COPY_OUT;
    return st == EBB_E_NOMEM ? st : EBB_OK;
}

static ebb_status improve(search *s, ebb_walk *w, const ebb_request *q, ebb_error *e)
{
    EBB_TRY(look(s, w, q, e));
    for (int i = 0; i < s->n && s->walks > 0; i++) {
        bool better;
        if (w->node[s->node[i]] & EBB_COPY_OUT) continue;
        EBB_TRY(attempt(s, w, q, s->node[i], &better, e));
        if (!better) continue;
        EBB_TRY(look(s, w, q, e));
        i = -1;  // the peak is elsewhere now
    }
    return EBB_OK;
}

static int affordable(const ebb_graph *g)
{
    const int walks = MAX_WORK / (g->n_nodes / 2 + g->n_slots / 2 + 1) / 2;
    return walks < LEAST_WALKS ? LEAST_WALKS : walks < MAX_WALKS ? walks : MAX_WALKS;
}

ebb_status ebb_choose_copies(ebb_walk *w, const ebb_request *q, ebb_ledger *l, ebb_error *e)
{
    search s = {.walks = affordable(&w->net->g)};
    for (int i = 0; i < w->net->g.n_nodes; i++) w->node[i] &= (unsigned char)~EBB_COPY_OUT;
    ebb_status st = ebb_dry_walk(&s.dry, w, q, SIZE_MAX, (ebb_observer){0}, e);
    s.best = s.dry.ledger;
    for (s.goal = JOINT; s.goal < GOALS && st == EBB_OK; s.goal++) st = improve(&s, w, q, e);
    *l = s.best;
    return st;
}
