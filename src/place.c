// SPDX-License-Identifier: BSD-3-Clause
// place.c - where the outputs of a layer lie: in new storage, over an input, as a longer input, as a view, in the
// weights. Rule: storage is taken over only where nobody else looks at it, now or later.
#include "order.h"
#include "walk.h"
#include <string.h>

// The blob that output k is written into: the cell's, or a spare one when only the layer needs it.
static ebb_blob *place(ebb_walk *w, const ebb_node *n, int k)
{
    ebb_run *r = w->run;
    ebb_cell *c = &w->cells[n->out[k]];
    if (!r->wanted[k]) {
        r->spare[k] = (ebb_blob){.desc = r->out_desc[k]};
        return &r->spare[k];
    }
    c->state = EBB_CELL_HERE;
    c->blob.desc = r->out_desc[k];
    return &c->blob;
}

static bool may_overwrite(const ebb_walk *w, const ebb_node *n, int i)
{
    const ebb_run *r = w->run;
    const ebb_blob *b = &r->in[i];
    if (!b->mem || !b->mem->writable || !b->mem->counted || ebb_storage_refs(b->mem) != 1) return false;
    return r->copied[i] || w->cells[n->in[i]].reads == 1;
}

// All of it that holds a result: a shrunken one is overwritten, as its bound is in the prediction.
static bool covers_storage(const ebb_blob *b)
{
    return b->offset == 0 && ebb_desc_dense(&b->desc) &&
           ebb_desc_bytes(&b->desc) == b->mem->bytes - b->mem->spare;
}

static bool can_steal(const ebb_walk *w, const ebb_node *n, int i, const ebb_desc *out, ebb_residence on)
{
    const ebb_blob *b = &w->run->in[i];
    return may_overwrite(w, n, i) && covers_storage(b) && ebb_desc_same_shape(&b->desc, out) &&
           b->desc.dtype == out->dtype && b->mem->on == on;
}

static int first_to_steal(const ebb_walk *w, const ebb_node *n, unsigned inputs, const ebb_desc *out,
                          ebb_residence on)
{
    for (int i = 0; inputs; i++, inputs >>= 1)
        if ((inputs & 1) && can_steal(w, n, i, out, on)) return i;
    return -1;
}

// Moves the storage of input i, which is read for the last time, into another blob.
static ebb_storage *take_storage(ebb_walk *w, const ebb_node *n, int i)
{
    ebb_run *r = w->run;
    ebb_storage *m = r->in[i].mem;
    if (r->copied[i]) {
        r->copied[i] = false;
    } else {
        ebb_holders_remove(w, &w->cells[n->in[i]].blob);
        w->cells[n->in[i]].blob.mem = NULL;
    }
    return m;
}

static ebb_status make_new(ebb_walk *w, int at, int k, ebb_blob *b, ebb_residence on, ebb_error *e)
{
    ebb_storage *m;
    const int slot = w->net->g.nodes[at].out[k];
    EBB_TRY(ebb_walk_storage(w, ebb_desc_bytes(&b->desc), on, &m, e));
    ebb_walk_hold(w, b, m, 0);
    EBB_EMIT(w, .kind = EBB_EV_ALLOC, .layer = at, .blob = slot, .other = -1, .reads = w->cells[slot].reads,
             .desc = &b->desc, .bytes = m->bytes);
    return EBB_OK;
}

// Room along `axis` in the storage of a grown blob: 0 when its strides were not made by growing.
static size_t capacity(const ebb_blob *b, int axis)
{
    const ebb_desc *d = &b->desc;
    ptrdiff_t inner = 1;
    for (int i = d->rank - 1; i > axis; i--) {
        if (d->dim[i] != 1 && d->stride[i] != inner) return 0;
        inner = ebb_stride_mul(inner, d->dim[i]);
    }
    if (inner == 0 || (d->dim[axis] > 1 && d->stride[axis] != inner)) return 0;
    size_t outer = 1;
    for (int i = 0; i < axis; i++) outer = ebb_size_mul(outer, (size_t)d->dim[i]);
    const size_t row = ebb_size_mul((size_t)inner, ebb_dtype_bytes(d->dtype));
    const size_t cap = outer && b->offset == 0 ? b->mem->bytes / row / outer : 0;
    if (cap > INT32_MAX) return 0;
    ptrdiff_t step = ebb_stride_mul(inner, (int)cap);
    for (int i = axis - 1; i >= 0; step = ebb_stride_mul(step, d->dim[i--]))
        if (d->dim[i] != 1 && d->stride[i] != step) return 0;
    return cap;
}

