// SPDX-License-Identifier: BSD-3-Clause
// extractor.c - what callers do with a net: set inputs, extract outputs, predict. Rule: a call that fails before
// a layer ran changes nothing; after a layer failed only reset helps. What runs inside a call (an observer, a layer)
// is refused every other one; reset and destroy wait for its end.
#include "error.h"
#include "order.h"
#include "threads.h"
#include "trace.h"
#include "walk.h"
#include "weights.h"
#include <string.h>

typedef enum ebb_afterwards { NOTHING, RESET, DESTROY } ebb_afterwards;

struct ebb_extractor {
    ebb_walk w;
    bool busy;             // a call is under way
    ebb_afterwards after;  // what was asked for meanwhile
};

ebb_status ebb_extractor_new(ebb_net *net, const ebb_extractor_options *opt, ebb_extractor **x, ebb_error *e)
{
    const ebb_extractor_options none = {0};
    if (!opt) opt = &none;
    *x = NULL;
    if (net->state != EBB_NET_READY)
        return ebb_fail(e, EBB_E_STATE, "the net is not loaded: load its parameters and weights first");
    if (opt->threads < 0 || opt->threads > EBB_MAX_THREADS)
        return ebb_fail(e, EBB_E_PARAM, "%d threads asked for; 1 to %d are possible", opt->threads,
                        EBB_MAX_THREADS);
    ebb_extractor *made = ebb_heap_zero(net->heap, EBB_MEM_META, 1, sizeof *made);
    if (!made) return ebb_fail(e, EBB_E_NOMEM, "no memory for an extractor of %zu bytes", sizeof *made);
    ebb_status s = ebb_walk_new(&made->w, net, e);
    ebb_walk *w = &made->w;
    if (s == EBB_OK) {
        w->threads = opt->threads ? opt->threads : 1;
        w->keep_all = opt->keep_everything;
        w->limit = opt->memory_limit ? opt->memory_limit : SIZE_MAX;
        w->observer = opt->observer;
        w->pool = ebb_pool_hold(opt->pool);
        if (w->threads > 1 && !w->pool) s = ebb_pool_new(w->threads, &net->opt.allocator, &w->pool, e);
    }
    if (s == EBB_OK) {
        ebb_heap_hold(net->heap);
        ebb_net_hold(net);
        ebb_trace_hold(&w->observer);
        *x = made;
        return EBB_OK;
    }
    ebb_walk_free(w);
    ebb_heap_put(net->heap, EBB_MEM_META, made, sizeof *made);
    return s;
}

// ------------------------------------------------------------------------------------------- one call at a time

static void destroy(ebb_extractor *x)
{
    ebb_heap *heap = x->w.heap;
    ebb_net *net = (ebb_net *)x->w.net;
    ebb_pool *pool = x->w.pool;
    const ebb_observer observer = x->w.observer;
    ebb_walk_free(&x->w);
    ebb_trace_drop(&observer);
    ebb_pool_destroy(pool);
    ebb_heap_put(heap, EBB_MEM_META, x, sizeof *x);
    ebb_net_drop(net);
    ebb_heap_drop(heap);
}

static ebb_status enter(ebb_extractor *x, ebb_error *e)
{
    if (x->busy)
        return ebb_fail(e, EBB_E_STATE,
                        "the extractor is used inside one of its own calls, as by its observer: wait for its end");
    if (x->w.broken)
        return ebb_fail(e, EBB_E_STATE,
                        "a layer failed earlier and may have half-written a blob: reset the extractor first");
    x->busy = true;
    return EBB_OK;
}

// Does what was put off. x may be gone afterwards.
static ebb_status leave(ebb_extractor *x, ebb_status s)
{
    if (x->after == RESET) ebb_walk_reset(&x->w);  // its events may ask for more
    if (x->after == DESTROY) {
        destroy(x);
        return s;
    }
    x->after = NOTHING;
    x->busy = false;
    return s;
}

// Now, or at the end of the call that is under way, which does not begin another layer.
static void put_off(ebb_extractor *x, ebb_afterwards what)
{
    if (x->busy && x->after == NOTHING) atomic_store(&x->w.cancelled, true);
    if (x->after < what) x->after = what;
    if (x->busy) return;
    x->busy = true;
    leave(x, EBB_OK);
}

