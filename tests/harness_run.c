// SPDX-License-Identifier: BSD-3-Clause
// harness_run.c - one-layer nets through the public interface. Rule: an allocation that fails gives
// EBB_E_NOMEM, loses nothing, and leaves objects that work after reset.
#include "harness_model.h"
#include "witness.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- runs

static void fill(const model *m, int i, const ebb_desc *d, void *data)
{
    for (size_t j = 0; j < ebb_desc_count(d); j++)
        put_cell(d->dtype, (char *)data + element(d, j) * (ptrdiff_t)ebb_dtype_bytes(d->dtype),
                 m->in[i].v[j]);
}

static ebb_status give(const model *m, ebb_extractor *x, int i, const char *name, const ebb_desc *d,
                       ebb_error *e)
{
    ebb_blob *b;
    EBB_TRY(ebb_extractor_make(x, d, &b, e));
    fill(m, i, ebb_blob_desc(b), ebb_blob_data(b));
    const ebb_status s = ebb_extractor_give(x, name, b, e);
    if (s != EBB_OK) ebb_blob_drop(b);
    return s;
}

// Input 0 is given, 1 borrowed in pixel order, 2 copied, and so on.
static ebb_status set_input(const model *m, ebb_extractor *x, int i, void *data, ebb_error *e)
{
    const ebb_dtype t = m->c->in[i].dtype;
    const tensor *in = &m->in[i];
    const ebb_desc d =
        i % 3 == 1 ? ebb_desc_pixel(t, in->rank, in->dim) : ebb_desc_planar(t, in->rank, in->dim);
    char name[16];
    snprintf(name, sizeof name, "in%d", i);
    if (i % 3 == 0) return give(m, x, i, name, &d, e);
    fill(m, i, &d, data);
    return i % 3 == 1 ? ebb_extractor_borrow(x, name, &d, data, e) : ebb_extractor_copy(x, name, &d, data, e);
}

static void check_numbers(const model *m, int k, const ebb_desc *d, const char *data)
{
    if (ebb_desc_count(d) != tensor_count(&m->out[k])) return;  // how many are found may hang on a last digit
    for (size_t i = 0; i < ebb_desc_count(d); i++) {
        const double got = get_cell(d->dtype, data + i * ebb_dtype_bytes(d->dtype)), want = m->out[k].v[i];
        if (fabs(want) <= FLT_MAX && !isfinite(got))
            ck_abort_msg("%s %s, inputs of %s: output %d holds %g in place %zu, want %g", m->c->type,
                         m->c->params, m->edge, k, got, i, want);
    }
}

static void check_outputs(const model *m, ebb_blob *const *out)
{
    char text[200];
    for (int k = 0; k < m->c->n_out; k++) {
        const ebb_desc *d = ebb_blob_desc(out[k]), planar = ebb_desc_planar(d->dtype, d->rank, d->dim);
        if (m->edge) check_numbers(m, k, &planar, ebb_blob_data(out[k]));
        else if (differs(&m->out[k], m->c->tol, &planar, ebb_blob_data(out[k]), text, sizeof text))
            ck_abort_msg("%s %s, extracted: output %d %s", m->c->type, m->c->params, k, text);
    }
}

// What was predicted must come true.
static void check_prediction(const model *m, const ebb_extractor *x, const ebb_prediction *p)
{
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_extractor_memory(x, count);
    if (p->exact ? count[EBB_MEM_BLOB].peak != p->blob_peak : count[EBB_MEM_BLOB].peak > p->blob_peak)
        ck_abort_msg("%s %s: %zu blob bytes predicted, %zu used", m->c->type, m->c->params, p->blob_peak,
                     count[EBB_MEM_BLOB].peak);
}

static ebb_status extract(const model *m, ebb_extractor *x, ebb_error *e)
{
    char text[CASE_OUT][16];
    const char *names[CASE_OUT];
    ebb_blob *out[CASE_OUT];
    ebb_prediction p;
    for (int k = 0; k < m->c->n_out; k++) {
        snprintf(text[k], sizeof text[k], "out%d", k);
        names[k] = text[k];
    }
    EBB_TRY(ebb_extractor_predict(x, names, m->c->n_out, NULL, &p, e));
    EBB_TRY(ebb_extractor_extract_many(x, names, m->c->n_out, EBB_TAKE_PLANAR, out, e));  // as predicted
    check_prediction(m, x, &p);
    check_outputs(m, out);
    for (int k = 0; k < m->c->n_out; k++) ebb_blob_drop(out[k]);
    return EBB_OK;
}

