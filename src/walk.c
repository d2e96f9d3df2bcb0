// SPDX-License-Identifier: BSD-3-Clause
// walk.c - cells, counts and live bytes of one walk. Rule: ebb_walk_release() is the only place that drops a blob.
#include "walk.h"
#include <string.h>

// ------------------------------------------------------------------------------------------- one layer

// One array of a run's; clears *all where there is no memory.
static void *part(ebb_arena *a, size_t n, size_t each, bool *all)
{
    void *p = ebb_arena_get(a, ebb_size_mul(n, each));
    *all &= p != NULL;
    return p;
}

static ebb_status run_new(ebb_walk *w, ebb_error *e)
{
    const size_t ins = (size_t)w->net->g.max_in, outs = (size_t)w->net->g.max_out;
    ebb_arena a = {.heap = w->heap};
    bool all = true;
    ebb_run *r = part(&a, 1, sizeof *r, &all);
    if (r) {
        r->in_desc = part(&a, ins, sizeof *r->in_desc, &all);
        r->out_desc = part(&a, outs, sizeof *r->out_desc, &all);
        r->plan_in = part(&a, ins, sizeof *r->plan_in, &all);
        r->plan_out = part(&a, outs, sizeof *r->plan_out, &all);
        r->view = part(&a, outs, sizeof *r->view, &all);
        r->wanted = part(&a, outs, sizeof *r->wanted, &all);
        r->copied = part(&a, ins, sizeof *r->copied, &all);
        r->in = part(&a, ins, sizeof *r->in, &all);
        r->spare = part(&a, outs, sizeof *r->spare, &all);
        r->in_ptr = part(&a, ins, sizeof *r->in_ptr, &all);
        r->out_ptr = part(&a, outs, sizeof *r->out_ptr, &all);
        r->work = part(&a, 1, w->net->g.max_work, &all);
        r->arena = a;
    }
    w->run = r;
    return all ? EBB_OK : ebb_fail(e, EBB_E_NOMEM, "no memory for the plan of one layer");
}

static void run_free(ebb_walk *w)
{
    if (!w->run) return;
    ebb_arena a = w->run->arena;
    ebb_arena_free(&a);
    w->run = NULL;
}

// ------------------------------------------------------------------------------------------- the whole

ebb_status ebb_walk_new(ebb_walk *w, const ebb_net *net, ebb_error *e)
{
    const size_t slots = (size_t)net->g.n_slots, nodes = (size_t)net->g.n_nodes;
    *w = (ebb_walk){.net = net, .heap = net->heap, .limit = SIZE_MAX, .threads = 1};
    ebb_ledger_open(&w->ledger);
    for (size_t n = 0; n < nodes && !w->views; n++) w->views = net->g.nodes[n].type->flags & EBB_LAYER_VIEW;
    w->cells = ebb_heap_zero(w->heap, EBB_MEM_META, slots, sizeof *w->cells);
    w->node = ebb_heap_zero(w->heap, EBB_MEM_META, nodes, 1);
    w->order = ebb_heap_zero(w->heap, EBB_MEM_META, nodes, sizeof(int));
    w->stack = ebb_heap_zero(w->heap, EBB_MEM_META, nodes, sizeof(int));
    w->next = ebb_heap_zero(w->heap, EBB_MEM_META, nodes, sizeof(int));
    if (w->cells && w->node && w->order && w->stack && w->next && run_new(w, e) == EBB_OK) return EBB_OK;
    ebb_walk_free(w);
    return ebb_fail(e, EBB_E_NOMEM, "no memory for the state of %zu blobs and %zu layers", slots, nodes);
}

void ebb_walk_free(ebb_walk *w)
{
    if (!w->net) return;
    const size_t slots = (size_t)w->net->g.n_slots, nodes = (size_t)w->net->g.n_nodes;
    if (w->cells && w->node) ebb_walk_reset(w);
    if (w->cmd) w->net->dev->cmd_free(w->cmd);
    run_free(w);
    ebb_heap_put(w->heap, EBB_MEM_META, w->cells, slots * sizeof *w->cells);
    ebb_heap_put(w->heap, EBB_MEM_META, w->node, nodes);
    ebb_heap_put(w->heap, EBB_MEM_META, w->order, nodes * sizeof(int));
    ebb_heap_put(w->heap, EBB_MEM_META, w->stack, nodes * sizeof(int));
    ebb_heap_put(w->heap, EBB_MEM_META, w->next, nodes * sizeof(int));
    *w = (ebb_walk){0};
}

