// SPDX-License-Identifier: BSD-3-Clause
// pull.c - the interpreter: one walk, dry and real. It asks a layer for shapes and a plan, makes inputs readable,
// makes outputs, runs the layer, counts the reads down. The lifetime rules stand in walk.h.
// Rule: a dry walk takes the same decisions; it only has no data.
#include "error.h"
#include "walk.h"
#include <assert.h>

static ebb_status fit_inputs(ebb_walk *w, int at, const ebb_plan *plan, ebb_residence on, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_run *r = w->run;
    for (int i = 0; i < n->n_in; i++) {
        r->in_ptr[i] = &r->in[i];
        r->in[i] = (ebb_blob){.desc = r->in_desc[i]};
        if (n->shape_only[i]) continue;
        const ebb_want want = {.orders = plan->in[i].orders, .dtypes = plan->in[i].dtypes, .on = on};
        const ebb_status s = ebb_fit(w, at, n->in[i], &want, &r->in[i], &r->copied[i], e);
        if (s != EBB_OK)
            return ebb_error_prefix(e, s, "input %d '%s': ", i, w->net->g.slots[n->in[i]].name);
    }
    return EBB_OK;
}

static size_t aligned(size_t bytes)
{
    return bytes > SIZE_MAX - EBB_ALIGN ? SIZE_MAX : (bytes + EBB_ALIGN - 1) / EBB_ALIGN * EBB_ALIGN;
}

// Of outputs without elements there is nothing to compute, and the strides beside an empty axis mean nothing.
static bool makes_nothing(const ebb_walk *w, const ebb_node *n)
{
    for (int k = 0; k < n->n_out; k++)
        if (w->run->out_ptr[k] && ebb_desc_count(&w->run->out_ptr[k]->desc)) return false;
    return n->n_out > 0;
}

static ebb_status call_cpu(ebb_walk *w, int at, const ebb_plan *plan, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    const int threads = n->features & EBB_NO_THREADS ? 1 : w->threads;
    const size_t shared = aligned(plan->scratch), each = aligned(plan->worker_scratch);
    const size_t bytes = ebb_size_add(shared, ebb_size_mul(each, (size_t)threads));
    _Alignas(EBB_ALIGN) char none[1];  // no bytes have a place too: layers compute with it
    void *scratch;
    EBB_TRY(ebb_walk_scratch(w, at, bytes, &scratch, e));
    char *place = scratch ? scratch : none;
    ebb_status s = EBB_OK;
    if (!w->dry && !makes_nothing(w, n)) {
        const ebb_desc *d = &w->run->out_desc[0];
        const ebb_cpu cpu = {.k = w->net->k,
                             .n_in = n->n_in,
                             .n_out = n->n_out,
                             .in = w->run->in_desc,
                             .out = w->run->out_desc,
                             .work = plan->work,
                             .y0 = 0,
                             .y1 = n->n_out && d->rank >= 2 ? d->dim[d->rank - 2] : 1,
                             .threads = threads,
                             .scratch = place,
                             .pool = w->pool,
                             .worker_scratch = place + shared,
                             .worker_bytes = each};
        s = n->type->cpu(n->state, &cpu, w->run->in_ptr, w->run->out_ptr, e);
    }
    ebb_walk_unscratch(w, at, scratch, bytes);
    return s;
}

static ebb_status record(ebb_walk *w, const ebb_node *n, ebb_error *e)
{
    if (w->dry) return EBB_OK;
    const ebb_shape_in in = ebb_plan_shape_in(w, n);
    return w->net->dev->record(w->cmd, n->type->vk, n->state, n->dev_state, &in, w->run->in_ptr,
                               w->run->out_ptr, e);
}

static void note_shrinks(ebb_walk *w, int at)
{
    const ebb_node *n = &w->net->g.nodes[at];
    w->ledger.exact = false;
    for (int k = 0; k < n->n_out; k++) {
        const ebb_blob *b = w->run->out_ptr[k];
        if (!b || ebb_desc_same_shape(&b->desc, &w->run->out_desc[k])) continue;
        b->mem->spare = b->mem->bytes - ebb_desc_bytes(&b->desc);
        EBB_EMIT(w, .kind = EBB_EV_SHRINK, .layer = at, .blob = n->out[k], .other = -1, .desc = &b->desc);
    }
}

