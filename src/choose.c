// SPDX-License-Identifier: BSD-3-Clause
// choose.c - which Slice and Crop views are copied out. A view of a part keeps the whole alive; where that
// raises the peak, the part is copied and the whole can go. Rule: a copy is chosen only when a dry walk got
// lower by it.
#include "walk.h"

enum { MAX_CANDIDATES = 32, MAX_WALKS = 96 };

// Lowered in this order: nothing is gained by smaller blobs where scratch on top of others is what counts.
enum { JOINT, BLOBS, GOALS };

typedef struct search {
    ebb_walk dry;
    int goal;
    size_t most;               // bytes of the goal so far
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
    const ebb_walk *w = &s->dry;
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
    const ebb_ledger *l = &s->dry.ledger;
    const size_t now = s->goal == JOINT ? l->live + l->scratch_live : l->live;
    (void)ev;
    if (now <= s->most) return;
    s->most = now;
    if (l->parts) find_candidates(s);
    else s->n = 0;
}

static ebb_status attempt(const ebb_walk *w, const ebb_request *q, int goal, search *s, ebb_error *e)
{
    *s = (search){.goal = goal};
    return ebb_dry_walk(&s->dry, w, q, SIZE_MAX, (ebb_observer){on_event, s}, e);
}

static bool lower(const ebb_ledger *a, const ebb_ledger *b)
{
    return a->joint_peak < b->joint_peak || (a->joint_peak == b->joint_peak && a->peak < b->peak);
}

static ebb_status improve(ebb_walk *w, const ebb_request *q, int goal, search *best, int *walks, ebb_error *e)
{
    search tried;
    EBB_TRY(attempt(w, q, goal, best, e));
    for (int i = 0; i < best->n && *walks < MAX_WALKS; i++, ++*walks) {
        const int node = best->node[i];
        if (w->node[node] & EBB_COPY_OUT) continue;
        w->node[node] |= EBB_COPY_OUT;
        const ebb_status s = attempt(w, q, goal, &tried, e);
        if (s == EBB_E_NOMEM) return s;
        if (s == EBB_OK && lower(&tried.dry.ledger, &best->dry.ledger)) {
            *best = tried;
            i = -1;  // the peak is elsewhere now
        } else {
            w->node[node] &= (unsigned char)~EBB_COPY_OUT;
        }
    }
    return EBB_OK;
}

ebb_status ebb_choose_copies(ebb_walk *w, const ebb_request *q, ebb_ledger *l, ebb_error *e)
{
    search best;
    ebb_status s = EBB_OK;
    int walks = 0;
    for (int i = 0; i < w->net->g.n_nodes; i++) w->node[i] &= (unsigned char)~EBB_COPY_OUT;
    for (int goal = JOINT; goal < GOALS && s == EBB_OK; goal++) {
        s = improve(w, q, goal, &best, &walks, e);
        *l = best.dry.ledger;
        if (!l->parts) break;
    }
    return s;
}
