// SPDX-License-Identifier: BSD-3-Clause
// trace.c - writers of events: making, feeding and finishing one. Rule: a writer never fails in the middle of
// a run; what it could not keep is reported at the end.
#include "trace.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void ebb_trace_flush(ebb_trace *t)
{
    if (t->used) t->write(t->user, t->text, t->used);
    t->used = 0;
}

void ebb_trace_put(ebb_trace *t, const char *s, size_t n)
{
    while (n > 0) {
        if (t->used == sizeof t->text) ebb_trace_flush(t);
        const size_t room = sizeof t->text - t->used, part = n < room ? n : room;
        memcpy(t->text + t->used, s, part);
        t->used += part;
        s += part;
        n -= part;
    }
}

void ebb_trace_say(ebb_trace *t, const char *fmt, ...)
{
    char text[sizeof t->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ebb_trace_put(t, text, strlen(text));
}

long long ebb_trace_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

const char *ebb_trace_blob(const ebb_trace *t, int blob, char room[16])
{
    const char *name = ebb_net_blob_name(t->net, blob);
    if (name && *name) return name;
    snprintf(room, 16, "#%d", blob);
    return room;
}

static void drop(ebb_trace *t)
{
    if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1) return;
    ebb_heap *heap = t->heap;
    ebb_net_drop(t->net);
    ebb_heap_put(heap, EBB_MEM_META, t, sizeof *t);
    ebb_heap_drop(heap);
}

ebb_status ebb_trace_new(const ebb_net *net, ebb_trace_format f,
                         void (*write)(void *user, const char *text, size_t bytes), void *user, ebb_trace **t,
                         ebb_error *e)
{
    *t = NULL;
    if (net->state != EBB_NET_PARAM && net->state != EBB_NET_READY)
        return ebb_fail(e, EBB_E_STATE, "a trace names the blobs of a net: load its parameters first");
    *t = ebb_heap_zero(net->heap, EBB_MEM_META, 1, sizeof **t);
    if (!*t) return ebb_fail(e, EBB_E_NOMEM, "no memory for a trace");
    (*t)->net = ebb_net_hold(net), (*t)->format = f, (*t)->write = write, (*t)->user = user;
    (*t)->heap = ebb_heap_hold(net->heap);
    (*t)->began = ebb_trace_now();
    atomic_init(&(*t)->refs, 1);
    const ebb_status s = f == EBB_TRACE_TABLE ? ebb_trace_table_new(*t, e) : EBB_OK;
    if (s == EBB_OK) return EBB_OK;
    drop(*t);
    *t = NULL;
    return s;
}

// An observer can be given to an extractor of another net.
static bool names_ours(const ebb_trace *t, const ebb_event *ev)
{
    const int blobs = ebb_net_blob_count(t->net);
    return ev->blob < blobs && ev->other < blobs && ev->layer < ebb_net_layer_count(t->net);
}

static void on_event(void *user, const ebb_event *ev)
{
    ebb_trace *t = user;
    if (t->finished) return;
    if (!names_ours(t, ev)) {
        t->foreign = true;
        return;
    }
    if (t->format == EBB_TRACE_TABLE)
        ebb_trace_table_event(t, ev);
    else
        ebb_trace_json_event(t, ev);
}

ebb_observer ebb_trace_observer(ebb_trace *t) { return (ebb_observer){on_event, t}; }

void ebb_trace_hold(const ebb_observer *o)
{
    if (o->event == on_event) atomic_fetch_add_explicit(&((ebb_trace *)o->user)->refs, 1, memory_order_relaxed);
}

void ebb_trace_drop(const ebb_observer *o)
{
    if (o->event == on_event) drop(o->user);
}

ebb_status ebb_trace_finish(ebb_trace *t, ebb_error *e)
{
    if (t->format == EBB_TRACE_TABLE) ebb_trace_table_finish(t);
    ebb_trace_flush(t);
    t->finished = true;
    const bool lost = t->lost, foreign = t->foreign;
    drop(t);
    if (foreign)
        return ebb_fail(e, EBB_E_STATE, "the trace was told of blobs that its net does not have: they are left out");
    return lost ? ebb_fail(e, EBB_E_NOMEM, "no memory for some events of the trace: it is incomplete")
                : EBB_OK;
}
