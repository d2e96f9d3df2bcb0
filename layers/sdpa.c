// SPDX-License-Identifier: BSD-3-Clause
// sdpa.c - SDPA: scaled dot-product attention, with grouped heads and a cache of keys and values. Rule: a
// cache grows in its place; only the new rows are written.
#include "parts/attention.h"
#include "kernels/kernels.h"
#include <math.h>
#include <string.h>

typedef struct sdpa {
    int attn_mask, kv_cache, int8_scale_term;
    float scale;
} sdpa;

static const ebb_param params[] = {
    EBB_INT(sdpa, 5, "attn_mask", attn_mask, .doc = "1: the fourth input is a mask"),
    EBB_FLOAT(sdpa, 6, "scale", scale, .doc = "0: 1 / sqrt(width of q)"),
    EBB_INT(sdpa, 7, "kv_cache", kv_cache, .doc = "1: past keys and values come in last and go out longer"),
    EBB_INT(sdpa, 18, "int8_scale_term", int8_scale_term, .doc = "multiply 8-bit numbers"),
    {0},
};

enum { MASK = 3 };  // the input that is one
static int past_at(const sdpa *p) { return p->attn_mask ? MASK + 1 : MASK; }

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    const sdpa *p = st;
    const int want_in = past_at(p) + (p->kv_cache ? 2 : 0), want_out = p->kv_cache ? 3 : 1;
    if (in->n_in != want_in || in->n_out != want_out)
        return ebb_fail(e, EBB_E_PARAM,
                        "attn_mask %d and kv_cache %d want %d inputs and %d outputs, there are %d and %d",
                        p->attn_mask, p->kv_cache, want_in, want_out, in->n_in, in->n_out);
    return EBB_OK;
}

static ebb_status check_mask(const ebb_desc *m, const ebb_desc *q, int keys, ebb_error *e)
{
    const int r = m->rank;
    if (r < 2 || r > 3 || m->dim[r - 1] != keys || m->dim[r - 2] != q->dim[1] ||
        (r == 3 && m->dim[0] != 1 && m->dim[0] != q->dim[0]))
        return ebb_fail(e, EBB_E_SHAPE, "the mask is %s, must be %dx%d or %dx%dx%d",
                        EBB_SHAPE(m), q->dim[1], keys, q->dim[0], q->dim[1], keys);
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const sdpa *p = st;
    const ebb_desc *q = &in->in[0], *k = &in->in[1], *v = &in->in[2];
    if (q->rank != 3 || k->rank != 3 || v->rank != 3 || k->dim[2] != q->dim[2] || v->dim[0] != k->dim[0] ||
        v->dim[1] != k->dim[1] || k->dim[0] < 1 || q->dim[0] % k->dim[0])
        return ebb_fail(
            e, EBB_E_SHAPE,
            "q %s, k %s and v %s do not fit: q must be heads x rows x width, k and v groups x keys x width",
            EBB_SHAPE(q), EBB_SHAPE(k), EBB_SHAPE(v));
    long long keys = k->dim[1];
    for (int i = 0; i < (p->kv_cache ? 2 : 0); i++) {
        const ebb_desc *past = &in->in[past_at(p) + i], *now = &in->in[1 + i];
        const bool follows = past->rank == 3 && past->dim[0] == now->dim[0] && past->dim[2] == now->dim[2];
        if ((!follows && !ebb_cache_none(past)) ||
            ebb_cache_length(past) != ebb_cache_length(&in->in[past_at(p)]))
            return ebb_fail(e, EBB_E_SHAPE, "the past %s are %s, which does not continue to %s",
                            i ? "values" : "keys", EBB_SHAPE(past),
                            EBB_SHAPE(now));
        keys = (long long)k->dim[1] + ebb_cache_length(past);
        out[1 + i].rank = 3;
        out[1 + i].dim[0] = now->dim[0];
        out[1 + i].dim[1] = (int)keys;
        out[1 + i].dim[2] = now->dim[2];
    }
    if (keys < 1 || keys > INT32_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "there are %lld keys to attend to", keys);
    if (p->attn_mask) EBB_TRY(check_mask(&in->in[MASK], q, (int)keys, e));
    out->rank = 3;
    out->dim[0] = q->dim[0];
    out->dim[1] = q->dim[1];
    out->dim[2] = v->dim[2];
    return EBB_OK;
}

