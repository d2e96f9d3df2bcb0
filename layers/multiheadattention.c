// SPDX-License-Identifier: BSD-3-Clause
// multiheadattention.c - MultiHeadAttention: projections of q, k and v, attention, and a projection back.
// Rule: caches are transposed, embed_dim x positions; with a past, cross attention reads them and projects
// nothing.
#include "parts/attention.h"
#include "parts/carve.h"
#include "parts/quant.h"
#include "kernels/kernels.h"
#include "parts/linear.h"
#include <math.h>
#include <string.h>

enum { Q, K, V, OUT };  // projections

typedef struct mha {
    int embed_dim, num_heads, weight_data_size, kdim, vdim, attn_mask, kv_cache, quantize_term;
    float scale;
    ebb_weight_quant quant;
    ebb_linear w[4];
    ebb_weights bias[4];
    int at[3], mask, past;  // inputs: q, k and v; the mask and the first cache
} mha;

static const ebb_param params[] = {
    EBB_INT(mha, 0, "embed_dim", embed_dim),
    EBB_INT(mha, 1, "num_heads", num_heads, .def = 1),
    EBB_INT(mha, 2, "weight_data_size", weight_data_size, .doc = "embed_dim x width of q"),
    EBB_INT(mha, 3, "kdim", kdim, .like = EBB_LIKE(0)),
    EBB_INT(mha, 4, "vdim", vdim, .like = EBB_LIKE(0)),
    EBB_INT(mha, 5, "attn_mask", attn_mask, .doc = "1: a mask follows q, k, v"),
    EBB_FLOAT(mha, 6, "scale", scale, .def = NAN, .doc = "default 1 / sqrt(embed_dim / num_heads)"),
    EBB_INT(mha, 7, "kv_cache", kv_cache, .doc = "1: past keys and values come in last and go out longer"),
    EBB_INT(mha, 18, "quantize_term", quantize_term,
            .doc = "8-bit products, or weights packed in blocks of 4, 6 or 8 bits"),
    {0},
};

static bool self(const mha *p) { return p->at[K] == p->at[Q]; }

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    mha *p = st;
    const int more = (p->attn_mask ? 1 : 0) + (p->kv_cache ? 2 : 0), given = in->n_in - more;
    if (given < 1 || given > 3 || in->n_out != (p->kv_cache ? 3 : 1))
        return ebb_fail(e, EBB_E_PARAM,
                        "attn_mask %d and kv_cache %d want 1 to 3 inputs and %d more, and %d outputs; there "
                        "are %d and %d",
                        p->attn_mask, p->kv_cache, more, p->kv_cache ? 3 : 1, in->n_in, in->n_out);
    if (p->embed_dim < 1 || p->num_heads < 1 || p->embed_dim % p->num_heads || p->kdim < 1 || p->vdim < 1 ||
        p->weight_data_size < 1 || p->weight_data_size % p->embed_dim)
        return ebb_fail(
            e, EBB_E_PARAM,
            "embed_dim %d, num_heads %d, kdim %d, vdim %d and weight_data_size %d do not fit together",
            p->embed_dim, p->num_heads, p->kdim, p->vdim, p->weight_data_size);
    p->at[K] = given > 1 ? 1 : 0;
    p->at[V] = given - 1;
    p->mask = given;
    p->past = given + (p->attn_mask ? 1 : 0);
    if (isnan(p->scale)) p->scale = 1.f / sqrtf((float)(p->embed_dim / p->num_heads));
    return ebb_weight_quant_of(&p->quant, p->quantize_term, e);
}

