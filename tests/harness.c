// SPDX-License-Identifier: BSD-3-Clause
// harness.c - checks layers in every way the interpreter may call them. Rule: whatever the contract leaves
// open (orders, strides, threads, stealing, unwanted outputs) is varied, and every byte that is not an
// element stays.
#include "harness_model.h"
#include "msan.h"
#include "order.h"
#include "pairs.h"
#include "walk.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- variants

typedef enum shape_order { PLANAR, PIXEL, ALTERNATE, ALTERNATE_2, STRIDED, ORDERS } shape_order;
static const char *const order_names[] = {"planar", "pixel", "planar,pixel", "pixel,planar", "strided"};

typedef enum mode { PLAIN, IN_PLACE, IN_PLACE_ELSE, HALVES, TIGHT, ALONE } mode;
static const char *const mode_names[] = {"",
                                         ", in place",
                                         ", in the place of the other input",
                                         ", rows in two halves",
                                         ", without scratch to spare",
                                         ", one output wanted"};

typedef struct variant {
    const layer_case *c;
    const ebb_net *net;
    const ebb_node *node;
    const tensor *in;
    const tensor *want;
    shape_order order;
    bool in_padded, out_padded;
    ebb_dtype dtype;  // that float inputs are given in, where accepted
    ebb_dtype other;  // every second one
    ebb_pool *pool;
    int threads;
    mode mode;
    int alone;  // the only output wanted, in mode ALONE
} variant;

