// SPDX-License-Identifier: BSD-3-Clause
// harness_model.c - tensors, cells of any dtype, and one-layer nets in memory. Rule: what a case says is all
// there is; the same case gives the same bytes every time.
#include "harness_model.h"
#include "order.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- tensors

size_t tensor_count(const tensor *t)
{
    size_t n = 1;
    for (int i = 0; i < t->rank; i++) n *= (size_t)t->dim[i];
    return n;
}

tensor tensor_new(int rank, const int *dim)
{
    tensor t = {.rank = rank};
    for (int i = 0; i < rank; i++) t.dim[i] = dim[i];
    t.v = calloc(tensor_count(&t) + 1, sizeof *t.v);
    ck_assert_ptr_nonnull(t.v);
    return t;
}

double *tensor_at_(const tensor *t, const int *index)
{
    size_t at = 0;
    for (int i = 0; i < t->rank; i++) {
        ck_assert_msg(index[i] >= 0 && index[i] < t->dim[i], "the reference reads index %d of %d on axis %d",
                      index[i], t->dim[i], i);
        at = at * (size_t)t->dim[i] + (size_t)index[i];
    }
    return &t->v[at];
}

static unsigned next_random(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

// Multiples of `step` from lo to hi.
static void randomise(tensor *t, double lo, double hi, double step, unsigned seed)
{
    const double steps = floor((hi - lo) / step);
    for (size_t i = 0; i < tensor_count(t); i++)
        t->v[i] = lo + step * floor((next_random(&seed) >> 8) / 16777216.0 * (steps + 1));
}

bool is_integer(ebb_dtype t) { return t == EBB_I8 || t == EBB_I32; }

static tensor make_input(const layer_case *c, int i)
{
    tensor t = tensor_new(c->in[i].rank, c->in[i].dim);
    double lo = c->in[i].lo, hi = c->in[i].hi;
    if (lo == 0 && hi == 0) hi = c->in[i].dtype == EBB_I8 ? 127 : c->in[i].dtype == EBB_I32 ? 9 : 1, lo = -hi;
    randomise(&t, lo, hi, is_integer(c->in[i].dtype) ? 1 : 1 / 64.0, 7u + 31u * (unsigned)i);
    if (c->fill) c->fill(c, i, &t);
    for (size_t j = 0; j < tensor_count(&t); j++) t.v[j] = (float)t.v[j];  // what the layer will read
    return t;
}

static tensor make_weights(const layer_case *c, int i)
{
    const bool i8 = c->weights[i].kind == W_I8;
    tensor t = tensor_new(1, (const int[]){(int)c->weights[i].n});
    double lo = c->weights[i].lo, hi = c->weights[i].hi;
    if (lo == 0 && hi == 0) hi = i8 ? 127 : 1, lo = -hi;
    randomise(&t, lo, hi, i8 ? 1 : 1 / 64.0, 1234u + 77u * (unsigned)i);
    return t;
}

// ------------------------------------------------------------------------------------------- parameters

// The text behind "key=", NULL when there is none.
static const char *value_of(const layer_case *c, int key)
{
    for (const char *p = c->params; p && *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        char *end;
        if (strtol(p, &end, 10) == key && *end == '=') return end + 1;
    }
    return NULL;
}

double case_param(const layer_case *c, int id, double otherwise)
{
    const char *p = value_of(c, id);
    return p ? strtod(p, NULL) : otherwise;
}

int case_array(const layer_case *c, int id, double *v, int room)
{
    const char *p = value_of(c, -23300 - id);
    int n = 0;
    if (p) p += strcspn(p, ", "), p += *p == ',';  // its length
    else p = value_of(c, id);
    for (; p && *p && *p != ' ' && n < room; p += strcspn(p, ", "), p += *p == ',') v[n++] = strtod(p, NULL);
    return n;
}

// ------------------------------------------------------------------------------------------- cells

void put_cell(ebb_dtype t, void *at, double v)
{
    const float f = (float)v;
    const uint16_t half = t == EBB_F16 ? ebb_f32_to_f16(f) : ebb_f32_to_bf16(f);
    const int8_t i8 = t == EBB_I8 ? (int8_t)v : 0;
    const int32_t i32 = t == EBB_I32 ? (int32_t)v : 0;
    const void *const from[] = {
        [EBB_F32] = &f, [EBB_F16] = &half, [EBB_BF16] = &half, [EBB_I8] = &i8, [EBB_I32] = &i32};
    memcpy(at, from[t], ebb_dtype_bytes(t));
}

double get_cell(ebb_dtype t, const void *at)
{
    float f;
    uint16_t half;
    int32_t i32;
    switch (t) {
    case EBB_F32: return memcpy(&f, at, sizeof f), f;
    case EBB_F16: return memcpy(&half, at, sizeof half), ebb_f16_to_f32(half);
    case EBB_BF16: return memcpy(&half, at, sizeof half), ebb_bf16_to_f32(half);
    case EBB_I8: return *(const int8_t *)at;
    case EBB_I32: return memcpy(&i32, at, sizeof i32), i32;
    }
    return NAN;
}

bool holds_exactly(ebb_dtype t, const tensor *x)
{
    char cell[4];
    for (size_t i = 0; i < tensor_count(x); i++) {
        put_cell(t, cell, x->v[i]);
        if (!(get_cell(t, cell) == x->v[i]) && !isnan(x->v[i])) return false;
    }
    return true;
}

ptrdiff_t element(const ebb_desc *d, size_t i)
{
    ptrdiff_t at = 0;
    for (int axis = d->rank - 1; axis >= 0; axis--) {
        at += (ptrdiff_t)(i % (size_t)d->dim[axis]) * d->stride[axis];
        i /= (size_t)d->dim[axis];
    }
    return at;
}

ebb_desc describe(const tensor *t, ebb_dtype dtype)
{
    ebb_desc d = {.dtype = dtype, .rank = t->rank};
    for (int i = 0; i < t->rank; i++) d.dim[i] = t->dim[i];
    return d;
}

static bool close_enough(double got, double want, double tol)
{
    if (isnan(want)) return isnan(got);
    if (isinf(want)) return got == want;
    return fabs(got - want) <= tol * fmax(1, fabs(want));
}

// "1,0,16": where element i stands.
static void write_place(const ebb_desc *d, size_t i, char *text, size_t room)
{
    int index[EBB_MAX_RANK] = {0};
    for (int axis = d->rank - 1; axis >= 0; axis--) {
        index[axis] = (int)(i % (size_t)d->dim[axis]);
        i /= (size_t)d->dim[axis];
    }
    size_t n = 0;
    for (int axis = 0; axis < d->rank; axis++)
        n += (size_t)snprintf(text + n, room - n, axis ? ",%d" : "%d", index[axis]);
}

bool differs(const tensor *want, double tol, const ebb_desc *d, const void *element_0, char *text,
             size_t room)
{
    const ebb_desc shape = describe(want, d->dtype);
    char a[64] = "", b[64];
    if (!ebb_desc_same_shape(d, &shape)) {
        snprintf(text, room, "has shape %s, want %s", ebb_desc_text(d, a, sizeof a),
                 ebb_desc_text(&shape, b, sizeof b));
        return true;
    }
    for (size_t i = 0; i < ebb_desc_count(d); i++) {
        const char *at = (const char *)element_0 + element(d, i) * (ptrdiff_t)ebb_dtype_bytes(d->dtype);
        const double got = get_cell(d->dtype, at);
        if (close_enough(got, want->v[i], tol)) continue;
        write_place(d, i, a, sizeof a);
        snprintf(text, room, "at (%s): got %.9g, want %.9g", a, got, want->v[i]);
        return true;
    }
    return false;
}

// ------------------------------------------------------------------------------------------- models

static void write_param(const layer_case *c, char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "7767517\n%d %d\n", c->n_in + 1, c->n_in + c->n_out);
    for (int i = 0; i < c->n_in; i++)
        n += (size_t)snprintf(text + n, room - n, "Input in%d 0 1 in%d\n", i, i);
    n += (size_t)snprintf(text + n, room - n, "%s layer %d %d", c->type, c->n_in, c->n_out);
    for (int i = 0; i < c->n_in; i++) n += (size_t)snprintf(text + n, room - n, " in%d", i);
    for (int k = 0; k < c->n_out; k++) n += (size_t)snprintf(text + n, room - n, " out%d", k);
    n += (size_t)snprintf(text + n, room - n, " %s\n", c->params ? c->params : "");
    ck_assert_msg(n < room, "%s: parameters are too long for the harness", c->type);
}

