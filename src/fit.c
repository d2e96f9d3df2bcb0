// SPDX-License-Identifier: BSD-3-Clause
// fit.c - makes a blob readable for one reader. Rule: a conversion replaces the blob where ebb owns it alone and
// every reader still to come accepts the new order; otherwise the copy dies after the one read. Never a third.
#include "order.h"
#include "walk.h"

void ebb_fit_like(ebb_desc *d, const ebb_desc *model)
{
    if (!ebb_desc_same_shape(d, model)) {
        if (ebb_desc_order(model) == EBB_PIXEL) ebb_desc_pixel_strides(d);
        else ebb_desc_planar_strides(d);
        return;
    }
    int axis[EBB_MAX_RANK];  // by stride, largest first; ties as they stand
    for (int i = 0; i < d->rank; i++) {
        int j = i;
        for (; j > 0 && model->stride[axis[j - 1]] < model->stride[i]; j--) axis[j] = axis[j - 1];
        axis[j] = i;
    }
    ptrdiff_t step = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        d->stride[axis[i]] = step;
        step *= d->dim[axis[i]];
    }
}

static bool accepts(const ebb_layer_type *t, unsigned order)
{
    if (t->flags & EBB_LAYER_SPATIAL) return order & EBB_PIXEL;
    if (t->flags & EBB_LAYER_SEQUENCE) return order & EBB_PLANAR;
    return true;
}

static bool all_readers_accept(const ebb_walk *w, int slot, const ebb_desc *d)
{
    const ebb_slot *s = &w->net->g.slots[slot];
    for (int i = 0; i < s->n_readers; i++)
        if ((w->node[s->readers[i]] & EBB_PENDING) && !accepts(w->net->g.nodes[s->readers[i]].type, ebb_desc_order(d)))
            return false;
    return d->dtype == w->cells[slot].blob.desc.dtype || d->dtype == EBB_F32;
}

unsigned ebb_fit_order(const ebb_walk *w, int slot)
{
    const ebb_slot *s = &w->net->g.slots[slot];
    bool spatial = false;
    for (int i = 0; i < s->n_readers; i++) {
        const unsigned flags = w->net->g.nodes[s->readers[i]].type->flags;
        if (!(w->node[s->readers[i]] & EBB_PENDING)) continue;
        if (flags & EBB_LAYER_SEQUENCE) return EBB_PLANAR;
        if (flags & EBB_LAYER_SPATIAL) spatial = true;
    }
    return spatial ? EBB_PIXEL : EBB_PLANAR;
}

// A layer that reads a blob as two inputs must see one storage.
static bool reads_twice(const ebb_walk *w, int layer, int slot)
{
    int times = 0;
    for (int i = 0; layer >= 0 && i < w->net->g.nodes[layer].n_in; i++) times += w->net->g.nodes[layer].in[i] == slot;
    return times > 1;
}

static bool fits(const ebb_blob *b, const ebb_want *want)
{
    const bool order = want->orders == EBB_ANY_ORDER || (ebb_desc_order(&b->desc) & want->orders);
    return order && (want->dtypes & EBB_BIT(b->desc.dtype)) && (!want->dense || ebb_desc_dense(&b->desc)) &&
           b->mem->on == want->on;
}

// What to convert to: what is accepted already stays, the rest becomes planar (pixel where only that will do) f32.
static ebb_status target(const ebb_blob *b, const ebb_want *want, ebb_desc *d, ebb_error *e)
{
    *d = b->desc;
    if (want->orders == EBB_ANY_ORDER) ebb_fit_like(d, &b->desc);
    else if (!want->dense && (ebb_desc_order(&b->desc) & want->orders)) ebb_fit_like(d, &b->desc);
    else if (want->orders & EBB_PLANAR) ebb_desc_planar_strides(d);
    else ebb_desc_pixel_strides(d);
    if (want->dtypes & EBB_BIT(d->dtype)) return EBB_OK;
    for (int t = EBB_F32; t <= EBB_I32; t++)
        if ((want->dtypes & EBB_BIT(t)) && ebb_order_can_convert((ebb_dtype)t, d->dtype)) {
            d->dtype = (ebb_dtype)t;
            return EBB_OK;
        }
    return ebb_fail(e, EBB_E_UNSUPPORTED, "it cannot read %s elements, and they are never converted by themselves",
                    ebb_dtype_name(b->desc.dtype));
}

ebb_status ebb_fit(ebb_walk *w, int layer, int slot, const ebb_want *want, ebb_blob *b, bool *copied, ebb_error *e)
{
    ebb_cell *c = &w->cells[slot];
    *copied = false;
    if (fits(&c->blob, want)) {
        *b = c->blob;
        return EBB_OK;
    }
    ebb_desc d;
    EBB_TRY(target(&c->blob, want, &d, e));
    ebb_storage *m;
    EBB_TRY(ebb_walk_storage(w, ebb_desc_bytes(&d), want->on, &m, e));
    ebb_blob made = {.desc = d};
    ebb_walk_hold(w, &made, m, 0);
    if (!w->dry) ebb_order_copy(&d, m->data, &c->blob.desc, ebb_blob_data(&c->blob), w->pool, w->threads);
    const ebb_storage *old = c->blob.mem;
    const bool replace = old->counted && old->writable && ebb_storage_refs(old) == 1 && !reads_twice(w, layer, slot) &&
                         all_readers_accept(w, slot, &d);
    EBB_EMIT(w, .kind = EBB_EV_CONVERT, .layer = layer, .blob = slot, .other = -1, .desc = &d, .bytes = m->bytes,
             .why = replace ? "replaced" : "one read");
    *b = made;
    *copied = !replace;
    if (!replace) return EBB_OK;
    const size_t freed = ebb_walk_let_go(w, &c->blob);
    EBB_EMIT(w, .kind = EBB_EV_RELEASE, .layer = layer, .blob = slot, .other = -1, .desc = &c->blob.desc, .bytes = freed,
             .why = "converted");
    c->blob = made;
    return EBB_OK;
}