static void grown_strides(ebb_desc *d, int axis, size_t cap)
{
    ptrdiff_t step = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        d->stride[i] = step;
        step = ebb_stride_mul(step, i == axis ? (int)cap : d->dim[i]);
    }
}

// New storage with room to grow further, and the old elements in it.
static ebb_status grow_anew(ebb_walk *w, const ebb_blob *old, int axis, ebb_blob *b, ebb_error *e)
{
    const size_t need = (size_t)b->desc.dim[axis];
    size_t cap = 64;
    while (cap < need) cap += cap;
    if (cap > INT32_MAX) cap = INT32_MAX;
    grown_strides(&b->desc, axis, cap);
    ebb_desc whole = b->desc, part = old->desc;
    whole.dim[axis] = (int)cap;
    ebb_storage *m;
    EBB_TRY(ebb_walk_storage(w, ebb_desc_bytes(&whole), EBB_ON_HOST, &m, e));
    ebb_walk_hold(w, b, m, 0);
    memcpy(part.stride, b->desc.stride, sizeof part.stride);
    if (!w->dry && ebb_desc_count(&old->desc))
        ebb_order_copy(&part, m->data, &old->desc, ebb_blob_data(old), w->pool, w->threads);
    return EBB_OK;
}

// Output k is input i with a longer axis: in place where there is room and nobody else looks, else copied once.
static ebb_status grow(ebb_walk *w, int at, int k, const ebb_plan_output *p, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_run *r = w->run;
    ebb_blob *b = place(w, n, k);
    const ebb_blob *old = &r->in[p->grow];
    const size_t room = capacity(old, p->grow_axis), need = (size_t)b->desc.dim[p->grow_axis];
    const bool alone = may_overwrite(w, n, p->grow) && old->desc.dtype == b->desc.dtype;
    const bool empty = ebb_desc_count(&old->desc) == 0;
    if (alone && room >= need && !empty) {
        grown_strides(&b->desc, p->grow_axis, room);
        b->mem = take_storage(w, n, p->grow);
        ebb_holders_add(w, b);
        b->offset = 0;
    } else {
        EBB_TRY(grow_anew(w, old, p->grow_axis, b, e));
    }
    const bool moved = b->mem == old->mem;
    EBB_EMIT(w, .kind = EBB_EV_GROW, .layer = at, .blob = n->out[k], .other = n->in[p->grow],
             .reads = w->cells[n->out[k]].reads, .desc = &b->desc, .bytes = moved ? 0 : b->mem->bytes,
             .why = moved ? "in place" : empty ? "first" : alone ? "full" : "shared");
    r->out_ptr[k] = b;
    return EBB_OK;
}

// How a float is stored: in the net's precision, where the layer can write that and parameter 31 allows it.
static ebb_dtype stored(const ebb_net *net, const ebb_node *n, ebb_dtype t, unsigned dtypes)
{
    static const ebb_dtype by_precision[] = {EBB_F32, EBB_F16, EBB_BF16};
    const ebb_dtype want = by_precision[net->opt.precision];
    const bool banned = (want == EBB_F16 && (n->features & EBB_NO_FP16_STORAGE)) ||
                        (want == EBB_BF16 && (n->features & EBB_NO_BF16));
    return t == EBB_F32 && (dtypes & EBB_BIT(want)) && !banned ? want : t;
}

ebb_status ebb_place_output(ebb_walk *w, int at, int k, const ebb_plan *plan, ebb_residence on,
                              ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_run *r = w->run;
    const ebb_plan_output *p = &plan->out[k];
    if (p->grow >= 0) return grow(w, at, k, p, e);
    r->out_ptr[k] = NULL;
    if (!r->wanted[k]) return EBB_OK;
    r->out_desc[k].dtype = stored(w->net, n, r->out_desc[k].dtype, p->dtypes);
    ebb_blob *b = r->out_ptr[k] = place(w, n, k);
    const int from = first_to_steal(w, n, p->steal, &b->desc, on);
    if (from >= 0) {
        b->desc = r->in[from].desc;
        b->mem = take_storage(w, n, from);
        ebb_holders_add(w, b);
        b->offset = 0;
        EBB_EMIT(w, .kind = EBB_EV_STEAL, .layer = at, .blob = n->out[k], .other = n->in[from],
                 .reads = w->cells[n->out[k]].reads, .desc = &b->desc);
        return EBB_OK;
    }
    if (p->follow >= 0) ebb_fit_like(&b->desc, &r->in[p->follow].desc);
    else if (p->order == EBB_PIXEL) ebb_desc_pixel_strides(&b->desc);
    else ebb_desc_planar_strides(&b->desc);
    return make_new(w, at, k, b, on, e);
}