void ebb_extractor_destroy(ebb_extractor *x)
{
    if (x) put_off(x, DESTROY);
}

void ebb_extractor_reset(ebb_extractor *x) { put_off(x, RESET); }

static ebb_status find(const ebb_extractor *x, const char *name, int *slot, ebb_error *e)
{
    *slot = ebb_graph_find(&x->w.net->g, name, e);
    return *slot < 0 ? EBB_E_NAME : EBB_OK;
}

// ------------------------------------------------------------------------------------------- inputs

static ebb_status check_desc(const char *name, const ebb_desc *d, ebb_error *e)
{
    bool good = d->rank >= 1 && d->rank <= EBB_MAX_RANK && d->dtype >= EBB_F32 && d->dtype <= EBB_I32;
    bool empty = false;  // then strides mean nothing, and may have left the numbers of the machine
    for (int i = 0; good && i < d->rank; i++) empty |= d->dim[i] == 0;
    for (int i = 0; good && i < d->rank; i++) good = d->dim[i] >= 0 && (empty || d->stride[i] >= 0);
    if (!good)
        return ebb_fail(e, EBB_E_SHAPE,
                        "input '%s': a blob has 1 to 4 sizes and strides that are not negative", name);
    if (ebb_desc_bytes(d) == SIZE_MAX ||
        ebb_size_mul(ebb_desc_span(d), ebb_dtype_bytes(d->dtype)) > PTRDIFF_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "input '%s': %s elements are more than memory can hold", name,
                        EBB_SHAPE(d));
    return EBB_OK;
}

static ebb_status open_input(ebb_extractor *x, const char *name, const ebb_desc *d, int *slot, ebb_error *e)
{
    EBB_TRY(find(x, name, slot, e));
    EBB_TRY(check_desc(name, d, e));
    if (x->w.begun && x->w.cells[*slot].state == EBB_CELL_HERE)
        return ebb_fail(e, EBB_E_STATE,
                        "blob '%s' is there already and layers may have read it: reset the extractor first",
                        name);
    return EBB_OK;
}

// The walk takes over the reference to m.
static void set_input(ebb_extractor *x, int slot, const ebb_desc *d, ebb_storage *m, ptrdiff_t offset,
                      ebb_cell_input how)
{
    static const char *const why[] = {[EBB_COPIED] = "copied",
                                      [EBB_BORROWED] = "borrowed",
                                      [EBB_GIVEN] = "given",
                                      [EBB_EXPECTED] = "given"};
    ebb_walk *w = &x->w;
    ebb_cell *c = &w->cells[slot];
    ebb_blob old = c->blob;
    ebb_holders_remove(w, &c->blob);
    c->blob.desc = *d;
    c->state = EBB_CELL_HERE;
    c->input = (unsigned char)how;
    ebb_walk_hold(w, &c->blob, m, offset);
    if (w->begun && (how == EBB_COPIED || how == EBB_BORROWED)) ebb_walk_pin(w, slot);
    EBB_EMIT(w, .kind = EBB_EV_INPUT, .layer = -1, .blob = slot, .other = -1, .reads = c->reads,
             .desc = &c->blob.desc, .bytes = m->counted ? m->bytes : 0, .why = why[how]);
    if (!old.mem) return;
    const size_t freed = ebb_walk_let_go(w, &old);
    EBB_EMIT(w, .kind = EBB_EV_RELEASE, .layer = -1, .blob = slot, .other = -1, .desc = &old.desc,
             .bytes = freed, .why = "replaced");
}

static ebb_status set_copy(ebb_extractor *x, const char *blob, const ebb_desc *d, const void *data,
                           ebb_error *e)
{
    int slot;
    EBB_TRY(open_input(x, blob, d, &slot, e));
    ebb_desc own = *d;
    if (ebb_desc_order(d) == EBB_PIXEL) ebb_desc_pixel_strides(&own);
    else ebb_desc_planar_strides(&own);
    ebb_storage *m;
    EBB_TRY(ebb_walk_storage(&x->w, ebb_desc_bytes(&own), EBB_ON_HOST, &m, e));
    ebb_order_copy(&own, m->data, d, data, x->w.pool, x->w.threads);
    set_input(x, slot, &own, m, 0, EBB_COPIED);
    return EBB_OK;
}

