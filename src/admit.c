// SPDX-License-Identifier: BSD-3-Clause
// admit.c - whether a request is let in. Rule: what cannot be met is refused before anything runs or changes, and a
// request that was asked about before is not walked dry again.
#include "walk.h"

ebb_status ebb_admit_within(const ebb_walk *w, size_t joint_peak, int layer, ebb_error *e)
{
    if (joint_peak <= w->limit) return EBB_OK;
    if (layer < 0)
        return ebb_fail(
            e, EBB_E_LIMIT,
            "blobs and scratch would take %zu bytes at their peak, when the caller sets or takes a blob: "
            "that is over the memory limit of %zu bytes",
            joint_peak, w->limit);
    const ebb_node *n = &w->net->g.nodes[layer];
    return ebb_fail(
        e, EBB_E_LIMIT,
        "blobs and scratch would take %zu bytes at their peak, in layer %d '%s' (%s): that is over the "
        "memory limit of %zu bytes",
        joint_peak, layer, n->name, n->type->name, w->limit);
}

static uint64_t mix(uint64_t h, const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)p)[i]) * 0x100000001b3u;  // FNV-1a
    return h;
}

static uint64_t mix_cell(uint64_t h, int slot, const ebb_cell *c)
{
    const int counts[] = {slot, c->state, c->input, c->reads, c->pinned, c->keep, c->declared};
    h = mix(h, counts, sizeof counts);
    if (c->state == EBB_CELL_NEVER) return h;
    h = mix(h, &c->blob.desc, sizeof c->blob.desc);
    const ebb_storage *m = c->blob.mem;
    if (!m) return h;
    const size_t held[] = {m->bytes,         (size_t)c->blob.offset,
                           (size_t)m->holds, (size_t)ebb_storage_refs(m),
                           m->writable,      m->counted,
                           m->spare};
    return mix(h, held, sizeof held);
}

// All that a dry walk depends on: what is asked for, the blobs that are there or spoken for, and what has
// run.
static uint64_t question(const ebb_walk *w, const ebb_request *q)
{
    static const ebb_cell untouched;
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < w->net->g.n_slots; i++) {
        const ebb_cell *c = &w->cells[i];
        if (w->begun || c->state != untouched.state || c->declared || c->keep) h = mix_cell(h, i, c);
    }
    if (w->begun) h = mix(h, w->node, (size_t)w->net->g.n_nodes);
    h = mix(h, (const size_t[]){w->ledger.live, w->ledger.joint_peak, q->how, q->inside}, 4 * sizeof(size_t));
    return mix(h, q->slots, (size_t)q->n * sizeof *q->slots) | 1;  // fits: that memory exists
}

bool ebb_admit_chooses(const ebb_walk *w) { return !w->begun && !w->keep_all && w->views; }

// The first answer is without the limit, so that a limit of the predicted peak meets the same choice. Only
// where that is over it do layers have to do with less scratch.
static ebb_status answer(ebb_walk *w, const ebb_request *q, ebb_ledger *l, ebb_error *e)
{
    const ebb_observer nobody = {0};
    ebb_walk dry;
    ebb_status s;
    if (ebb_admit_chooses(w)) {
        s = ebb_choose_copies(w, q, l, e);
    } else {
        s = ebb_dry_walk(&dry, w, q, SIZE_MAX, nobody, e);
        *l = dry.ledger;
    }
    if (s != EBB_OK || l->joint_peak <= w->limit) return s;
    s = ebb_dry_walk(&dry, w, q, w->limit, nobody, e);
    *l = dry.ledger;
    return s;
}

ebb_status ebb_admit(ebb_walk *w, const ebb_request *q, ebb_error *e)
{
    const bool choice = ebb_admit_chooses(w);
    if (!choice && w->limit == SIZE_MAX) return EBB_OK;
    const uint64_t asked = question(w, q);
    for (int i = 0; i < EBB_VERDICTS; i++)
        if (w->verdict[i].question == asked && (!choice || w->chosen == asked))
            return ebb_admit_within(w, w->verdict[i].joint_peak, w->verdict[i].layer, e);
    ebb_ledger l;
    ebb_error why;
    if (choice) w->chosen = 0;
    const ebb_status s = answer(w, q, &l, &why);
    if (s == EBB_E_NOMEM || (s != EBB_OK && l.exact)) return ebb_fail(e, s, "%s", why.msg);
    if (s != EBB_OK) return EBB_OK;  // sizes that depend on data: the real walk will tell
    if (choice) w->chosen = asked;
    w->verdict[w->n_verdicts++ % EBB_VERDICTS] = (ebb_verdict){asked, l.joint_peak, l.peak_layer};
    return ebb_admit_within(w, l.joint_peak, l.peak_layer, e);
}