// ------------------------------------------------------------------------------------------- views and constants

static ebb_status copy_view(ebb_walk *w, int at, int k, const ebb_view *v, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    const int slot = n->in[v->from < 0 ? 0 : v->from];
    const ebb_want want = {.orders = EBB_ANY_ORDER, .dtypes = ~0u, .on = EBB_ON_HOST};
    ebb_run *r = w->run;
    EBB_TRY(ebb_fit(w, at, slot, &want, &r->in[0], &r->copied[0], e));
    ebb_blob from = r->in[0];
    ebb_blob *to = place(w, n, k);
    if (v->from >= 0) {  // a part that is copied out so that the whole can go
        from.desc = v->desc;
        from.offset += v->offset;
        ebb_fit_like(&to->desc, &v->desc);
    } else if (ebb_fit_order(w, n->out[k]) == EBB_PIXEL) {
        ebb_desc_pixel_strides(&to->desc);
    } else {
        ebb_desc_planar_strides(&to->desc);
    }
    const ebb_status s = make_new(w, at, k, to, EBB_ON_HOST, e);
    if (s == EBB_OK && !w->dry)
        ebb_order_copy(&to->desc, to->mem->data, &from.desc, ebb_blob_data(&from), w->pool, w->threads);
    ebb_walk_drop_temporaries(w, at);
    return s;
}

bool ebb_place_can_view(ebb_walk *w, const ebb_node *n)
{
    ebb_run *r = w->run;
    bool all = true;
    if (!(n->type->flags & EBB_LAYER_VIEW)) return false;
    for (int k = 0; k < n->n_out; k++) r->view[k] = (ebb_view){.desc = r->out_desc[k]};
    const ebb_shape_in in = ebb_plan_shape_in(w, n);
    n->type->view(n->state, &in, r->view);
    for (int k = 0; k < n->n_out; k++) all &= r->view[k].from != EBB_BY_CPU;
    return all || !n->type->cpu;
}

ebb_status ebb_place_views(ebb_walk *w, int at, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_run *r = w->run;
    for (int k = 0; k < n->n_out; k++) {
        const ebb_view *v = &r->view[k];
        if (!r->wanted[k]) continue;
        const ebb_blob *whole = v->from < 0 ? NULL : &w->cells[n->in[v->from]].blob;
        const bool part = whole && ebb_desc_bytes(&v->desc) < whole->mem->bytes;
        if (!whole || (part && (w->node[at] & EBB_COPY_OUT))) {
            EBB_TRY(copy_view(w, at, k, v, e));
            continue;
        }
        w->ledger.parts += part;
        ebb_blob *b = place(w, n, k);
        b->desc = v->desc;
        ebb_walk_hold(w, b, ebb_storage_hold(whole->mem), whole->offset + v->offset);
        EBB_EMIT(w, .kind = EBB_EV_VIEW, .layer = at, .blob = n->out[k], .other = n->in[v->from],
                 .reads = w->cells[n->out[k]].reads, .desc = &b->desc);
    }
    return EBB_OK;
}

void ebb_place_constants(ebb_walk *w, int at)
{
    const ebb_node *n = &w->net->g.nodes[at];
    for (int k = 0; k < n->n_out; k++) {
        if (!w->run->wanted[k]) continue;
        ebb_blob *b = place(w, n, k);
        ebb_walk_hold(w, b, ebb_storage_hold(n->constants[k].mem), n->constants[k].offset);
        EBB_EMIT(w, .kind = EBB_EV_VIEW, .layer = at, .blob = n->out[k], .other = -1,
                 .reads = w->cells[n->out[k]].reads, .desc = &b->desc, .why = "weights");
    }
}