ebb_status ebb_extractor_copy(ebb_extractor *x, const char *blob, const ebb_desc *d, const void *data,
                              ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, set_copy(x, blob, d, data, e));
}

static ebb_status set_borrowed(ebb_extractor *x, const char *blob, const ebb_desc *d, const void *data,
                               ebb_error *e)
{
    int slot;
    EBB_TRY(open_input(x, blob, d, &slot, e));
    const size_t bytes = ebb_size_mul(ebb_desc_span(d), ebb_dtype_bytes(d->dtype));
    if ((uintptr_t)data % ebb_dtype_bytes(d->dtype))
        return ebb_fail(e, EBB_E_PARAM,
                        "borrowed data of '%s' is not aligned to its %zu-byte elements: copy it instead",
                        blob, ebb_dtype_bytes(d->dtype));
    ebb_storage *m = ebb_storage_around(x->w.heap, (void *)(uintptr_t)data, bytes, false, NULL, NULL);
    if (!m) return ebb_fail(e, EBB_E_NOMEM, "no memory to note the borrowed blob '%s'", blob);
    set_input(x, slot, d, m, 0, EBB_BORROWED);
    return EBB_OK;
}

ebb_status ebb_extractor_borrow(ebb_extractor *x, const char *blob, const ebb_desc *d, const void *data,
                                ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, set_borrowed(x, blob, d, data, e));
}

static void drop_shared(void *user, ebb_storage *m)
{
    (void)m;
    ebb_storage_drop(user);
}

static ebb_status set_given(ebb_extractor *x, const char *blob, ebb_blob *b, ebb_error *e)
{
    int slot;
    EBB_TRY(open_input(x, blob, &b->desc, &slot, e));
    EBB_TRY(ebb_walk_check_limit(&x->w, "an input", b->mem->counted ? b->mem->bytes : 0, e));
    ebb_storage *m = ebb_storage_hold(b->mem);
    // Somebody else still looks at it: it is held through a storage of its own, and never written.
    if (atomic_load(&b->refs) > 1 || ebb_storage_refs(m) > 2 || !m->writable) {
        ebb_storage *around = ebb_storage_around(x->w.heap, m->data, m->bytes, false, drop_shared, m);
        if (!around) {
            ebb_storage_drop(m);
            return ebb_fail(e, EBB_E_NOMEM, "no memory to note the shared blob '%s'", blob);
        }
        around->on = m->on;
        around->counted = m->counted;  // weights cost nothing, as inside the net
        m = around;
    }
    const ebb_desc d = b->desc;
    const ptrdiff_t offset = b->offset;
    ebb_blob_drop(b);
    set_input(x, slot, &d, m, offset, EBB_GIVEN);
    return EBB_OK;
}

ebb_status ebb_extractor_give(ebb_extractor *x, const char *blob, ebb_blob *b, ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, set_given(x, blob, b, e));
}

static ebb_status set_expected(ebb_extractor *x, const char *blob, const ebb_desc *d, ebb_error *e)
{
    int slot;
    EBB_TRY(open_input(x, blob, d, &slot, e));
    EBB_TRY(ebb_walk_check_limit(&x->w, "an input", ebb_desc_bytes(d), e));
    ebb_storage *m = ebb_storage_ghost(x->w.heap, ebb_desc_bytes(d), EBB_ON_HOST);
    if (!m) return ebb_fail(e, EBB_E_NOMEM, "no memory to note the expected blob '%s'", blob);
    ebb_desc own = *d;
    ebb_fit_like(&own, d);
    set_input(x, slot, &own, m, 0, EBB_EXPECTED);
    return EBB_OK;
}

ebb_status ebb_extractor_expect(ebb_extractor *x, const char *blob, const ebb_desc *d, ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, set_expected(x, blob, d, e));
}

