// SPDX-License-Identifier: BSD-3-Clause
// pull.c - the interpreter: one walk, dry and real. It asks a layer for shapes and a plan, makes inputs readable,
// makes outputs, runs the layer, counts the reads down. The lifetime rules stand in walk.h.
// Rule: a dry walk takes the same decisions; it only has no data.
#include "error.h"
#include "order.h"
#include "walk.h"
#include <string.h>

// What running one node needs, sized for the widest node of the net.
typedef struct ebb_run {
    ebb_arena arena;
    ebb_desc *in_desc, *out_desc;
    ebb_plan_input *plan_in;
    ebb_plan_output *plan_out;
    ebb_view *view;
    bool *wanted, *copied;
    ebb_blob *in;            // as the layer reads them
    ebb_blob *spare;         // outputs that nobody wants but the layer needs
    const ebb_blob **in_ptr;
    ebb_blob **out_ptr;
} ebb_run;

ebb_status ebb_run_new(ebb_walk *w, ebb_error *e)
{
    const size_t ins = (size_t)w->net->g.max_in, outs = (size_t)w->net->g.max_out;
    ebb_arena a = {.seam = w->seam};
    ebb_run *r = ebb_arena_get(&a, sizeof *r);
    if (r) {
        r->in_desc = ebb_arena_get(&a, ins * sizeof *r->in_desc);
        r->out_desc = ebb_arena_get(&a, outs * sizeof *r->out_desc);
        r->plan_in = ebb_arena_get(&a, ins * sizeof *r->plan_in);
        r->plan_out = ebb_arena_get(&a, outs * sizeof *r->plan_out);
        r->view = ebb_arena_get(&a, outs * sizeof *r->view);
        r->wanted = ebb_arena_get(&a, outs);
        r->copied = ebb_arena_get(&a, ins);
        r->in = ebb_arena_get(&a, ins * sizeof *r->in);
        r->spare = ebb_arena_get(&a, outs * sizeof *r->spare);
        r->in_ptr = ebb_arena_get(&a, ins * sizeof *r->in_ptr);
        r->out_ptr = ebb_arena_get(&a, outs * sizeof *r->out_ptr);
        r->arena = a;
    }
    w->run = r;
    if (r && r->in_desc && r->out_desc && r->plan_in && r->plan_out && r->view && r->wanted && r->copied &&
        r->in && r->spare && r->in_ptr && r->out_ptr)
        return EBB_OK;
    if (!r) ebb_arena_free(&a);
    return ebb_fail(e, EBB_E_NOMEM, "no memory for the plan of one layer");
}

void ebb_run_free(ebb_walk *w)
{
    if (!w->run) return;
    ebb_arena a = w->run->arena;
    ebb_arena_free(&a);
    w->run = NULL;
}

// ------------------------------------------------------------------------------------------- shapes and plans

static ebb_shape_in shape_in(const ebb_walk *w, const ebb_node *n)
{
    return (ebb_shape_in){n->n_in, n->n_out, w->run->in_desc};
}

static ebb_status check_shape(const ebb_walk *w, const ebb_node *n, int k, ebb_error *e)
{
    const ebb_desc *d = &w->run->out_desc[k];
    char text[64];
    if (d->rank < 0 || d->rank > EBB_MAX_RANK || ebb_desc_bytes(d) == SIZE_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "output '%s' would be %s, which is no possible size",
                        w->net->g.slots[n->out[k]].name, ebb_desc_text(d, text, sizeof text));
    return EBB_OK;
}

static ebb_status shapes(ebb_walk *w, const ebb_node *n, ebb_error *e)
{
    ebb_run *r = w->run;
    for (int i = 0; i < n->n_in; i++) {
        const ebb_cell *c = &w->cells[n->in[i]];
        r->in_desc[i] = c->blob.desc;
        if (!n->shape_only[i] && !w->dry && c->blob.mem->ghost)
            return ebb_fail(e, EBB_E_STATE, "input '%s' was only expected: give its data before extracting",
                            w->net->g.slots[n->in[i]].name);
    }
    memset(r->out_desc, 0, (size_t)n->n_out * sizeof *r->out_desc);
    for (int k = 0; k < n->n_out && n->constants; k++) r->out_desc[k] = n->constants[k].desc;
    if (!n->constants) {
        const ebb_shape_in in = shape_in(w, n);
        EBB_TRY(n->type->shape(n->state, &in, r->out_desc, e));
    }
    for (int k = 0; k < n->n_out; k++) {
        EBB_TRY(check_shape(w, n, k, e));
        const ebb_cell *c = &w->cells[n->out[k]];
        r->wanted[k] = c->state != EBB_CELL_HERE && c->reads > 0;
    }
    return EBB_OK;
}

