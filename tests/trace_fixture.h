// SPDX-License-Identifier: BSD-3-Clause
// trace_fixture.h - for the tests of the trace writers: a small net, and a writer that collects the text.
#pragma once
#include "harness.h"
#include <stdlib.h>
#include <string.h>

// data -> one -> (two, three); the last blob's name has all that JSON must escape, and bytes that are no
// UTF-8.
static const char small_net[] = "7767517\n4 4\n"
                                "Input in 0 1 data 0=3 1=2\n"
                                "ReLU first 1 1 data one\n"
                                "ReLU second 1 1 one two\n"
                                "ReLU third 1 1 one a\"b\\c\x01\xc3\xa9\xff\n";

// An allocator that refuses while `refuse` is set, and counts what is out.
typedef struct stubborn {
    bool refuse;
    long held;
} stubborn;

static inline void *stubborn_get(void *user, size_t bytes, size_t align)
{
    stubborn *s = user;
    void *p = NULL;
    if (s->refuse || posix_memalign(&p, align, bytes)) return NULL;
    s->held++;
    return p;
}

static inline void stubborn_put(void *user, void *p, size_t bytes)
{
    (void)bytes;
    ((stubborn *)user)->held--;
    free(p);
}

static inline ebb_net *load_small_net(stubborn *s)
{
    ebb_error e = {.msg = ""};
    ebb_net *net;
    const ebb_net_options opt = {.allocator = {stubborn_get, stubborn_put, s}};
    ck_assert_msg(ebb_net_new(&opt, &net, &e) == EBB_OK, "%s", e.msg);
    ck_assert_msg(ebb_net_load_param_mem(net, small_net, sizeof small_net - 1, &e) == EBB_OK, "%s", e.msg);
    ck_assert_msg(ebb_net_load_weights_mem(net, "", 0, &e) == EBB_OK, "%s", e.msg);
    return net;
}

typedef struct collected {
    size_t n;
    char text[1 << 16];
} collected;

static inline void collect(void *user, const char *text, size_t bytes)
{
    collected *c = user;
    ck_assert_uint_lt(c->n + bytes, sizeof c->text);
    memcpy(c->text + c->n, text, bytes);
    c->n += bytes;
    c->text[c->n] = 0;
}

static inline ebb_trace *new_trace(const ebb_net *net, ebb_trace_format f, collected *c)
{
    ebb_error e = {.msg = ""};
    ebb_trace *t;
    ck_assert_msg(ebb_trace_new(net, f, collect, c, &t, &e) == EBB_OK, "%s", e.msg);
    return t;
}

static inline void send_events(ebb_trace *t, const ebb_event *ev, int n)
{
    const ebb_observer o = ebb_trace_observer(t);
    for (int i = 0; i < n; i++) o.event(o.user, &ev[i]);
}