static ebb_attention sizes(const ebb_desc *q, const ebb_desc *k, const ebb_desc *v)
{
    return (ebb_attention){.heads = q->dim[0],
                           .groups = k->dim[0],
                           .rows = q->dim[1],
                           .keys = k->dim[1],
                           .d = q->dim[2],
                           .dv = v->dim[2]};
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const sdpa *p = st;
    ebb_attention *a = plan->work;
    *a = sizes(&in->in[0], p->kv_cache ? &in->out[1] : &in->in[1], &in->in[2]);
    a->scale = p->scale == 0.f ? 1.f / sqrtf((float)(a->d > 0 ? a->d : 1)) : p->scale;
    plan->worker_scratch = p->int8_scale_term ? ebb_attention_i8_scratch(a) : ebb_attention_scratch(a, in->k);
    plan->macs = (double)a->heads * a->rows * a->keys * ((double)a->d + a->dv);
    for (int i = 0; i < (p->kv_cache ? 2 : 0); i++) {
        plan->out[1 + i].grow = past_at(p) + i;
        plan->out[1 + i].grow_axis = 1;
    }
    plan->algorithm = p->int8_scale_term ? "rows of 8-bit scores" : "blocks of keys";
    return EBB_OK;
}

static ebb_heads heads_of(const ebb_blob *b)
{
    const ebb_desc *d = ebb_blob_desc(b);
    return (ebb_heads){ebb_f32(b), d->stride[0], d->stride[1], 1};
}

// Writes the rows of `now` behind those that `cache` holds.
static void append(ebb_blob *cache, const ebb_blob *now)
{
    const ebb_desc *n = ebb_blob_desc(now);
    const ebb_heads to = heads_of(cache), from = heads_of(now);
    const int old = ebb_blob_desc(cache)->dim[1] - n->dim[1];
    for (int h = 0; h < n->dim[0]; h++)
        for (int i = 0; i < n->dim[1]; i++)
            memcpy(to.data + h * to.head + (old + i) * to.row, from.data + h * from.head + i * from.row,
                   (size_t)n->dim[2] * sizeof(float));
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const sdpa *p = st;
    const ebb_blob *k = in[1], *v = in[2];
    if (p->kv_cache) {
        append(out[1], k);
        append(out[2], v);
        k = out[1];
        v = out[2];
    }
    if (!out[0]) return EBB_OK;
    ebb_attention a = *(const ebb_attention *)c->work;
    a.q = heads_of(in[0]);
    a.k = heads_of(k);
    a.v = heads_of(v);
    a.out = heads_of(out[0]);
    if (p->attn_mask) {
        const ebb_desc *m = &c->in[MASK];
        a.mask = ebb_f32(in[MASK]);
        a.mask_row = m->stride[m->rank - 2];
        a.mask_head = m->rank == 3 && m->dim[0] > 1 ? m->stride[0] : 0;
    }
    if (p->int8_scale_term) {
        ebb_attention_i8_run(&a, c);
    } else {
        ebb_attention_run(&a, c);
    }
    return EBB_OK;
}

const ebb_layer_type ebb_layer_sdpa = {
    .size = sizeof(ebb_layer_type),
    .name = "SDPA",
    .doc = "scaled dot-product attention",
    .reads = EBB_PLANAR,
    .in_min = 3,
    .in_max = 6,
    .out_min = 1,
    .out_max = 3,
    .state_size = sizeof(sdpa),
    .work_size = sizeof(ebb_attention),
    .params = params,
    .init = init,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
