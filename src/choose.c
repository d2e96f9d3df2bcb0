// SPDX-License-Identifier: BSD-3-Clause
// choose.c - which Slice and Crop views are copied out. A view of a part keeps the whole alive; where that raises
// the peak, the part is copied and the whole can go. Rule: a copy is chosen only when a dry walk got lower by it.
#include "walk.h"

enum { MAX_CANDIDATES = 32, MAX_WALKS = 96 };

typedef struct search {
    ebb_walk *dry;
    size_t peak;
    int node[MAX_CANDIDATES];  // whose views hold more than they show, at the peak
    int n;
} search;

static void add_candidate(search *s, int node)
{
    for (int i = 0; i < s->n; i++)
        if (s->node[i] == node) return;
    if (s->n < MAX_CANDIDATES) s->node[s->n++] = node;
}

// Bytes that all blobs on this storage show, at most its own: views of the same part count twice.
static size_t shown(const ebb_walk *w, const ebb_storage *m)
{
    size_t bytes = 0;
    for (int i = 0; i < w->net->g.n_slots; i++)
        if (w->cells[i].blob.mem == m) bytes = ebb_size_add(bytes, ebb_desc_bytes(&w->cells[i].blob.desc));
    return bytes;
}

static void find_candidates(search *s)
{
    const ebb_walk *w = s->dry;
    s->n = 0;
    for (int i = 0; i < w->net->g.n_slots; i++) {
        const ebb_blob *b = &w->cells[i].blob;
        const int p = w->net->g.slots[i].producer;
        if (!b->mem || !b->mem->counted || !(w->net->g.nodes[p].type->flags & EBB_LAYER_VIEW)) continue;
        if (ebb_desc_bytes(&b->desc) < b->mem->bytes && shown(w, b->mem) < b->mem->bytes) add_candidate(s, p);
    }
}

static void on_event(void *user, const ebb_event *ev)
{
    search *s = user;
    if (ev->live <= s->peak) return;
    s->peak = ev->live;
    if (s->dry->parts) find_candidates(s);
    else s->n = 0;
}

static ebb_status dry_peak(const ebb_walk *w, const ebb_request *q, search *s, ebb_error *e)
{
    ebb_walk dry;
    EBB_TRY(ebb_walk_copy_dry(&dry, w, e));
    *s = (search){.dry = &dry, .peak = dry.ledger.live};
    dry.observer = (ebb_observer){on_event, s};
    const ebb_request as_is = {.slots = q->slots, .n = q->n, .how = EBB_TAKE_AS_IS};
    const ebb_status st = ebb_request_all(&dry, &as_is, NULL, e);
    dry.observer = (ebb_observer){0};
    ebb_walk_free(&dry);
    return st;
}

static uint64_t mix(uint64_t h, const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)p)[i]) * 0x100000001b3u;  // FNV-1a
    return h;
}

// What the choice depends on: the inputs' shapes and how they are held, and what is asked for.
static uint64_t question(const ebb_walk *w, const ebb_request *q)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < w->net->g.n_slots; i++) {
        const ebb_cell *c = &w->cells[i];
        if (c->state != EBB_CELL_HERE && !c->declared && !c->keep) continue;
        h = mix(h, &i, sizeof i);
        h = mix(h, &c->input, 1);
        h = mix(h, (const int[]){c->declared, c->keep}, 2 * sizeof(int));
        if (c->state == EBB_CELL_HERE) h = mix(h, &c->blob.desc, sizeof c->blob.desc);
    }
    return mix(h, q->slots, (size_t)q->n * sizeof *q->slots) | 1;  // fits: that memory exists
}

ebb_status ebb_choose_copies(ebb_walk *w, const ebb_request *q, ebb_error *e)
{
    if (w->begun || w->keep_all) return EBB_OK;
    const uint64_t asked = question(w, q);
    if (asked == w->chosen) return EBB_OK;
    for (int i = 0; i < w->net->g.n_nodes; i++) w->node[i] &= (unsigned char)~EBB_COPY_OUT;
    w->chosen = 0;
    search best, tried;
    ebb_error why;
    ebb_status s = dry_peak(w, q, &best, &why);
    if (s == EBB_E_NOMEM) return ebb_fail(e, s, "%s", why.msg);
    if (s != EBB_OK) return EBB_OK;  // the real walk will explain it
    int walks = 1;
    for (int i = 0; i < best.n && walks < MAX_WALKS; i++, walks++) {
        const int node = best.node[i];
        if (w->node[node] & EBB_COPY_OUT) continue;
        w->node[node] |= EBB_COPY_OUT;
        s = dry_peak(w, q, &tried, &why);
        if (s == EBB_E_NOMEM) return ebb_fail(e, s, "%s", why.msg);
        if (s == EBB_OK && tried.peak < best.peak) {
            best = tried;
            i = -1;  // the peak is elsewhere now
        } else {
            w->node[node] &= (unsigned char)~EBB_COPY_OUT;
        }
    }
    w->chosen = asked;
    return EBB_OK;
}
