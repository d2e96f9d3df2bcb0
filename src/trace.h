// SPDX-License-Identifier: BSD-3-Clause
// trace.h - what the writers of events share: a net to take names from, and text that goes out in pieces.
#pragma once
#include "net.h"

struct ebb_table;  // trace_table.c

struct ebb_trace {
    ebb_net *net;
    ebb_heap *heap;
    atomic_int refs;          // its maker, and the extractors that it watches
    bool finished;            // what still comes is not written
    ebb_trace_format format;
    void (*write)(void *user, const char *text, size_t bytes);
    void *user;
    bool foreign;             // it was told of blobs that its net does not have
    bool lost;                // there was no memory for something that should stand in the trace
    long long began;          // microseconds
    struct ebb_table *table;  // EBB_TRACE_TABLE only
    size_t used;
    char text[512];  // not yet written
};

// What an extractor does with the observer it is given: if that is a trace's, it may be finished before.
void ebb_trace_hold(const ebb_observer *o);
void ebb_trace_drop(const ebb_observer *o);

void ebb_trace_put(ebb_trace *t, const char *s, size_t n);
void ebb_trace_say(ebb_trace *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));  // under 512 bytes
void ebb_trace_flush(ebb_trace *t);
long long ebb_trace_now(void);  // microseconds, monotonic
// The blob's name, or "#7" when it has none.
const char *ebb_trace_blob(const ebb_trace *t, int blob, char room[16]);

void ebb_trace_json_event(ebb_trace *t, const ebb_event *ev);

ebb_status ebb_trace_table_new(ebb_trace *t, ebb_error *e);
void ebb_trace_table_event(ebb_trace *t, const ebb_event *ev);
void ebb_trace_table_finish(ebb_trace *t);  // writes the totals and frees
