// SPDX-License-Identifier: BSD-3-Clause
// loading.h - what the loader's tests share: layers that show what they were given, an allocator that fails,
// a log.
#pragma once
#include "ebb_layer.h"
#include "harness.h"
#include "net.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- allocator

typedef struct meter {
    long live, calls, fail_at;  // the call with this number gets nothing; 0: none fails
} meter;

static void *meter_get(void *user, size_t bytes, size_t align)
{
    meter *m = user;
    void *p = NULL;
    if (++m->calls == m->fail_at || posix_memalign(&p, align, bytes)) return NULL;
    m->live += (long)bytes;
    return p;
}

static void meter_put(void *user, void *p, size_t bytes)
{
    ((meter *)user)->live -= (long)bytes;
    free(p);
}

// ------------------------------------------------------------------------------------------- layers

static inline ebb_status same_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    for (int i = 0; i < in->n_out; i++)
        if (in->n_in) out[i] = in->in[0];
    return EBB_OK;
}

static inline ebb_status compute_nothing(const void *st, const ebb_cpu *c, const ebb_blob *const *in,
                                         ebb_blob *const *out, ebb_error *e)
{
    (void)st, (void)c, (void)in, (void)out, (void)e;
    return EBB_OK;
}

// Probe: a parameter of each type, any number of inputs and outputs. Input i is read for its shape only when
// bit i of parameter 0 is set.
typedef struct probe {
    int a, b, small, like_a;
    float f, like_f, unit;
    ebb_ints ints;
    ebb_floats floats;
    const char *text;
    int n_in, n_out;
    char *made;
} probe;

static const ebb_param probe_rows[] = {
    {.id = 0, .name = "a", .type = EBB_P_INT, .offset = offsetof(probe, a), .def = -7},
    {.id = 1, .name = "b", .type = EBB_P_INT, .offset = offsetof(probe, b)},
    {.id = 2, .name = "f", .type = EBB_P_FLOAT, .offset = offsetof(probe, f), .def = 0.25},
    {.id = 3, .name = "ints", .type = EBB_P_INTS, .offset = offsetof(probe, ints)},
    {.id = 4, .name = "floats", .type = EBB_P_FLOATS, .offset = offsetof(probe, floats)},
    {.id = 5, .name = "text", .type = EBB_P_STRING, .offset = offsetof(probe, text)},
    {.id = 6,
     .name = "small",
     .type = EBB_P_INT,
     .offset = offsetof(probe, small),
     .def = 3,
     .min = 1,
     .max = 9},
    {.id = 7, .name = "like_a", .type = EBB_P_INT, .offset = offsetof(probe, like_a), .like = EBB_LIKE(0)},
    {.id = 8, .name = "like_f", .type = EBB_P_FLOAT, .offset = offsetof(probe, like_f), .like = EBB_LIKE(2)},
    {.id = 9, .name = "unit", .type = EBB_P_FLOAT, .offset = offsetof(probe, unit), .min = -1, .max = 1},
    {0},
};

static inline ebb_status probe_init(void *st, const ebb_init *in, ebb_error *e)
{
    probe *p = st;
    p->n_in = in->n_in, p->n_out = in->n_out;
    if (p->b == 666) return ebb_fail(e, EBB_E_PARAM, "b is evil");
    p->made = ebb_init_alloc(in, 100);
    return p->made ? EBB_OK : ebb_fail(e, EBB_E_NOMEM, "no memory for a probe");
}

static inline bool probe_shape_only(const void *st, int i) { return ((const probe *)st)->a >> i & 1; }

static const ebb_layer_type probe_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Probe",
    .in_min = 0,
    .in_max = -1,
    .out_min = 0,
    .out_max = -1,
    .state_size = sizeof(probe),
    .params = probe_rows,
    .init = probe_init,
    .shape_only = probe_shape_only,
    .shape = same_shape,
    .cpu = compute_nothing,
};

// Fixed: one or two inputs, one output, no parameters.
static const ebb_layer_type fixed_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Fixed",
    .in_min = 1,
    .in_max = 2,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .cpu = compute_nothing,
};

// Weighty: reads n weights, raw or tagged, and uses, keeps or copies them; as a constant with `what` 3.
typedef struct weighty {
    int n, tagged, what, more;
    ebb_weights w;
    float *copy;
    int *unloads;
} weighty;
enum { USE, KEEP, COPY };

static const ebb_param weighty_rows[] = {
    {.id = 0, .name = "n", .type = EBB_P_INT, .offset = offsetof(weighty, n)},
    {.id = 1, .name = "tagged", .type = EBB_P_INT, .offset = offsetof(weighty, tagged)},
    {.id = 2, .name = "what", .type = EBB_P_INT, .offset = offsetof(weighty, what)},
    {.id = 3, .name = "more", .type = EBB_P_INT, .offset = offsetof(weighty, more)},
    {0},
};

static inline ebb_status weighty_load(void *st, const ebb_load *l, ebb_error *e)
{
    weighty *p = st;
    const size_t n = p->n < 0 ? SIZE_MAX / 2 : (size_t)p->n;
    EBB_TRY(ebb_load_weights(l, n, p->tagged ? EBB_TAGGED : EBB_RAW, &p->w, e));
    if (p->what == KEEP) EBB_TRY(ebb_load_keep(l, &p->w, e));
    if (p->what == COPY) {
        void *copy;
        EBB_TRY(ebb_load_alloc(l, n * sizeof(float), &copy, e));
        p->copy = copy;
        ebb_weights_to_f32(&p->w, p->copy);
    }
    if (p->what != KEEP) p->w.data = NULL;
    ebb_weights more;
    return p->more ? ebb_load_weights(l, (size_t)p->more, EBB_RAW, &more, e) : EBB_OK;
}