static void wrong(const variant *v, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));
static void wrong(const variant *v, const char *fmt, ...)
{
    char what[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    char shape[64] = "no input";
    if (v->c->n_in) {
        const ebb_desc d = describe(&v->in[0], EBB_F32);
        ebb_desc_text(&d, shape, sizeof shape);
    }
    ck_abort_msg("%s %s on %s [%s, %s, inputs %s,%s %s %s, outputs %s, %d threads%s]: %s", v->c->type,
                 v->c->params, shape, v->net->isa, v->net->opt.prefer == EBB_PREFER_FAST ? "fast" : "small",
                 ebb_dtype_name(v->dtype), ebb_dtype_name(v->other), order_names[v->order],
                 v->in_padded ? "padded" : "dense", v->out_padded ? "padded" : "dense", v->threads,
                 mode_names[v->mode], what);
    abort();
}

// Dense strides of that order, or with gaps after each run that the order's rule leaves free.
static void set_strides(ebb_desc *d, shape_order order, bool padded)
{
    ptrdiff_t step = 1;
    if (order == PIXEL && d->rank) d->stride[0] = 1, step = d->dim[0] + (padded && d->rank > 1 ? 3 : 0);
    if (order == STRIDED) step = 2;
    for (int i = d->rank - 1; i >= (order == PIXEL); i--) {
        d->stride[i] = step;
        step *= d->dim[i];
        if (padded) step += 2 + i;
    }
}

// ------------------------------------------------------------------------------------------- buffers

enum { GAP = 0xff, GUARD = 64 };  // gaps are NaN, so that reading one shows

typedef struct buffer {
    ebb_storage mem;
    ebb_blob blob;
    unsigned char *base;
    size_t bytes;
} buffer;

// A blob in memory of its own. Padded ones start off alignment; inputs end with their last element, so that a
// sanitizer sees reads past it; outputs are followed by a guard.
static void buffer_new(buffer *b, const ebb_desc *d, bool padded, bool guarded)
{
    const size_t cell = ebb_dtype_bytes(d->dtype), lead = padded ? cell : 0;
    b->bytes = lead + ebb_desc_span(d) * cell + (guarded ? GUARD : 0);
    void *p = NULL;
    ck_assert_int_eq(posix_memalign(&p, 64, b->bytes + (b->bytes == 0)), 0);
    b->base = p;
    memset(b->base, GAP, b->bytes);
    b->mem = (ebb_storage){.writable = true, .bytes = b->bytes - lead, .data = b->base + lead};
    b->blob = (ebb_blob){.desc = *d, .mem = &b->mem};
}

static unsigned char *cell_of(const buffer *b, const ebb_desc *d, size_t i)
{
    return (unsigned char *)b->mem.data + element(d, i) * (ptrdiff_t)ebb_dtype_bytes(d->dtype);
}

static void buffer_fill(buffer *b, const tensor *t)
{
    for (size_t i = 0; i < tensor_count(t); i++)
        put_cell(b->blob.desc.dtype, cell_of(b, &b->blob.desc, i), t->v[i]);
}

// Bytes of b that belong to no element of d must be as they were.
static void check_gaps(const variant *v, const buffer *b, const ebb_desc *d, const char *what, int k)
{
    const size_t cell = ebb_dtype_bytes(d->dtype), n = ebb_desc_count(d);
    unsigned char *owned = calloc(b->bytes + 1, 1);
    ck_assert_ptr_nonnull(owned);
    for (size_t i = 0; i < n; i++) memset(owned + (cell_of(b, d, i) - b->base), 1, cell);
    for (size_t i = 0; i < b->bytes; i++)
        if (!owned[i] && b->base[i] != GAP)
            wrong(v, "%s %d: byte %td from element 0 is not an element, but was written", what, k,
                  b->base + i - (unsigned char *)b->mem.data);
    free(owned);
}

static void check_shape(const variant *v, int k, const ebb_desc *d)
{
    const ebb_desc want = describe(&v->want[k], d->dtype);
    char a[64], b[64];
    if (!ebb_desc_same_shape(d, &want))
        wrong(v, "output %d has shape %s, want %s", k, ebb_desc_text(d, a, sizeof a),
              ebb_desc_text(&want, b, sizeof b));
}

static void check_values(const variant *v, int k, const ebb_desc *d, const void *element_0)
{
    char text[200];
    if (differs(&v->want[k], v->c->tol, d, element_0, text, sizeof text)) wrong(v, "output %d %s", k, text);
}

// ------------------------------------------------------------------------------------------- one call

typedef struct call {
    ebb_desc in_desc[CASE_IN], out_desc[CASE_OUT];
    bool wanted[CASE_OUT];
    ebb_plan plan;
    ebb_plan_input plan_in[CASE_IN];
    ebb_plan_output plan_out[CASE_OUT];
    buffer in[CASE_IN], out[CASE_OUT];
    const ebb_blob *in_blob[CASE_IN];
    ebb_blob *out_blob[CASE_OUT];
    int stolen[CASE_IN];  // the output that overwrote it, -1: none
    _Alignas(16) unsigned char work[2048];
} call;

static shape_order order_of(const variant *v, int i)
{
    return v->order == ALTERNATE     ? (shape_order)(i % 2)
           : v->order == ALTERNATE_2 ? (shape_order)(1 - i % 2)
                                     : v->order;
}

static void describe_inputs(const variant *v, call *c)
{
    for (int i = 0; i < v->c->n_in; i++) {
        const ebb_dtype given = i % 2 ? v->other : v->dtype;
        c->in_desc[i] = describe(&v->in[i], is_integer(v->c->in[i].dtype) ? v->c->in[i].dtype : given);
        set_strides(&c->in_desc[i], order_of(v, i), v->in_padded);
    }
    for (int k = 0; k < v->c->n_out; k++) c->wanted[k] = v->mode != ALONE || k == v->alone;
}

static void get_shapes(const variant *v, call *c)
{
    ebb_error e;
    for (int k = 0; k < v->c->n_out; k++) c->out_desc[k] = (ebb_desc){.dtype = EBB_F32};
    const ebb_shape_in in = {v->c->n_in, v->c->n_out, c->in_desc};
    if (v->node->type->shape(v->node->state, &in, c->out_desc, &e) != EBB_OK) wrong(v, "shape: %s", e.msg);
    for (int k = 0; k < v->c->n_out; k++) {
        if (!(v->node->type->flags & EBB_LAYER_DATA_SHAPE)) check_shape(v, k, &c->out_desc[k]);
        if (c->out_desc[k].rank != v->want[k].rank)
            wrong(v, "output %d has rank %d, want %d", k, c->out_desc[k].rank, v->want[k].rank);
    }
}

static void get_plan(const variant *v, call *c)
{
    ebb_error e;
    const ebb_plan_in in = {.n_in = v->c->n_in,
                            .n_out = v->c->n_out,
                            .in = c->in_desc,
                            .out = c->out_desc,
                            .wanted = c->wanted,
                            .threads = v->threads,
                            .k = v->net->k,
                            .memory_limit = v->mode == TIGHT ? 0 : SIZE_MAX};
    c->plan = (ebb_plan){.in = c->plan_in, .out = c->plan_out};
    ck_assert_uint_le(v->node->type->work_size, sizeof c->work);
    c->plan.work = memset(c->work, 0, sizeof c->work);
    ebb_plan_default(v->node->type, &in, &c->plan);
    if (v->node->type->plan && v->node->type->plan(v->node->state, &in, &c->plan, &e) != EBB_OK)
        wrong(v, "plan: %s", e.msg);
    const unsigned reads = v->node->type->reads;
    for (int i = 0; i < v->c->n_in && reads; i++)
        if (!(c->plan_in[i].orders & reads)) wrong(v, "input %d is not read in the order that the type tells", i);
    if (!(c->plan.macs >= 0 && c->plan.macs < 1e15)) wrong(v, "%g multiply-adds", c->plan.macs);
}

// As the interpreter does: what the plan does not accept is converted.
static void convert_inputs(const variant *v, call *c)
{
    for (int i = 0; i < v->c->n_in; i++) {
        const ebb_plan_input *p = &c->plan_in[i];
        ebb_desc *d = &c->in_desc[i];
        if (!(p->dtypes & EBB_BIT(d->dtype))) {
            if (is_integer(d->dtype))
                wrong(v, "the plan does not accept input %d's dtype %s", i, ebb_dtype_name(d->dtype));
            d->dtype = EBB_F32;
        }
        if (p->orders & (ebb_desc_order(d) | EBB_NO_ORDER)) continue;
        set_strides(d, p->orders & EBB_PLANAR ? PLANAR : PIXEL, v->in_padded);
    }
}

static void make_buffers(const variant *v, call *c)
{
    for (int i = 0; i < v->c->n_in; i++) {
        buffer_new(&c->in[i], &c->in_desc[i], v->in_padded, false);
        buffer_fill(&c->in[i], &v->in[i]);
        c->in_blob[i] = &c->in[i].blob;
        c->stolen[i] = -1;
    }
    for (int k = 0; k < v->c->n_out; k++) {
        const ebb_plan_output *p = &c->plan_out[k];
        unsigned order = p->follow >= 0 ? ebb_desc_order(&c->in_desc[p->follow]) : p->order;
        if (!(order & (EBB_PLANAR | EBB_PIXEL))) order = EBB_PLANAR;
        set_strides(&c->out_desc[k], order & EBB_PLANAR ? PLANAR : PIXEL, v->out_padded);
        buffer_new(&c->out[k], &c->out_desc[k], v->out_padded, true);
        c->out_blob[k] = c->wanted[k] ? &c->out[k].blob : NULL;
    }
}

static bool same_cells(const ebb_desc *a, const ebb_desc *b)
{
    return a->dtype == b->dtype && ebb_desc_same_shape(a, b);
}

// Lets outputs take over inputs as the plan allows. False when there is none to take.
static bool steal(const variant *v, call *c)
{
    bool any = false;
    for (int k = 0; k < v->c->n_out; k++) {
        const ebb_plan_output *p = &c->plan_out[k];
        const unsigned left = v->mode == IN_PLACE ? p->steal : p->steal & (p->steal - 1);  // without the first
        const int i = left ? __builtin_ctz(left) : -1;
        if (i < 0 || !same_cells(&c->in_desc[i], &c->out_desc[k]) || c->stolen[i] >= 0) continue;
        c->out[k].blob = c->in[i].blob;
        c->out_desc[k] = c->in_desc[i];
        c->stolen[i] = k;
        any = true;
    }
    return any;
}

// Puts the old elements of growing outputs in place.
static void grow(const variant *v, call *c)
{
    for (int k = 0; k < v->c->n_out; k++) {
        const int i = c->plan_out[k].grow;
        if (i < 0) continue;
        ebb_desc part = c->in_desc[i];
        memcpy(part.stride, c->out_desc[k].stride, sizeof part.stride);
        ebb_order_copy(&part, c->out[k].mem.data, &c->in_desc[i], c->in[i].mem.data, NULL, 1);
        c->out_blob[k] = &c->out[k].blob;
    }
}

static void call_cpu(const variant *v, call *c, ebb_cpu *cpu, int y0, int y1)
{
    ebb_error e;
    cpu->y0 = y0, cpu->y1 = y1;
    if (v->node->type->cpu(v->node->state, cpu, c->in_blob, c->out_blob, &e) != EBB_OK)
        wrong(v, "cpu: %s", e.msg);
}

static buffer scratch_of(size_t bytes)
{
    buffer b;
    const ebb_desc d = ebb_desc_planar(EBB_I8, 1, (const int[]){(int)bytes});
    buffer_new(&b, &d, false, true);
    return b;
}

static void end_scratch(const variant *v, buffer *b, const char *what)
{
    check_gaps(v, b, &b->blob.desc, what, 0);
    free(b->base);
}

static void compute(const variant *v, call *c)
{
    const size_t each = (c->plan.worker_scratch + 63) / 64 * 64;
    buffer scratch = scratch_of(c->plan.scratch), workers = scratch_of(each * (size_t)v->threads);
    ebb_cpu cpu = {.k = v->net->k,
                   .n_in = v->c->n_in,
                   .n_out = v->c->n_out,
                   .in = c->in_desc,
                   .out = c->out_desc,
                   .work = c->plan.work,
                   .threads = v->threads,
                   .pool = v->pool,
                   .scratch = scratch.mem.data,
                   .worker_scratch = workers.mem.data,
                   .worker_bytes = each};
    const ebb_desc *out = &c->out_desc[0];
    const int rows = out->rank >= 2 ? out->dim[out->rank - 2] : 1, half = v->mode == HALVES ? rows / 2 : 0;
    if (half) call_cpu(v, c, &cpu, 0, half);
    call_cpu(v, c, &cpu, half, rows);
    end_scratch(v, &scratch, "scratch");
    end_scratch(v, &workers, "worker scratch");
}

static void check_call(const variant *v, call *c)
{
    for (int k = 0; k < v->c->n_out; k++) {
        if (!c->wanted[k]) continue;
        const buffer *b = &c->out[k];
        check_values(v, k, &b->blob.desc, ebb_blob_data(&b->blob));
        if (b->blob.mem == &b->mem) check_gaps(v, b, &c->out_desc[k], "output", k);
    }
    for (int i = 0; i < v->c->n_in; i++) {
        check_gaps(v, &c->in[i], &c->in_desc[i], "input", i);
        for (size_t j = 0; c->stolen[i] < 0 && j < tensor_count(&v->in[i]); j++) {
            const double now = get_cell(c->in_desc[i].dtype, cell_of(&c->in[i], &c->in_desc[i], j)),
                         was = v->in[i].v[j];
            if (now != was && !isnan(was))
                wrong(v, "input %d was written: element %zu is %g, was %g", i, j, now, was);
        }
    }
}

static bool makes_sense(const variant *v, const call *c)
{
    if (v->mode == HALVES) return v->node->type->reads == EBB_PIXEL && c->out_desc[0].rank >= 3;
    return v->mode != TIGHT || c->plan.scratch + c->plan.worker_scratch > 0;
}

static void free_buffers(const variant *v, call *c)
{
    for (int i = 0; i < v->c->n_in; i++) free(c->in[i].base);
    for (int k = 0; k < v->c->n_out; k++) free(c->out[k].base);
}

static void check_cpu(const variant *v)
{
    call c = {0};
    describe_inputs(v, &c);
    get_shapes(v, &c);
    variant plenty = *v;
    plenty.mode = PLAIN;
    get_plan(v->mode == TIGHT ? &plenty : v, &c);
    if (!makes_sense(v, &c)) return;
    if (v->mode == TIGHT) get_plan(v, &c);
    convert_inputs(v, &c);
    make_buffers(v, &c);
    grow(v, &c);
    if ((v->mode != IN_PLACE && v->mode != IN_PLACE_ELSE) || steal(v, &c)) {
        compute(v, &c);
        check_call(v, &c);
    }
    free_buffers(v, &c);
}

// ------------------------------------------------------------------------------------------- views,
// constants

// A view that is none: the interpreter copies input 0 in c, h, w order.
static void check_copy(const variant *v, int k, const call *c, ebb_desc *d)
{
    if (v->c->n_in < 1 || ebb_desc_count(d) != ebb_desc_count(&c->in_desc[0]) ||
        d->dtype != c->in_desc[0].dtype)
        wrong(v, "output %d is no view, and not a reshape of input 0 either", k);
    buffer b;
    set_strides(d, PLANAR, false);
    buffer_new(&b, d, false, false);
    ebb_order_copy(d, b.mem.data, &c->in_desc[0], c->in[0].mem.data, NULL, 1);
    check_values(v, k, d, b.mem.data);
    free(b.base);
}

static void check_one_view(const variant *v, const call *c, int k, ebb_view *view)
{
    const int from = view->from;
    if (from >= v->c->n_in) wrong(v, "output %d is a view of input %d", k, from);
    if (from < 0) {
        check_copy(v, k, c, &view->desc);
        return;
    }
    const size_t span = ebb_desc_span(&view->desc);
    if (view->offset < 0 || (span && (size_t)view->offset + span > ebb_desc_span(&c->in_desc[from])))
        wrong(v, "output %d reaches outside of input %d: offset %td, span %zu", k, from, view->offset, span);
    if (view->desc.dtype != c->in_desc[from].dtype)
        wrong(v, "output %d has not the dtype of input %d", k, from);
    check_values(v, k, &view->desc,
                 (char *)c->in[from].mem.data + view->offset * (ptrdiff_t)ebb_dtype_bytes(view->desc.dtype));
}

// False when the layer would rather compute.
static bool check_view(const variant *v)
{
    call c = {0};
    bool all = true;
    describe_inputs(v, &c);
    get_shapes(v, &c);
    ebb_view view[CASE_OUT] = {0};
    for (int k = 0; k < v->c->n_out; k++) view[k].desc = c.out_desc[k];
    const ebb_shape_in in = {v->c->n_in, v->c->n_out, c.in_desc};
    v->node->type->view(v->node->state, &in, view);
    for (int k = 0; k < v->c->n_out; k++) all &= view[k].from != EBB_BY_CPU;
    if (!all && v->node->type->cpu) return false;
    for (int i = 0; i < v->c->n_in; i++) {
        buffer_new(&c.in[i], &c.in_desc[i], v->in_padded, false);
        buffer_fill(&c.in[i], &v->in[i]);
    }
    for (int k = 0; k < v->c->n_out; k++) check_one_view(v, &c, k, &view[k]);
    free_buffers(v, &c);
    return true;
}

static void check_constants(const variant *v)
{
    for (int k = 0; k < v->c->n_out; k++) {
        const ebb_blob *b = &v->node->constants[k];
        check_values(v, k, &b->desc, ebb_blob_data(b));
    }
}

// ------------------------------------------------------------------------------------------- all variants

static void check_modes(variant *v)
{
    const unsigned flags = v->node->type->flags;
    v->alone = 0, v->mode = PLAIN;
    if (flags & EBB_LAYER_CONSTANT) {
        check_constants(v);
        return;
    }
    // What is a view here must be computed alike, since it is computed where strides or dtypes are others.
    if ((flags & EBB_LAYER_VIEW) && check_view(v) && !v->node->type->cpu) return;
    for (v->mode = PLAIN; v->mode <= TIGHT; v->mode++) check_cpu(v);
    for (v->mode = ALONE; v->c->n_out > 1 && v->alone < v->c->n_out; v->alone++) check_cpu(v);
}

// What the rows of a covering array choose.
enum { TABLE, ORDER, IN_PADDED, OUT_PADDED, THREADS, DTYPE, OTHER, PREFER, FACTORS };

typedef struct choices {
    shape_order order[ORDERS];
    ebb_dtype dtype[EBB_DTYPES];
    ebb_net *net[PAIRS_LEVELS][2];  // of each table and preference
    pairs rows;
} choices;

static bool all_hold_exactly(const layer_case *c, const tensor *in, ebb_dtype t)
{
    for (int i = 0; i < c->n_in; i++)
        if (!is_integer(c->in[i].dtype) && !holds_exactly(t, &in[i])) return false;
    return true;
}

static ebb_net *load(const model *m, const char *isa, ebb_prefer prefer)
{
    ebb_net *net;
    ebb_error e;
    const ebb_net_options opt = {.isa = isa, .prefer = prefer};
    if (model_load(m, &opt, &net, &e) != EBB_OK)
        ck_abort_msg("%s %s [%s]: %s", m->c->type, m->c->params, isa, e.msg);
    return net;
}

// Another turn for each case: what takes three values together differs from case to case.
static unsigned turn_of(const layer_case *c)
{
    unsigned turn = 0;
    for (const char *p = c->params; p && *p; p++) turn = turn * 31 + (unsigned char)*p;
    for (int i = 0; i < 4; i++) turn = turn * 31 + (unsigned)c->in[0].dim[i];
    return turn;
}

// A preference can only matter to weights, and is then a factor like the others.
static void choose(choices *ch, const model *m)
{
    static const ebb_dtype floats[] = {EBB_F32, EBB_F16, EBB_BF16};
    const layer_case *c = m->c;
    int *levels = ch->rows.levels;
    *ch = (choices){.rows = {.factors = FACTORS, .turn = turn_of(c), .all = getenv("FULL") != NULL}};
    for (shape_order o = PLANAR; o < ORDERS; o++)
        if (c->n_in > 1 || (o != ALTERNATE && o != ALTERNATE_2)) ch->order[levels[ORDER]++] = o;
    for (int i = 0; i < 3; i++)
        if (all_hold_exactly(c, m->in, floats[i])) ch->dtype[levels[DTYPE]++] = floats[i];
    levels[OTHER] = c->n_in > 1 ? levels[DTYPE] : 1;
    levels[IN_PADDED] = levels[OUT_PADDED] = levels[THREADS] = 2;
    levels[PREFER] = c->weights[0].kind != W_END ? 2 : 1;
    for (int t = 0; ebb_isa_name(t); levels[TABLE] = ++t)
        for (int p = 0; p < levels[PREFER]; p++) ch->net[t][p] = load(m, ebb_isa_name(t), (ebb_prefer)p);
}

static void check_row(const model *m, const choices *ch, const int *row, ebb_pool *pool)
{
    const ebb_net *net = ch->net[row[TABLE]][row[PREFER]];
    variant v = {.c = m->c,
                 .net = net,
                 .node = &net->g.nodes[m->c->n_in],
                 .in = m->in,
                 .want = m->out,
                 .order = ch->order[row[ORDER]],
                 .in_padded = row[IN_PADDED],
                 .out_padded = row[OUT_PADDED],
                 .dtype = ch->dtype[row[DTYPE]],
                 .other = ch->dtype[m->c->n_in > 1 ? row[OTHER] : row[DTYPE]],
                 .pool = pool,
                 .threads = 1 + row[THREADS]};
    ck_assert_str_eq(v.node->type->name, m->c->type);
    check_modes(&v);
}

void layer_check(const layer_case *c)
{
    model m;
    choices ch;
    ebb_pool *pool;
    int row[PAIRS_FACTORS];
    model_new(&m, c);
    choose(&ch, &m);
    ck_assert_int_eq(ebb_pool_new(2, NULL, &pool, NULL), EBB_OK);
    while (pairs_next(&ch.rows, row)) check_row(&m, &ch, row, pool);
    ebb_pool_destroy(pool);
    model_survives(&m);
    model_edges(&m, ch.net[turn_of(c) % (unsigned)ch.rows.levels[TABLE]][0]);
    for (int i = 0; i < PAIRS_LEVELS; i++) ebb_net_destroy(ch.net[i][0]), ebb_net_destroy(ch.net[i][1]);
    model_free(&m);
}

void layer_refuses(const layer_case *c, ebb_status s, const char *words)
{
    model m;
    ebb_net *net;
    ebb_extractor *x = NULL;
    ebb_error e = {0};
    model_new(&m, c);
    ebb_status got = model_load(&m, NULL, &net, &e);
    if (got == EBB_OK) got = ebb_extractor_new(net, NULL, &x, &e);
    if (got == EBB_OK) got = model_run(&m, x, &e);
    if (got != s)
        ck_abort_msg("%s %s: %s (%s), want %s", c->type, c->params, ebb_status_name(got),
                     got ? e.msg : "it works", ebb_status_name(s));
    if (!strstr(e.msg, words))
        ck_abort_msg("%s %s: the message \"%s\" lacks \"%s\"", c->type, c->params, e.msg, words);
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
    model_free(&m);
}

int run_tests(const char *suite, const test_entry *tests)
{
    Suite *s = suite_create(suite);
    for (; tests->name; tests++) {
        TCase *t = tcase_create(tests->name);
        tcase_set_timeout(t, 60);
        tcase_add_test(t, tests->test);
        suite_add_tcase(s, t);
    }
    SRunner *r = srunner_create(s);
    msan_trust_libc_calls();
    srunner_run_all(r, CK_ENV);
    const int failed = srunner_ntests_failed(r), run = srunner_ntests_run(r);
    srunner_free(r);
    return failed || !run;
}