ebb_status ebb_extractor_make(ebb_extractor *x, const ebb_desc *d, ebb_blob **b, ebb_error *e)
{
    *b = NULL;
    EBB_TRY(check_desc("(new)", d, e));
    if (ebb_desc_bytes(d) > x->w.limit)
        return ebb_fail(e, EBB_E_LIMIT,
                        "a blob of %zu bytes could never be given: the memory limit is %zu bytes",
                        ebb_desc_bytes(d), x->w.limit);
    ebb_desc own = *d;
    ebb_fit_like(&own, d);
    ebb_storage *m = ebb_storage_new(x->w.heap, ebb_desc_bytes(&own));
    *b = m ? ebb_blob_handle(x->w.heap, &own, m, 0) : NULL;
    ebb_storage_drop(m);
    return *b ? EBB_OK : ebb_fail(e, EBB_E_NOMEM, "no memory for a blob of %zu bytes", ebb_desc_bytes(&own));
}

static ebb_status make_for(ebb_extractor *x, const char *blob, const ebb_desc *d, ebb_blob **b, ebb_error *e)
{
    int slot;
    EBB_TRY(open_input(x, blob, d, &slot, e));
    EBB_TRY(ebb_walk_check_limit(&x->w, "an input", ebb_desc_bytes(d), e));
    return ebb_extractor_make(x, d, b, e);
}

ebb_status ebb_extractor_make_for(ebb_extractor *x, const char *blob, const ebb_desc *d, ebb_blob **b,
                                  ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, make_for(x, blob, d, b, e));
}

// ------------------------------------------------------------------------------------------- outputs

// The blobs of these names: n indices to be given back by forget().
static ebb_status find_all(const ebb_extractor *x, const char *const *blobs, int n, int **slots, ebb_error *e)
{
    if (n < 0) return ebb_fail(e, EBB_E_PARAM, "%d blobs are asked for", n);
    *slots = ebb_heap_get(x->w.heap, EBB_MEM_META, ebb_size_mul((size_t)n, sizeof **slots));
    if (!*slots) return ebb_fail(e, EBB_E_NOMEM, "no memory to look up %d blobs", n);
    ebb_status s = EBB_OK;
    for (int i = 0; i < n && s == EBB_OK; i++) s = find(x, blobs[i], &(*slots)[i], e);
    if (s != EBB_OK) ebb_heap_put(x->w.heap, EBB_MEM_META, *slots, (size_t)n * sizeof **slots);
    return s;
}

static ebb_status forget(const ebb_extractor *x, int *slots, int n, ebb_status s)
{
    ebb_heap_put(x->w.heap, EBB_MEM_META, slots, (size_t)n * sizeof *slots);
    return s;
}

static ebb_status declare(ebb_extractor *x, const char *const *blobs, int n, ebb_error *e)
{
    int *slots;
    EBB_TRY(find_all(x, blobs, n, &slots, e));
    return forget(x, slots, n, ebb_request_declare(&x->w, slots, n, e));
}

ebb_status ebb_extractor_declare(ebb_extractor *x, const char *const *blobs, int n, ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, declare(x, blobs, n, e));
}

static ebb_status keep(ebb_extractor *x, const char *blob, ebb_error *e)
{
    int slot;
    EBB_TRY(find(x, blob, &slot, e));
    x->w.cells[slot].keep = true;
    if (x->w.begun) ebb_walk_pin(&x->w, slot);
    return EBB_OK;
}

ebb_status ebb_extractor_keep(ebb_extractor *x, const char *blob, ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, keep(x, blob, e));
}

static ebb_status extract(ebb_extractor *x, const ebb_request *q, ebb_blob **out, ebb_error *e)
{
    EBB_TRY(ebb_admit(&x->w, q, e));
    const ebb_status s = ebb_request_all(&x->w, q, out, e);
    for (int i = 0; i < q->n && s != EBB_OK; i++) {
        ebb_blob_drop(out[i]);
        out[i] = NULL;
    }
    return s;
}

static ebb_status extract_many(ebb_extractor *x, const char *const *blobs, int n, ebb_take how,
                               ebb_blob **out, ebb_error *e)
{
    int *slots;
    EBB_TRY(ebb_weights_check(x->w.net, e));
    EBB_TRY(find_all(x, blobs, n, &slots, e));
    const ebb_request q = {.slots = slots, .n = n, .how = how};
    return forget(x, slots, n, extract(x, &q, out, e));
}