void ebb_walk_reset(ebb_walk *w)
{
    for (int s = 0; s < w->net->g.n_slots; s++)
        if (w->cells[s].blob.mem) ebb_walk_release(w, -1, s, "reset");
    if (w->cmd) w->net->dev->cmd_reset(w->cmd);
    memset(w->cells, 0, (size_t)w->net->g.n_slots * sizeof *w->cells);
    for (int n = 0; n < w->net->g.n_nodes; n++) w->node[n] &= EBB_COPY_OUT;
    w->begun = w->any_declared = w->broken = false;
    atomic_store(&w->cancelled, false);
    ebb_ledger_open(&w->ledger);
    EBB_EMIT(w, .kind = EBB_EV_RESET, .layer = -1, .blob = -1, .other = -1);
}

ebb_status ebb_walk_check_limit(const ebb_walk *w, const char *what, size_t bytes, ebb_error *e)
{
    const size_t held = w->ledger.live + w->ledger.scratch_live;
    const size_t limit = w->dry ? SIZE_MAX : w->limit;  // a dry walk finds out how much it would be
    if (bytes <= ebb_ledger_room(&w->ledger, limit)) return EBB_OK;
    if (limit == SIZE_MAX)
        return ebb_fail(e, EBB_E_NOMEM, "%s of %zu bytes on top of %zu held is more than can be addressed",
                        what, bytes, held);
    return ebb_fail(e, EBB_E_LIMIT,
                    "%s of %zu bytes on top of %zu held is over the memory limit of %zu bytes", what, bytes,
                    held, w->limit);
}

ebb_status ebb_walk_storage(ebb_walk *w, size_t bytes, ebb_residence on, ebb_storage **m, ebb_error *e)
{
    EBB_TRY(ebb_walk_check_limit(w, "a blob", bytes, e));
    if (on == EBB_ON_DEVICE && !w->dry) {
        if (!w->cmd) EBB_TRY(w->net->dev->cmd_new(w->net->vk, &w->cmd, e));
        return w->net->dev->storage_new(w->cmd, w->heap, bytes, m, e);
    }
    *m = w->dry ? ebb_storage_ghost(w->heap, bytes, on) : ebb_storage_new(w->heap, bytes);
    return *m ? EBB_OK : ebb_fail(e, EBB_E_NOMEM, "no memory for a blob of %zu bytes", bytes);
}

void ebb_walk_hold(ebb_walk *w, ebb_blob *b, ebb_storage *m, ptrdiff_t offset)
{
    b->mem = m;
    b->offset = offset;
    ebb_holders_add(w, b);
    if (m->counted && m->holds++ == 0) ebb_ledger_take(&w->ledger, m->bytes);
}

size_t ebb_walk_let_go(ebb_walk *w, ebb_blob *b)
{
    ebb_storage *m = b->mem;
    if (!m) return 0;
    ebb_holders_remove(w, b);
    b->mem = NULL;
    const size_t bytes = m->counted && --m->holds == 0 ? m->bytes : 0;
    ebb_ledger_put(&w->ledger, bytes);
    ebb_storage_drop(m);
    return bytes;
}

void ebb_walk_pin(ebb_walk *w, int slot)
{
    ebb_cell *c = &w->cells[slot];
    if (c->pinned) return;
    c->pinned = true;
    c->reads++;
}

void ebb_walk_release(ebb_walk *w, int layer, int slot, const char *why)
{
    ebb_cell *c = &w->cells[slot];
    const ebb_storage *m = c->blob.mem;
    const size_t freed = ebb_walk_let_go(w, &c->blob);
    c->state = EBB_CELL_GONE;
    if (!w->observer.event) return;
    EBB_EMIT(w, .kind = EBB_EV_RELEASE, .layer = layer, .blob = slot,
             .other = freed || !m ? -1 : ebb_holders_next(w, m, -1), .desc = &c->blob.desc, .bytes = freed, .why = why);
}