// -1 without inputs; ties go to the first.
static int largest_input(const ebb_plan_in *in)
{
    int at = in->n_in - 1;
    for (int i = at - 1; i >= 0; i--)
        if (ebb_desc_count(&in->in[i]) >= ebb_desc_count(&in->in[at])) at = i;
    return at;
}

void ebb_plan_default(const ebb_layer_type *t, const ebb_plan_in *in, ebb_plan *plan)
{
    const bool spatial = t->flags & EBB_LAYER_SPATIAL, sequence = t->flags & EBB_LAYER_SEQUENCE;
    const int lead = largest_input(in);
    unsigned order = spatial ? EBB_PIXEL : EBB_PLANAR;
    if (!spatial && !sequence && lead >= 0 && ebb_desc_order(&in->in[lead]))
        order = ebb_desc_order(&in->in[lead]);
    for (int i = 0; i < in->n_in; i++) {
        plan->in[i] = (ebb_plan_input){.orders = order, .dtypes = EBB_BIT(EBB_F32)};
        if (!spatial && !sequence && !ebb_desc_same_shape(&in->in[i], &in->in[lead]))
            plan->in[i].orders = EBB_ANY_ORDER;
    }
    for (int k = 0; k < in->n_out; k++)
        plan->out[k] = (ebb_plan_output){.order = spatial ? EBB_PIXEL : EBB_PLANAR,
                                         .dtypes = EBB_BIT(EBB_F32),
                                         .follow = spatial || sequence ? -1 : lead,
                                         .steal = -1,
                                         .steal_else = -1,
                                         .grow = -1};
    plan->algorithm = "plain";
}

static ebb_status make_plan(ebb_walk *w, const ebb_node *n, ebb_plan *plan, ebb_error *e)
{
    ebb_run *r = w->run;
    const size_t held = w->live + w->scratch_live;
    const ebb_plan_in in = {
        .n_in = n->n_in, .n_out = n->n_out, .in = r->in_desc, .out = r->out_desc, .wanted = r->wanted,
        .threads = n->features & EBB_NO_THREADS ? 1 : w->threads,
        .memory_limit = w->limit == SIZE_MAX ? SIZE_MAX : w->limit > held ? w->limit - held : 0,
        .k = w->net->k};
    *plan = (ebb_plan){.in = r->plan_in, .out = r->plan_out};
    ebb_plan_default(n->type, &in, plan);
    if (n->type->plan) EBB_TRY(n->type->plan(n->state, &in, plan, e));
    if (!n->dev_state) return EBB_OK;
    for (int i = 0; i < n->n_in; i++) plan->in[i].dtypes = EBB_BIT(EBB_F32);  // all that shaders know
    for (int k = 0; k < n->n_out; k++) plan->out[k].dtypes = EBB_BIT(EBB_F32);
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- outputs

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

static bool covers_storage(const ebb_blob *b)
{
    return b->offset == 0 && ebb_desc_dense(&b->desc) && ebb_desc_bytes(&b->desc) == b->mem->bytes;
}

static bool can_steal(const ebb_walk *w, const ebb_node *n, int i, const ebb_desc *out, ebb_residence on)
{
    const ebb_blob *b = &w->run->in[i];
    return may_overwrite(w, n, i) && covers_storage(b) && ebb_desc_same_shape(&b->desc, out) &&
           b->desc.dtype == out->dtype && b->mem->on == on;
}

// Moves the storage of input i, which is read for the last time, into another blob.
static ebb_storage *take_storage(ebb_walk *w, const ebb_node *n, int i)
{
    ebb_run *r = w->run;
    ebb_storage *m = r->in[i].mem;
    if (r->copied[i]) r->copied[i] = false;
    else w->cells[n->in[i]].blob.mem = NULL;
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
        inner *= d->dim[i];
    }
    if (inner == 0 || (d->dim[axis] > 1 && d->stride[axis] != inner)) return 0;
    size_t outer = 1;
    for (int i = 0; i < axis; i++) outer *= (size_t)d->dim[i];
    const size_t row = (size_t)inner * ebb_dtype_bytes(d->dtype);
    const size_t cap = outer && b->offset == 0 ? b->mem->bytes / row / outer : 0;
    for (ptrdiff_t i = axis - 1, step = inner * (ptrdiff_t)cap; i >= 0; step *= d->dim[i--])
        if (d->dim[i] != 1 && d->stride[i] != step) return 0;
    return cap;
}