// Where inputs and outputs lie now: what the plan did not accept was converted, outputs have strides.
static void note_descs(const ebb_walk *w, const ebb_node *n)
{
    ebb_run *r = w->run;
    for (int i = 0; i < n->n_in; i++) r->in_desc[i] = r->in[i].desc;
    for (int k = 0; k < n->n_out; k++)
        if (r->out_ptr[k]) r->out_desc[k] = r->out_ptr[k]->desc;
}

static ebb_status compute(ebb_walk *w, int at, ebb_plan *plan, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    bool any = n->n_out == 0;
    for (int k = 0; k < n->n_out; k++) any |= w->run->wanted[k];
    if (!any) return EBB_OK;
    EBB_TRY(ebb_plan_make(w, n, plan, e));
    const ebb_residence on = n->on_device ? EBB_ON_DEVICE : EBB_ON_HOST;
    ebb_status s = fit_inputs(w, at, plan, on, e);
    for (int k = 0; k < n->n_out && s == EBB_OK; k++) s = ebb_place_output(w, at, k, plan, on, e);
    if (s == EBB_OK) note_descs(w, n);
    if (s == EBB_OK) s = on == EBB_ON_HOST ? call_cpu(w, at, plan, e) : record(w, n, e);
    if (s == EBB_OK && (n->type->flags & EBB_LAYER_DATA_SHAPE)) note_shrinks(w, at);
    ebb_walk_drop_temporaries(w, at);
    return s;
}

static ebb_status run_node(ebb_walk *w, int at, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_plan plan = {.algorithm = "view"};
    EBB_EMIT(w, .kind = EBB_EV_BEGIN, .layer = at, .blob = -1, .other = -1,
             .why = w->node[at] & EBB_RAN ? "again" : "");
    EBB_TRY(ebb_plan_shapes(w, n, e));
    if (n->constants) ebb_place_constants(w, at);
    else if (ebb_place_can_view(w, n)) EBB_TRY(ebb_place_views(w, at, e));
    else EBB_TRY(compute(w, at, &plan, e));
    for (int k = 0; k < n->n_out; k++) {
        ebb_cell *c = &w->cells[n->out[k]];
        if (c->state == EBB_CELL_HERE) continue;
        c->blob.desc = w->run->out_desc[k];  // for those who read its shape only
        c->state = EBB_CELL_GONE;
    }
    ebb_demand_met(w, at);
    for (int i = 0; i < n->n_in; i++)
        if (!n->shape_only[i]) ebb_walk_read(w, at, n->in[i]);
    EBB_EMIT(w, .kind = EBB_EV_END, .layer = at, .blob = -1, .other = -1, .macs = plan.macs,
             .why = plan.algorithm);
    return EBB_OK;
}

static void check(const ebb_walk *w)
{
    enum { PATIENCE = 4096 };  // in a longer net this would be most of the work
    assert(w->net->g.n_slots > PATIENCE || !ebb_walk_check(w));
    (void)w;
}

ebb_status ebb_pull(ebb_walk *w, int slot, ebb_error *e)
{
    EBB_TRY(ebb_demand(w, slot, e));
    for (int i = 0; i < w->n_order; i++) {
        const ebb_node *n = &w->net->g.nodes[w->order[i]];
        if (atomic_load_explicit(&w->cancelled, memory_order_relaxed)) {
            w->broken = true;
            return ebb_fail(e, EBB_E_CANCELLED, "cancelled before layer %d '%s'", w->order[i], n->name);
        }
        w->ledger.layer = w->order[i];
        const ebb_status s = run_node(w, w->order[i], e);
        w->ledger.layer = -1;
        if (s == EBB_OK) check(w);
        if (s == EBB_OK) continue;
        w->broken = true;
        return ebb_error_prefix(e, s, "layer %d '%s' (%s): ", w->order[i], n->name, n->type->name);
    }
    return EBB_OK;
}