void ebb_walk_read(ebb_walk *w, int layer, int slot)
{
    ebb_cell *c = &w->cells[slot];
    c->reads--;
    EBB_EMIT(w, .kind = EBB_EV_READ, .layer = layer, .blob = slot, .other = -1, .reads = c->reads,
             .desc = &c->blob.desc);
    if (c->reads == 0)
        ebb_walk_release(w, layer, slot, !c->blob.mem ? "stolen" : layer < 0 ? "the caller's" : "last read");
}

// The dry twin of a storage: the same bytes, and writable only where the caller holds no handle on it.
static ebb_storage *ghost_of(ebb_walk *dry, ebb_storage *m)
{
    if (!m->counted) return ebb_storage_hold(m);
    if (m->twin) return ebb_storage_hold(m->twin);
    m->twin = ebb_storage_ghost(dry->heap, m->bytes, m->on);
    if (m->twin) m->twin->writable = m->writable && ebb_storage_refs(m) == m->holds;
    if (m->twin) m->twin->spare = m->spare;
    return m->twin;
}

ebb_status ebb_walk_copy_dry(ebb_walk *dry, const ebb_walk *w, ebb_error *e)
{
    EBB_TRY(ebb_walk_new(dry, w->net, e));
    dry->dry = true;
    dry->begun = w->begun, dry->any_declared = w->any_declared, dry->keep_all = w->keep_all;
    dry->limit = w->limit, dry->threads = w->threads;
    memcpy(dry->node, w->node, (size_t)w->net->g.n_nodes);
    bool enough = true;
    for (int s = 0; s < w->net->g.n_slots; s++) {
        ebb_cell *c = &dry->cells[s];
        *c = w->cells[s];
        ebb_storage *m = c->blob.mem;
        c->blob.mem = NULL;
        c->low = c->high = 0;
        ebb_storage *ghost = m && enough ? ghost_of(dry, m) : NULL;
        if (ghost) ebb_walk_hold(dry, &c->blob, ghost, c->blob.offset);
        else if (m) enough = false;
    }
    for (int s = 0; s < w->net->g.n_slots; s++)
        if (w->cells[s].blob.mem && w->cells[s].blob.mem->counted) w->cells[s].blob.mem->twin = NULL;
    dry->ledger = w->ledger;
    if (enough) return EBB_OK;
    ebb_walk_free(dry);
    return ebb_fail(e, EBB_E_NOMEM, "no memory for a dry copy of %d blobs", w->net->g.n_slots);
}

ebb_status ebb_walk_scratch(ebb_walk *w, int layer, size_t bytes, void **p, ebb_error *e)
{
    *p = NULL;
    if (!bytes) return EBB_OK;
    EBB_TRY(ebb_walk_check_limit(w, "scratch", bytes, e));
    if (!w->dry && !(*p = ebb_heap_get(w->heap, EBB_MEM_SCRATCH, bytes)))
        return ebb_fail(e, EBB_E_NOMEM, "no memory for %zu bytes of scratch", bytes);
    ebb_ledger_take_scratch(&w->ledger, bytes);
    EBB_EMIT(w, .kind = EBB_EV_SCRATCH, .layer = layer, .blob = -1, .other = -1, .bytes = bytes);
    return EBB_OK;
}

void ebb_walk_unscratch(ebb_walk *w, int layer, void *p, size_t bytes)
{
    if (!bytes) return;
    ebb_heap_put(w->heap, EBB_MEM_SCRATCH, p, bytes);
    ebb_ledger_put_scratch(&w->ledger, bytes);
    EBB_EMIT(w, .kind = EBB_EV_UNSCRATCH, .layer = layer, .blob = -1, .other = -1, .bytes = bytes);
}