static const ebb_layer_type weighty_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Weighty",
    .in_min = 0,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(weighty),
    .params = weighty_rows,
    .load = weighty_load,
    .shape = same_shape,
    .cpu = compute_nothing,
};

// Constant: n weights, raw or tagged, as output 0; shaped 2 x n/2.
static inline ebb_status constant_load(void *st, const ebb_load *l, ebb_error *e)
{
    weighty *p = st;
    EBB_TRY(ebb_load_weights(l, (size_t)p->n, p->tagged ? EBB_TAGGED : EBB_RAW, &p->w, e));
    return p->what ? EBB_OK : ebb_load_constant(l, 0, 2, (const int[]){2, p->n / 2}, &p->w, e);
}

static const ebb_layer_type constant_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Constant",
    .flags = EBB_LAYER_CONSTANT,
    .in_min = 0,
    .in_max = 0,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(weighty),
    .params = weighty_rows,
    .load = constant_load,
};

// ------------------------------------------------------------------------------------------- nets

typedef struct log_text {
    int lines;
    char last[512];
} log_text;

static inline void log_line(void *user, ebb_log_level level, const char *line)
{
    (void)level;
    log_text *t = user;
    t->lines++;
    snprintf(t->last, sizeof t->last, "%s", line);
}

// A net that knows Probe, Fixed, Weighty and Constant, in this order. m and log may be NULL; NULL: no memory.
static inline ebb_net *test_net(meter *m, log_text *log, ebb_error *e)
{
    static const ebb_layer_type *const types[] = {&probe_type, &fixed_type, &weighty_type, &constant_type};
    ebb_net_options opt = {0};
    if (m) opt.allocator = (ebb_allocator){meter_get, meter_put, m};
    if (log) opt.log = log_line, opt.log_user = log;
    ebb_net *net;
    if (ebb_net_new(&opt, &net, e) != EBB_OK) return NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (ebb_net_add_layer(net, types[i], e) != EBB_OK) {
            ebb_net_destroy(net);
            return NULL;
        }
    return net;
}

static inline ebb_status load_text(ebb_net *net, const char *text, ebb_error *e)
{
    return ebb_net_load_param_mem(net, text, strlen(text), e);
}

// A net of this text; the test fails when it does not load.
static inline ebb_net *net_of(const char *text, log_text *log)
{
    ebb_error e;
    ebb_net *net = test_net(NULL, log, &e);
    ck_assert_ptr_nonnull(net);
    if (load_text(net, text, &e) != EBB_OK) ck_abort_msg("%s", e.msg);
    return net;
}

static inline void check_message(const ebb_error *e, ebb_status got, ebb_status want, const char *words)
{
    ck_assert_msg(got == want, "%s instead of %s", ebb_status_name(got), ebb_status_name(want));
    ck_assert_msg(e->code == want, "the error has another code than the status");
    ck_assert_msg(strstr(e->msg, words) != NULL, "'%s' is not in: %s", words, e->msg);
}

// Expects that the text fails to load with this status and words, leaks nothing, and that the net can be used
// again.
static inline void text_fails(const char *text, size_t bytes, ebb_status s, const char *words)
{
    meter m = {0};
    ebb_error e = {0};
    ebb_net *net = test_net(&m, NULL, &e);
    check_message(&e, ebb_net_load_param_mem(net, text, bytes, &e), s, words);
    ebb_net_clear(net);
    ck_assert_int_eq(load_text(net, "7767517\n1 1\nInput in 0 1 data\n", &e), EBB_OK);
    ebb_net_destroy(net);
    ck_assert_int_eq(m.live, 0);
}

// Each allocation of a load fails in turn: it says so, and leaks nothing.
static inline void loads_with_memory_only(const void *param, size_t bytes)
{
    ebb_status s = EBB_E_NOMEM;
    for (long at = 1; s != EBB_OK; at++) {
        meter m = {0};
        ebb_error e = {0};
        ebb_net *net = test_net(&m, NULL, &e);
        m.fail_at = m.calls + at;
        s = ebb_net_load_param_mem(net, param, bytes, &e);
        if (m.calls >= m.fail_at) check_message(&e, s, EBB_E_NOMEM, "no memory");
        else ck_assert_msg(s == EBB_OK, "%s", e.msg);
        ebb_net_destroy(net);
        ck_assert_int_eq(m.live, 0);
    }
}

// A growing file of 4-byte cells and bytes.
typedef struct bytes {
    size_t n;
    unsigned char v[8192];
} bytes;

static inline void put_bytes(bytes *b, const void *v, size_t n)
{
    ck_assert_uint_le(b->n + n, sizeof b->v);
    memcpy(b->v + b->n, v, n);
    b->n += n;
}

static inline void put_cell(bytes *b, int32_t v)
{
    const unsigned char le[] = {v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24 & 255};
    put_bytes(b, le, 4);
}

static inline void put_float(bytes *b, float f)
{
    int32_t v;
    memcpy(&v, &f, 4);
    put_cell(b, v);
}

static inline const probe *probe_of(const ebb_net *net, int layer) { return net->g.nodes[layer].state; }
