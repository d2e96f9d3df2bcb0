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
        step = ebb_stride_mul(step, d->dim[axis[i]]);
    }
}

static bool all_readers_accept(const ebb_walk *w, int slot, const ebb_blob *b)
{
    const int *needs = w->cells[slot].needs;
    const unsigned order = ebb_desc_order(&b->desc);
    if (needs[EBB_NEEDS_PIXEL] && !(order & EBB_PIXEL)) return false;
    if (needs[EBB_NEEDS_PLANAR] && !(order & EBB_PLANAR)) return false;
    if (needs[b->mem->on == EBB_ON_DEVICE ? EBB_NEEDS_HOST : EBB_NEEDS_DEVICE]) return false;
    return b->desc.dtype == w->cells[slot].blob.desc.dtype || b->desc.dtype == EBB_F32;
}

unsigned ebb_fit_order(const ebb_walk *w, int slot)
{
    const int *needs = w->cells[slot].needs;
    return needs[EBB_NEEDS_PIXEL] && !needs[EBB_NEEDS_PLANAR] ? EBB_PIXEL : EBB_PLANAR;
}

// A layer that reads a blob as two inputs must see one storage: such a layer stands twice among the readers, which are
// in order.
static bool reads_twice(const ebb_walk *w, int layer, int slot)
{
    const ebb_slot *s = &w->net->g.slots[slot];
    int low = 0, high = s->n_readers;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (s->readers[middle] < layer) low = middle + 1;
        else high = middle;
    }
    return low + 1 < s->n_readers && s->readers[low] == layer && s->readers[low + 1] == layer;
}

// Whether the elements lie one behind the other in c, h, w order.
static bool dense_planar(const ebb_desc *d)
{
    ptrdiff_t step = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        if (d->dim[i] > 1 && d->stride[i] != step) return false;
        step = ebb_stride_mul(step, d->dim[i]);
    }
    return true;
}

static bool fits_host(const ebb_blob *b, const ebb_want *want)
{
    if (want->kept && ebb_storage_lent(b->mem)) return false;
    const bool order = want->orders == EBB_ANY_ORDER || (ebb_desc_order(&b->desc) & want->orders);
    return order && (want->dtypes & EBB_BIT(b->desc.dtype)) && (!want->dense || dense_planar(&b->desc));
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
    return ebb_fail(e, EBB_E_UNSUPPORTED,
                    "%s elements cannot be read here, and they are never converted by themselves",
                    ebb_dtype_name(b->desc.dtype));
}

static ebb_status convert(ebb_walk *w, const ebb_blob *from, const ebb_want *want, ebb_blob *to, ebb_error *e)
{
    ebb_storage *m;
    EBB_TRY(target(from, want, &to->desc, e));
    EBB_TRY(ebb_walk_storage(w, ebb_desc_bytes(&to->desc), EBB_ON_HOST, &m, e));
    ebb_walk_hold(w, to, m, 0);
    if (!w->dry) ebb_order_copy(&to->desc, m->data, &from->desc, ebb_blob_data(from), w->pool, w->threads);
    return EBB_OK;
}

// Moves what the blob spans, strides and all.
static ebb_status move(ebb_walk *w, const ebb_blob *from, ebb_residence on, ebb_blob *to, ebb_error *e)
{
    const size_t each = ebb_dtype_bytes(from->desc.dtype);
    const size_t bytes = ebb_size_mul(ebb_desc_span(&from->desc), each);
    ebb_storage *m;
    EBB_TRY(ebb_walk_storage(w, bytes, on, &m, e));
    to->desc = from->desc;
    ebb_walk_hold(w, to, m, 0);
    if (w->dry || !bytes) return EBB_OK;
    if (on == EBB_ON_DEVICE) return w->net->dev->upload(w->cmd, m, ebb_blob_data(from), bytes, e);
    if (w->net->dev->pending(w->cmd))
        EBB_EMIT(w, .kind = EBB_EV_SUBMIT, .layer = -1, .blob = -1, .other = -1);
    return w->net->dev->download(w->cmd, m->data, from->mem, ebb_size_mul((size_t)from->offset, each), bytes, e);
}

static bool may_replace(const ebb_walk *w, int layer, int slot, const ebb_blob *made)
{
    const ebb_storage *old = w->cells[slot].blob.mem;
    return old->counted && old->writable && ebb_storage_refs(old) == 1 && !reads_twice(w, layer, slot) &&
           all_readers_accept(w, slot, made);
}

// One step nearer: elements are converted on the host, then moved; a blob on the device comes to the host first.
static ebb_status step(ebb_walk *w, int layer, int slot, const ebb_want *want, ebb_blob *b, bool *copied,
                       ebb_error *e)
{
    ebb_cell *c = &w->cells[slot];
    const bool moves = b->mem->on == EBB_ON_DEVICE || fits_host(b, want);
    const ebb_residence on = b->mem->on == EBB_ON_DEVICE ? EBB_ON_HOST : EBB_ON_DEVICE;
    ebb_blob made = {.mem = NULL};
    const ebb_status s = moves ? move(w, b, on, &made, e) : convert(w, b, want, &made, e);
    if (s != EBB_OK) {
        ebb_walk_let_go(w, &made);
        return s;
    }
    const bool replace = !*copied && may_replace(w, layer, slot, &made);
    EBB_EMIT(w, .kind = moves ? EBB_EV_MOVE : EBB_EV_CONVERT, .layer = layer, .blob = slot, .other = -1,
             .desc = &made.desc, .bytes = made.mem->bytes, .why = replace ? "replaced" : "one read");
    if (replace || *copied) {
        const size_t freed = ebb_walk_let_go(w, replace ? &c->blob : b);
        EBB_EMIT(w, .kind = EBB_EV_RELEASE, .layer = layer, .blob = slot, .other = -1, .desc = &b->desc,
                 .bytes = freed, .why = moves ? "moved" : "converted");
    }
    if (replace) {
        c->blob = made;
        ebb_holders_add(w, &c->blob);
    }
    *copied = !replace;
    *b = made;
    return EBB_OK;
}

ebb_status ebb_fit(ebb_walk *w, int layer, int slot, const ebb_want *want, ebb_blob *b, bool *copied,
                   ebb_error *e)
{
    *b = w->cells[slot].blob;
    *copied = false;
    while (!fits_host(b, want) || b->mem->on != want->on) {
        const ebb_status s = step(w, layer, slot, want, b, copied, e);
        if (s == EBB_OK) continue;
        if (*copied) ebb_walk_let_go(w, b);
        *copied = false;
        return s;
    }
    return EBB_OK;
}