void ebb_walk_drop_temporaries(ebb_walk *w, int at)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_run *r = w->run;
    for (int i = 0; i < n->n_in; i++) {
        if (!r->copied[i]) continue;
        const size_t freed = ebb_walk_let_go(w, &r->in[i]);
        EBB_EMIT(w, .kind = EBB_EV_RELEASE, .layer = at, .blob = n->in[i], .other = -1,
                 .desc = &r->in[i].desc, .bytes = freed, .why = "one read");
        r->copied[i] = false;
    }
    for (int k = 0; k < n->n_out; k++) {
        if (!r->spare[k].mem) continue;
        const size_t freed = ebb_walk_let_go(w, &r->spare[k]);
        EBB_EMIT(w, .kind = EBB_EV_RELEASE, .layer = at, .blob = n->out[k], .other = -1,
                 .desc = &r->spare[k].desc, .bytes = freed, .why = "unread");
    }
}

// ------------------------------------------------------------------------------------------- watching

void ebb_walk_tell(ebb_walk *w, const ebb_event *ev)
{
    ebb_event out = *ev;
    out.live = w->ledger.live;
    out.peak = w->ledger.peak;
    if (!out.why) out.why = "";
    w->observer.event(w->observer.user, &out);
}

// Pending layers that ask something of a slot, once more from the graph.
static bool needs_are_right(const ebb_walk *w, int slot)
{
    const ebb_slot *s = &w->net->g.slots[slot];
    const int *needs = w->cells[slot].needs;
    int pending = 0;
    for (int i = 0; i < s->n_readers; i++)
        pending += (w->node[s->readers[i]] & EBB_PENDING) &&
                   !(w->net->g.nodes[s->readers[i]].type->flags & EBB_LAYER_VIEW);
    return needs[EBB_NEEDS_HOST] + needs[EBB_NEEDS_DEVICE] == pending &&
           needs[EBB_NEEDS_PIXEL] + needs[EBB_NEEDS_PLANAR] <= pending;
}

static const char *check_cell(const ebb_walk *w, int slot)
{
    const ebb_cell *c = &w->cells[slot];
    if (c->reads < 0) return "fewer reads are to come than none";
    if (!needs_are_right(w, slot)) return "layers ask for something that have run, or do not and will run";
    if (c->blob.mem && ebb_holders_next((ebb_walk *)w, c->blob.mem, slot - 1) != slot)
        return "a blob is not among those that hold its storage";
    if ((c->state == EBB_CELL_HERE) != (c->blob.mem != NULL))
        return "a blob is here without storage, or not here with one";
    if (c->pinned && c->reads == 0) return "a blob is pinned that nobody will read";
    if (w->begun && c->state == EBB_CELL_HERE && c->reads == 0 && !c->input)
        return "a blob is held for nobody";
    return NULL;
}

// Blobs of the walk on counted storages: each storage once, and as often as it says.
static const char *check_live(const ebb_walk *w)
{
    const int n = w->net->g.n_slots;
    size_t live = 0;
    for (int s = 0; s < n; s++)
        if (w->cells[s].blob.mem && w->cells[s].blob.mem->counted) w->cells[s].blob.mem->tally = 0;
    for (int s = 0; s < n; s++) {
        ebb_storage *m = w->cells[s].blob.mem;
        if (m && m->counted && m->tally++ == 0) live += m->bytes;
    }
    for (int s = 0; s < n; s++) {
        const ebb_storage *m = w->cells[s].blob.mem;
        if (m && m->counted && (m->tally != m->holds || m->holds > ebb_storage_refs(m)))
            return "a storage is held more or less often than it says";
    }
    return live == w->ledger.live ? NULL : "live bytes are not those of the storages held";
}

const char *ebb_walk_check(const ebb_walk *w)
{
    const ebb_ledger *l = &w->ledger;
    for (int s = 0; s < w->net->g.n_slots; s++) {
        const char *wrong = check_cell(w, s);
        if (wrong) return wrong;
    }
    if (l->scratch_live) return "scratch outlives its layer";
    if (l->live > l->peak || l->peak > l->joint_peak || l->scratch_peak > l->joint_peak)
        return "a peak is lower than what it is the most of";
    return check_live(w);
}
