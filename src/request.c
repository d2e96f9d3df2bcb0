// SPDX-License-Identifier: BSD-3-Clause
// request.c - a caller's request in a walk: declare, pull, hand out. Rule: the caller is one more reader, and a
// request that cannot be met leaves the counts as they were.
#include "walk.h"

ebb_status ebb_request_declare(ebb_walk *w, const int *slots, int n, ebb_error *e)
{
    if (w->begun)
        return ebb_fail(e, EBB_E_STATE,
                        "outputs are declared before the first extract: reset the extractor first");
    for (int i = 0; i < n; i++) w->cells[slots[i]].declared++;
    w->any_declared |= n > 0;
    return EBB_OK;
}

// Pulls the blob for the caller, who is one more reader.
static ebb_status request(ebb_walk *w, int slot, ebb_error *e)
{
    ebb_cell *c = &w->cells[slot];
    const bool was_pinned = c->pinned;
    if (!c->declared) ebb_walk_pin(w, slot);
    const ebb_status s = ebb_pull(w, slot, e);
    if (s != EBB_OK && !w->broken && !c->declared && !was_pinned) {  // nothing ran: as if nobody had asked
        c->pinned = false;
        c->reads--;
    }
    return s;
}

// Hands the blob out (out == NULL in a dry walk: only counts), then counts a declared blob's read.
static ebb_status take(ebb_walk *w, int slot, const ebb_request *q, ebb_blob **out, ebb_error *e)
{
    ebb_cell *c = &w->cells[slot];
    const unsigned numbers = EBB_BIT(EBB_F32) | EBB_BIT(EBB_I8) | EBB_BIT(EBB_I32);
    const bool as_is = q->how == EBB_TAKE_AS_IS;
    const ebb_want want = {.orders = as_is ? EBB_ANY_ORDER : EBB_PLANAR, .dtypes = as_is ? ~0u : numbers,
                           .dense = !as_is, .kept = !q->inside, .on = EBB_ON_HOST};
    ebb_blob b;
    bool copied;
    EBB_TRY(ebb_fit(w, -1, slot, &want, &b, &copied, e));
    if (w->dry && b.mem->ghost) b.mem->writable = false;  // by then the caller has a handle on it
    ebb_status s = EBB_OK;
    if (out && !(*out = ebb_blob_handle(w->heap, &b.desc, b.mem, b.offset)))
        s = ebb_fail(e, EBB_E_NOMEM, "no memory for a handle on blob '%s'", w->net->g.slots[slot].name);
    if (copied) {
        const size_t bytes = ebb_walk_let_go(w, &b);
        EBB_EMIT(w, .kind = EBB_EV_RELEASE, .layer = -1, .blob = slot, .other = -1, .desc = &b.desc,
                 .bytes = bytes, .why = "the caller's");
    }
    if (s == EBB_OK && c->declared) {
        c->declared--;
        ebb_walk_read(w, -1, slot);
    }
    return s;
}

ebb_status ebb_request_all(ebb_walk *w, const ebb_request *q, ebb_blob **out, ebb_error *e)
{
    const bool declares = !w->begun && !w->any_declared && q->n > 1;
    ebb_status s = declares ? ebb_request_declare(w, q->slots, q->n, e) : EBB_OK;
    for (int i = 0; i < q->n && s == EBB_OK; i++) {
        s = request(w, q->slots[i], e);
        if (s == EBB_OK) s = take(w, q->slots[i], q, out ? &out[i] : NULL, e);
    }
    if (s == EBB_OK || !declares || w->begun) return s;
    for (int i = 0; i < q->n; i++) w->cells[q->slots[i]].declared--;
    w->any_declared = false;
    return s;
}