static size_t write_weights(weight_kind kind, const tensor *t, unsigned char *to)
{
    static const struct {
        uint32_t tag;
        bool tagged;
        ebb_dtype dtype;
    } forms[] = {[W_RAW] = {0, false, EBB_F32},
                 [W_F32] = {0, true, EBB_F32},
                 [W_F16] = {0x01306b47, true, EBB_F16},
                 [W_I8] = {0x000d4b38, true, EBB_I8}};
    size_t n = 0;
    if (forms[kind].tagged) memcpy(to, &forms[kind].tag, 4), n = 4;
    for (size_t i = 0; i < tensor_count(t); i++, n += ebb_dtype_bytes(forms[kind].dtype))
        put_cell(forms[kind].dtype, to + n, t->v[i]);
    return (n + 3) / 4 * 4;
}

void model_new(model *m, const layer_case *c)
{
    *m = (model){.c = c};
    write_param(c, m->text, sizeof m->text);
    size_t room = 16;
    for (int i = 0; i < CASE_WEIGHTS && c->weights[i].kind != W_END; i++) room += 16 + c->weights[i].n * 4;
    m->bin = calloc(room, 1);
    ck_assert_ptr_nonnull(m->bin);
    for (int i = 0; i < CASE_WEIGHTS && c->weights[i].kind != W_END; i++) {
        m->weights[i] = make_weights(c, i);
        m->bytes += write_weights(c->weights[i].kind, &m->weights[i], m->bin + m->bytes);
    }
    for (int i = 0; i < c->n_in; i++) m->in[i] = make_input(c, i);
    if (c->reference) c->reference(c, m->in, m->weights, m->out);
}

void model_free(model *m)
{
    free(m->bin);
    for (int i = 0; i < CASE_WEIGHTS; i++) free(m->weights[i].v);
    for (int i = 0; i < CASE_IN; i++) free(m->in[i].v);
    for (int k = 0; k < CASE_OUT; k++) free(m->out[k].v);
}

ebb_status model_load(const model *m, const ebb_net_options *opt, ebb_net **net, ebb_error *e)
{
    *net = NULL;
    EBB_TRY(ebb_net_new(opt, net, e));
    EBB_TRY(ebb_net_load_param_mem(*net, m->text, strlen(m->text), e));
    return ebb_net_load_weights_mem(*net, m->bin, m->bytes, e);
}