ebb_status ebb_extractor_extract_many(ebb_extractor *x, const char *const *blobs, int n, ebb_take how,
                                      ebb_blob **out, ebb_error *e)
{
    for (int i = 0; i < n; i++) out[i] = NULL;
    EBB_TRY(enter(x, e));
    return leave(x, extract_many(x, blobs, n, how, out, e));
}

ebb_status ebb_extractor_extract(ebb_extractor *x, const char *blob, ebb_take how, ebb_blob **out,
                                 ebb_error *e)
{
    return ebb_extractor_extract_many(x, &blob, 1, how, out, e);
}

static ebb_status extract_to(ebb_extractor *x, const char *blob, const ebb_desc *d, void *data, ebb_error *e)
{
    int slot;
    ebb_blob *b = NULL;
    EBB_TRY(check_desc(blob, d, e));
    EBB_TRY(find(x, blob, &slot, e));
    const ebb_request q = {.slots = &slot, .n = 1, .how = EBB_TAKE_AS_IS, .inside = true};
    EBB_TRY(extract(x, &q, &b, e));
    ebb_status s = EBB_OK;
    if (!ebb_desc_same_shape(d, &b->desc))
        s = ebb_fail(e, EBB_E_SHAPE, "blob '%s' is %s, but there is room for %s", blob,
                     EBB_SHAPE(&b->desc), EBB_SHAPE(d));
    else if (!ebb_order_can_convert(d->dtype, b->desc.dtype))
        s = ebb_fail(e, EBB_E_UNSUPPORTED, "blob '%s' is %s, which does not become %s by itself", blob,
                     ebb_dtype_name(b->desc.dtype), ebb_dtype_name(d->dtype));
    else
        ebb_order_copy(d, data, &b->desc, ebb_blob_data(b), x->w.pool, x->w.threads);
    ebb_blob_drop(b);
    return s;
}

ebb_status ebb_extractor_extract_to(ebb_extractor *x, const char *blob, const ebb_desc *d, void *data,
                                    ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, extract_to(x, blob, d, data, e));
}

void ebb_extractor_cancel(ebb_extractor *x) { atomic_store(&x->w.cancelled, true); }

static ebb_status predict(ebb_extractor *x, const ebb_request *q, const ebb_observer *watch,
                          ebb_prediction *p, ebb_error *e)
{
    ebb_walk dry;
    ebb_status s = ebb_admit_chooses(&x->w) ? ebb_admit(&x->w, q, e) : EBB_OK;
    if (s != EBB_OK && s != EBB_E_LIMIT) return s;
    s = ebb_dry_walk(&dry, &x->w, q, x->w.limit, watch ? *watch : (ebb_observer){0}, e);
    const ebb_ledger *l = &dry.ledger;
    *p = (ebb_prediction){l->peak, l->scratch_peak, l->joint_peak, l->total, l->exact};
    return s == EBB_OK ? ebb_admit_within(&x->w, l->joint_peak, l->peak_layer, e) : s;
}

static ebb_status predict_many(ebb_extractor *x, const char *const *blobs, int n,
                               const ebb_observer *watch, ebb_prediction *p, ebb_error *e)
{
    int *slots;
    EBB_TRY(find_all(x, blobs, n, &slots, e));
    return forget(x, slots, n, predict(x, &(ebb_request){.slots = slots, .n = n, .how = EBB_TAKE_PLANAR}, watch, p, e));
}

ebb_status ebb_extractor_predict(ebb_extractor *x, const char *const *blobs, int n, const ebb_observer *watch,
                                 ebb_prediction *p, ebb_error *e)
{
    EBB_TRY(enter(x, e));
    return leave(x, predict_many(x, blobs, n, watch, p, e));
}

void ebb_extractor_memory(const ebb_extractor *x, ebb_mem_count count[EBB_MEM_KINDS])
{
    const ebb_ledger *l = &x->w.ledger;
    memset(count, 0, EBB_MEM_KINDS * sizeof *count);
    count[EBB_MEM_BLOB] = (ebb_mem_count){l->live, l->peak, l->count};
    count[EBB_MEM_SCRATCH] = (ebb_mem_count){l->scratch_live, l->scratch_peak, l->scratch_count};
}