ebb_status model_run(const model *m, ebb_extractor *x, ebb_error *e)
{
    void *data[CASE_IN] = {0};
    ebb_status s = EBB_OK;
    for (int i = 0; i < m->c->n_in && s == EBB_OK; i++) {
        data[i] = calloc(tensor_count(&m->in[i]) + 1, 4);
        ck_assert_ptr_nonnull(data[i]);
        s = set_input(m, x, i, data[i], e);
    }
    if (s == EBB_OK) s = extract(m, x, e);
    ebb_extractor_reset(x);
    for (int i = 0; i < m->c->n_in; i++) free(data[i]);
    return s;
}

// ------------------------------------------------------------------------------------------- edges

// 0 / 0 is what data can reach: every layer is asked what it makes of nothing, and of no differences.
// 32-bit NEON takes what is smaller than a normal number as 0.
#ifdef __arm__
#define TINY 2e-38
#else
#define TINY 1e-42
#endif
static const struct { const char *name; double even, odd; } edges[] = {
    {"zeros", 0, 0}, {"one value", 0.375, 0.375}, {"a negative value", -3, -3},
    {"tiny values", TINY, -TINY}, {"huge values", 1e18, 1e18},  // products of two are still numbers
};

static void set_edge(model *m, size_t edge)
{
    m->edge = edges[edge].name;
    for (int i = 0; i < m->c->n_in; i++)
        for (size_t j = 0; j < tensor_count(&m->in[i]) && !is_integer(m->c->in[i].dtype); j++)
            m->in[i].v[j] = (float)(j % 2 ? edges[edge].odd : edges[edge].even);
    for (int k = 0; k < CASE_OUT; k++) free(m->out[k].v), m->out[k] = (tensor){0};
    m->c->reference(m->c, m->in, m->weights, m->out);
}

void model_edges(model *m, ebb_net *net)
{
    ebb_extractor *x;
    ebb_error e;
    ck_assert_int_eq(ebb_extractor_new(net, NULL, &x, &e), EBB_OK);
    for (size_t edge = 0; edge < sizeof edges / sizeof *edges; edge++) {
        set_edge(m, edge);
        if (model_run(m, x, &e) != EBB_OK)
            ck_abort_msg("%s %s, inputs of %s: %s", m->c->type, m->c->params, m->edge, e.msg);
    }
    ebb_extractor_destroy(x);
}

// ------------------------------------------------------------------------------------------- failing memory

static void check_refusal(const model *m, size_t at, ebb_status s, const ebb_error *e)
{
    if (s != EBB_E_NOMEM || !e->msg[0])
        ck_abort_msg("%s %s, allocation %zu fails: %s (%s), want EBB_E_NOMEM with a message", m->c->type,
                     m->c->params, at, ebb_status_name(s), e->msg);
}

// One life with allocation `at` failing; the same objects must then work.
static void survive(const model *m, witness *w)
{
    ebb_net *net;
    ebb_extractor *x = NULL;
    ebb_error e = {0};
    const ebb_net_options opt = {.allocator = witness_hooks(w)};
    ebb_status s = model_load(m, &opt, &net, &e);
    if (s == EBB_OK) s = ebb_extractor_new(net, NULL, &x, &e);
    if (s == EBB_OK) s = model_run(m, x, &e);
    if (s != EBB_OK) check_refusal(m, w->fail_at, s, &e);
    w->fail_at = 0;
    if (x && s != EBB_OK && model_run(m, x, &e) != EBB_OK)
        ck_abort_msg("%s %s, after a failure and reset: %s", m->c->type, m->c->params, e.msg);
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
}

void model_survives(const model *m)
{
    for (size_t at = 1;; at++) {
        witness w = WITNESS(.fail_at = at);
        survive(m, &w);
        if (w.sum.blocks)
            ck_abort_msg("%s %s, allocation %zu fails: %zu blocks lost", m->c->type, m->c->params, at,
                         w.sum.blocks);
        if (w.sum.calls < at) break;
    }
}