static int width(const mha *p, int i)
{
    const int of[] = {p->weight_data_size / p->embed_dim, p->kdim, p->vdim, p->embed_dim};
    return of[i];
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    mha *p = st;
    for (int i = Q; i <= OUT; i++) {
        const int rows = i == OUT ? width(p, Q) : p->embed_dim;
        if (p->quant.bits) {
            EBB_TRY(ebb_linear_load_packed(&p->w[i], l, rows, width(p, i), &p->quant, e));
        } else {
            EBB_TRY(ebb_linear_load(&p->w[i], l, rows, width(p, i), p->quant.eight, e));
        }
        EBB_TRY(ebb_load_weights(l, (size_t)rows, EBB_RAW, &p->bias[i], e));
        EBB_TRY(ebb_load_keep(l, &p->bias[i], e));
    }
    for (int i = Q; i <= OUT && p->quant.eight; i++)
        EBB_TRY(ebb_linear_load_scales(&p->w[i], l, i == OUT ? 1 : p->embed_dim, e));
    for (int i = Q; i <= OUT && p->quant.bits; i++) EBB_TRY(ebb_linear_load_block_scales(&p->w[i], l, e));
    for (int i = Q; i <= OUT && p->quant.bits; i++) EBB_TRY(ebb_linear_load_input_scales(&p->w[i], l, e));
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- shape

// Positions of the past, of the keys that are projected now, and of all.
typedef struct span {
    int past, now, all;
} span;

static span span_of(const mha *p, const ebb_desc *in)
{
    span s = {.past = p->kv_cache ? ebb_cache_length(&in[p->past]) : 0, .now = in[p->at[K]].dim[0]};
    if (s.past > 0 && !self(p)) s.now = 0;
    s.all = s.past > INT32_MAX - s.now ? -1 : s.past + s.now;
    return s;
}

static ebb_status check_cache(const mha *p, const ebb_desc *in, ebb_error *e)
{
    for (int i = 0; i < 2; i++) {
        const ebb_desc *d = &in[p->past + i];
        if ((!ebb_cache_none(d) && (d->rank != 2 || d->dim[0] != p->embed_dim)) ||
            ebb_cache_length(d) != ebb_cache_length(&in[p->past]))
            return ebb_fail(e, EBB_E_SHAPE, "the past %s are %s, must be %d x positions",
                            i ? "values" : "keys", EBB_SHAPE(d), p->embed_dim);
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const mha *p = st;
    static const char *const name[] = {"q", "k", "v"};
    for (int i = Q; i <= V; i++) {
        const ebb_desc *d = &in->in[p->at[i]];
        if (d->rank != 2 || d->dim[1] != width(p, i))
            return ebb_fail(e, EBB_E_SHAPE, "%s is %s, must be positions x %d", name[i],
                            EBB_SHAPE(d), width(p, i));
    }
    if (p->kv_cache) EBB_TRY(check_cache(p, in->in, e));
    const span s = span_of(p, in->in);
    const int rows = in->in[p->at[Q]].dim[0];
    if (s.all < 1 || (s.now && in->in[p->at[V]].dim[0] != s.now))
        return ebb_fail(e, EBB_E_SHAPE, "there are %d keys and %d values to attend to", s.all,
                        in->in[p->at[V]].dim[0]);
    if (p->attn_mask) {
        const ebb_desc *m = &in->in[p->mask];
        const int r = m->rank;
        if (r < 2 || r > 3 || m->dim[r - 1] != s.all || m->dim[r - 2] != rows ||
            (r == 3 && m->dim[0] != p->num_heads))
            return ebb_fail(e, EBB_E_SHAPE, "the mask is %s, must be %dx%d or %dx%dx%d",
                            EBB_SHAPE(m), rows, s.all, p->num_heads, rows, s.all);
    }
    for (int i = 1; i < in->n_out; i++) {
        out[i].rank = 2;
        out[i].dim[0] = p->embed_dim;
        out[i].dim[1] = s.all;
    }
    out->rank = 2;
    out->dim[0] = rows;
    out->dim[1] = width(p, Q);
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- plan

// What stands in scratch. Keys and values only when no cache holds them; bytes only in the 8-bit form.
typedef struct room {
    float *q, *mixed, *k, *v;  // positions x embed_dim
    int8_t *bytes;             // of one projection's input
    float *factor;             // of its rows
} room;

static size_t lay_out(const mha *p, const ebb_desc *in, void *base, room *r)
{
    const size_t rows = (size_t)in[p->at[Q]].dim[0], keys = p->kv_cache ? 0 : (size_t)in[p->at[K]].dim[0];
    const size_t row = ebb_size_mul((size_t)p->embed_dim, sizeof(float));
    ebb_carver c = {.base = base};
    size_t most = 0;
    for (int i = Q; i <= OUT && p->quant.eight; i++) {
        const size_t n = ebb_size_mul(i == OUT ? rows : (size_t)in[p->at[i]].dim[0], (size_t)width(p, i));
        if (n > most) most = n;
    }
    r->q = ebb_carve(&c, rows, row);
    r->mixed = ebb_carve(&c, rows, row);
    r->k = ebb_carve(&c, keys, row);
    r->v = ebb_carve(&c, keys, row);
    r->bytes = ebb_carve(&c, most, 1);
    r->factor = ebb_carve(&c, p->quant.eight ? rows + 1 : 0, sizeof(float));
    return c.used;
}

enum { VECTORS = 16, PIECE = 256 };  // of one transposed tile of a projection

typedef struct work {
    span s;
    ebb_attention a;  // its sizes
} work;

static ebb_attention sizes(const mha *p, const ebb_desc *in, const span *s)
{
    const int d = p->embed_dim / p->num_heads;
    return (ebb_attention){.heads = p->num_heads, .groups = p->num_heads, .rows = in[p->at[Q]].dim[0],
                           .keys = s->all, .d = d, .dv = d, .scale = p->scale};
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const mha *p = st;
    work *w = plan->work;
    w->s = span_of(p, in->in);
    w->a = sizes(p, in->in, &w->s);
    room unused;
    const size_t most = (size_t)(p->embed_dim < PIECE ? p->embed_dim : PIECE),
                 tile = VECTORS * most * sizeof(float);  // fits: pieces are short
    plan->scratch = lay_out(p, in->in, NULL, &unused);
    plan->worker_scratch =
        p->quant.eight ? ebb_attention_i8_scratch(&w->a) : ebb_attention_scratch(&w->a, in->k);
    if (p->kv_cache && plan->worker_scratch < tile) plan->worker_scratch = tile;
    for (int i = 1; i < in->n_out; i++) {
        plan->out[i].grow = p->past + i - 1;
        plan->out[i].grow_axis = 1;
    }
    const double rows = w->a.rows, embed = p->embed_dim;
    plan->macs = embed * (2 * rows * width(p, Q) + (double)w->s.now * ((double)p->kdim + p->vdim) +
                          2 * rows * w->s.all);
    plan->algorithm = p->quant.bits ? "dot packed" : p->quant.eight ? "dot i8" : "dot";
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- run

typedef struct job {
    const mha *p;
    const ebb_cpu *c;
    room r;
    // One projection: y[vector * row + output * col].
    int which, piece;
    ebb_vectors x;
    float *y;
    ptrdiff_t row, col;
} job;

// Outputs row … of all vectors, straight into y or by way of a tile that is turned.
static void project_piece(void *ctx, size_t i, int worker)
{
    const job *j = ctx;
    const ebb_linear *w = &j->p->w[j->which];
    const float *bias = j->p->bias[j->which].data;
    const int row = (int)i * j->piece, n = w->rows - row < j->piece ? w->rows - row : j->piece;
    const bool straight = j->col == 1;
    float *tile = ebb_worker_scratch(j->c, worker);
    for (int v0 = 0; v0 < j->x.n; v0 += VECTORS) {
        ebb_vectors x = j->x;
        x.n = j->x.n - v0 < VECTORS ? j->x.n - v0 : VECTORS;
        if (x.f) x.f += v0 * x.stride;
        if (x.q) x.q += v0 * x.stride;
        if (x.each) x.factor += v0;
        float *y = straight ? j->y + v0 * j->row + row : tile;
        const ptrdiff_t step = straight ? j->row : n;
        for (int v = 0; v < x.n; v++) memcpy(y + v * step, bias + row, (size_t)n * sizeof(float));
        ebb_linear_times(w, j->c->k, row, n, &x, y, step);
        for (int r = 0; r < n && !straight; r++)
            for (int v = 0; v < x.n; v++) j->y[(v0 + v) * j->row + (row + r) * j->col] = tile[v * n + r];
    }
}

static void project(job *j, int which, float *y, ptrdiff_t row, ptrdiff_t col)
{
    const int piece = ebb_linear_piece(&j->p->w[which]);
    j->which = which;
    j->piece = piece < PIECE ? piece : PIECE;
    j->y = y;
    j->row = row;
    j->col = col;
    ebb_parallel(j->c, (j->p->w[which].rows + j->piece - 1) / j->piece, project_piece, j);
}

// The vectors of input `which`; in the 8-bit form all of it has one scale.
static void take(job *j, int which, const ebb_blob *b)
{
    const ebb_desc *d = ebb_blob_desc(b);
    j->x = (ebb_vectors){.n = d->dim[0], .stride = d->stride[0], .f = ebb_f32(b)};
    if (!j->p->quant.eight) return;
    const ebb_floats_at m = {ebb_f32(b), d->dim[0], d->dim[1], d->stride[0], 1};
    const float scale = ebb_quant_scale(j->c->k, &m);
    ebb_quant_fill(j->c->k, j->r.bytes, &m, scale);
    j->r.factor[0] = 1.f / scale;
    j->x =
        (ebb_vectors){.n = d->dim[0], .stride = width(j->p, which), .q = j->r.bytes, .factor = j->r.factor};
}

// What attention has mixed, row by row.
static void take_mixed(job *j, int rows)
{
    const int n = j->p->embed_dim;
    j->x = (ebb_vectors){
        .n = rows, .stride = n, .f = j->r.mixed, .q = j->r.bytes, .factor = j->r.factor, .each = true};
    for (int r = 0; r < rows && j->p->quant.eight; r++)
        j->r.factor[r] = ebb_quantize_own(j->c->k, j->r.bytes + (ptrdiff_t)r * n,
                                          j->r.mixed + (ptrdiff_t)r * n, (size_t)n);
}

// Projects k or v into the cache behind what is there, or into scratch; says where its heads are.
static ebb_heads keep(job *j, int which, const ebb_blob *in, ebb_blob *cache, const span *s)
{
    const mha *p = j->p;
    const int d = p->embed_dim / p->num_heads;
    float *scratch = which == K ? j->r.k : j->r.v;
    const ebb_heads natural = {scratch, d, p->embed_dim, 1};
    if (s->now) take(j, which, in);
    if (!cache) {
        project(j, which, scratch, p->embed_dim, 1);
        return natural;
    }
    const ptrdiff_t line = ebb_blob_desc(cache)->stride[0];
    if (s->now) project(j, which, ebb_f32(cache) + s->past, 1, line);
    return (ebb_heads){ebb_f32(cache), d * line, 1, line};
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const mha *p = st;
    const work *w = c->work;
    job j = {.p = p, .c = c};
    lay_out(p, c->in, c->scratch, &j.r);
    ebb_attention a = w->a;
    a.k = keep(&j, K, in[p->at[K]], p->kv_cache ? out[1] : NULL, &w->s);
    a.v = keep(&j, V, in[p->at[V]], p->kv_cache ? out[2] : NULL, &w->s);
    if (!out[0]) return EBB_OK;
    take(&j, Q, in[p->at[Q]]);
    project(&j, Q, j.r.q, p->embed_dim, 1);
    a.q = (ebb_heads){j.r.q, a.d, p->embed_dim, 1};
    a.out = (ebb_heads){j.r.mixed, a.d, p->embed_dim, 1};
    if (p->attn_mask) {
        const ebb_desc *m = &c->in[p->mask];
        a.mask = ebb_f32(in[p->mask]);
        a.mask_row = m->stride[m->rank - 2];
        a.mask_head = m->rank == 3 ? m->stride[0] : 0;
    }
    if (p->quant.eight) {
        ebb_attention_i8_run(&a, c);
    } else {
        ebb_attention_run(&a, c);
    }
    take_mixed(&j, a.rows);
    project(&j, OUT, ebb_f32(out[0]), c->out[0].stride[0], 1);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_multiheadattention = {
    .size = sizeof(ebb_layer_type),
    .name = "MultiHeadAttention",
    .doc = "projections, attention, and a projection back",
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = 6,
    .out_min = 1,
    .out_max = 3,
    .state_size = sizeof(mha),
    .work_size = sizeof(work),
    .params = params,
    .init = init,
    .load = load,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