static void grown_strides(ebb_desc *d, int axis, size_t cap)
{
    ptrdiff_t step = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        d->stride[i] = step;
        step *= i == axis ? (ptrdiff_t)cap : d->dim[i];
    }
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
        b->offset = 0;
    } else {
        size_t cap = 64;
        while (cap < need) cap *= 2;
        grown_strides(&b->desc, p->grow_axis, cap);
        ebb_desc whole = b->desc;
        whole.dim[p->grow_axis] = cap > INT32_MAX ? -1 : (int)cap;
        ebb_storage *m;
        EBB_TRY(ebb_walk_storage(w, ebb_desc_bytes(&whole), EBB_ON_HOST, &m, e));
        ebb_walk_hold(w, b, m, 0);
        ebb_desc part = old->desc;
        memcpy(part.stride, b->desc.stride, sizeof part.stride);
        if (!w->dry && !empty)
            ebb_order_copy(&part, m->data, &old->desc, ebb_blob_data(old), w->pool, w->threads);
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

static ebb_status make_output(ebb_walk *w, int at, int k, const ebb_plan *plan, ebb_residence on,
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
    const int from = p->steal >= 0 && can_steal(w, n, p->steal, &b->desc, on)             ? p->steal
                     : p->steal_else >= 0 && can_steal(w, n, p->steal_else, &b->desc, on) ? p->steal_else
                                                                                          : -1;
    if (from >= 0) {
        b->desc = r->in[from].desc;
        b->mem = take_storage(w, n, from);
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

// ------------------------------------------------------------------------------------------- running

static ebb_status fit_inputs(ebb_walk *w, int at, const ebb_plan *plan, ebb_residence on, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_run *r = w->run;
    for (int i = 0; i < n->n_in; i++) {
        r->in_ptr[i] = &r->in[i];
        r->in[i] = (ebb_blob){.desc = r->in_desc[i]};
        if (n->shape_only[i]) continue;
        const ebb_want want = {plan->in[i].orders, plan->in[i].dtypes, false, on};
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

static ebb_status call_cpu(ebb_walk *w, int at, const ebb_plan *plan, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    const int threads = n->features & EBB_NO_THREADS ? 1 : w->threads;
    const size_t shared = aligned(plan->scratch), each = aligned(plan->worker_scratch);
    const size_t bytes = ebb_size_add(shared, ebb_size_mul(each, (size_t)threads));
    void *scratch;
    EBB_TRY(ebb_walk_scratch(w, at, bytes, &scratch, e));
    ebb_status s = EBB_OK;
    if (!w->dry) {
        const ebb_desc *d = &w->run->out_desc[0];
        const ebb_cpu cpu = {.k = w->net->k,
                             .n_in = n->n_in,
                             .n_out = n->n_out,
                             .choice = plan->choice,
                             .y0 = 0,
                             .y1 = n->n_out && d->rank >= 2 ? d->dim[d->rank - 2] : 1,
                             .threads = threads,
                             .scratch = scratch,
                             .pool = w->pool,
                             .worker_scratch = scratch ? (char *)scratch + shared : NULL,
                             .worker_bytes = each};
        s = n->type->cpu(n->state, &cpu, w->run->in_ptr, w->run->out_ptr, e);
    }
    ebb_walk_unscratch(w, at, scratch, bytes);
    return s;
}

static ebb_status record(ebb_walk *w, const ebb_node *n, ebb_error *e)
{
    if (w->dry) return EBB_OK;
    return n->type->record_vk(n->state, n->dev_state, w->cmd, w->run->in_ptr, w->run->out_ptr, e);
}

static void note_shrinks(ebb_walk *w, int at)
{
    const ebb_node *n = &w->net->g.nodes[at];
    w->exact = false;
    for (int k = 0; k < n->n_out; k++) {
        const ebb_blob *b = w->run->out_ptr[k];
        if (b && !ebb_desc_same_shape(&b->desc, &w->run->out_desc[k]))
            EBB_EMIT(w, .kind = EBB_EV_SHRINK, .layer = at, .blob = n->out[k], .other = -1, .desc = &b->desc);
    }
}

// Copies and spares die with the run, also with a failed one.
static void drop_temporaries(ebb_walk *w, int at)
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

static ebb_status compute(ebb_walk *w, int at, ebb_plan *plan, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    bool any = n->n_out == 0;
    for (int k = 0; k < n->n_out; k++) any |= w->run->wanted[k];
    if (!any) return EBB_OK;
    EBB_TRY(make_plan(w, n, plan, e));
    const ebb_residence on = n->dev_state ? EBB_ON_DEVICE : EBB_ON_HOST;
    ebb_status s = fit_inputs(w, at, plan, on, e);
    for (int k = 0; k < n->n_out && s == EBB_OK; k++) s = make_output(w, at, k, plan, on, e);
    if (s == EBB_OK) s = on == EBB_ON_HOST ? call_cpu(w, at, plan, e) : record(w, n, e);
    if (s == EBB_OK && (n->type->flags & EBB_LAYER_DATA_SHAPE)) note_shrinks(w, at);
    drop_temporaries(w, at);
    return s;
}

// ------------------------------------------------------------------------------------------- views and constants

static ebb_status copy_view(ebb_walk *w, int at, int k, const ebb_view *v, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    const int slot = n->in[v->from < 0 ? 0 : v->from];
    const ebb_want want = {EBB_ANY_ORDER, ~0u, false, EBB_ON_HOST};
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
    drop_temporaries(w, at);
    return s;
}

// Asks a VIEW layer for its views. False: one is not possible, and the layer would rather compute.
static bool look(ebb_walk *w, const ebb_node *n)
{
    ebb_run *r = w->run;
    bool all = true;
    for (int k = 0; k < n->n_out; k++) r->view[k] = (ebb_view){.desc = r->out_desc[k]};
    const ebb_shape_in in = shape_in(w, n);
    n->type->view(n->state, &in, r->view);
    for (int k = 0; k < n->n_out; k++) all &= r->view[k].from >= 0;
    return all || !n->type->cpu;
}

static ebb_status make_views(ebb_walk *w, int at, ebb_error *e)
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
        w->parts += part;
        ebb_blob *b = place(w, n, k);
        b->desc = v->desc;
        ebb_walk_hold(w, b, ebb_storage_hold(whole->mem), whole->offset + v->offset);
        EBB_EMIT(w, .kind = EBB_EV_VIEW, .layer = at, .blob = n->out[k], .other = n->in[v->from],
                 .reads = w->cells[n->out[k]].reads, .desc = &b->desc);
    }
    return EBB_OK;
}

static void hand_out_constants(ebb_walk *w, int at)
{
    const ebb_node *n = &w->net->g.nodes[at];
    for (int k = 0; k < n->n_out; k++) {
        if (!w->run->wanted[k]) continue;
        ebb_blob *b = place(w, n, k);
        b->desc = n->constants[k].desc;
        ebb_walk_hold(w, b, ebb_storage_hold(n->constants[k].mem), n->constants[k].offset);
        EBB_EMIT(w, .kind = EBB_EV_VIEW, .layer = at, .blob = n->out[k], .other = -1,
                 .reads = w->cells[n->out[k]].reads, .desc = &b->desc, .why = "weights");
    }
}

// ------------------------------------------------------------------------------------------- the walk

static ebb_status run_node(ebb_walk *w, int at, ebb_error *e)
{
    const ebb_node *n = &w->net->g.nodes[at];
    ebb_plan plan = {.algorithm = "view"};
    EBB_EMIT(w, .kind = EBB_EV_BEGIN, .layer = at, .blob = -1, .other = -1,
             .why = w->node[at] & EBB_RAN ? "again" : "");
    EBB_TRY(shapes(w, n, e));
    if (n->constants) hand_out_constants(w, at);
    else if ((n->type->flags & EBB_LAYER_VIEW) && look(w, n)) EBB_TRY(make_views(w, at, e));
    else EBB_TRY(compute(w, at, &plan, e));
    for (int k = 0; k < n->n_out; k++) {
        ebb_cell *c = &w->cells[n->out[k]];
        if (c->state == EBB_CELL_HERE) continue;
        c->blob.desc = w->run->out_desc[k];  // for those who read its shape only
        c->state = EBB_CELL_GONE;
    }
    w->node[at] = (unsigned char)((w->node[at] & ~EBB_PENDING) | EBB_RAN);
    const ebb_shape_in in = shape_in(w, n);
    const double macs =
        w->observer.event && n->type->macs ? n->type->macs(n->state, &in, w->run->out_desc) : 0;
    for (int i = 0; i < n->n_in; i++)
        if (!n->shape_only[i]) ebb_walk_read(w, at, n->in[i]);
    EBB_EMIT(w, .kind = EBB_EV_END, .layer = at, .blob = -1, .other = -1, .macs = macs,
             .why = plan.algorithm);
    return EBB_OK;
}

ebb_status ebb_pull(ebb_walk *w, int slot, ebb_error *e)
{
    ebb_demand_begin(w);
    EBB_TRY(ebb_demand(w, slot, e));
    for (int i = 0; i < w->n_order; i++) {
        const ebb_node *n = &w->net->g.nodes[w->order[i]];
        if (atomic_load_explicit(&w->cancelled, memory_order_relaxed)) {
            w->broken = true;
            return ebb_fail(e, EBB_E_CANCELLED, "cancelled before layer %d '%s'", w->order[i], n->name);
        }
        const ebb_status s = run_node(w, w->order[i], e);
        if (s == EBB_OK) continue;
        w->broken = true;
        return ebb_error_prefix(e, s, "layer %d '%s' (%s): ", w->order[i], n->name, n->type->name);
    }
    return EBB_OK;
}
