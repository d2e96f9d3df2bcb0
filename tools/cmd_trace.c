// SPDX-License-Identifier: BSD-3-Clause
// cmd_trace.c - `ebb trace`: which blob is born where, who frees it, what the peak is made of. Rule: it shows
// the events of a run (or of its dry twin), nothing computed beside them.
#include "session.h"
#include "stop.h"
#include <stdio.h>

static const char usage[] =
    "ebb trace MODEL.param [MODEL.bin] - follow every blob through one inference\n"
    "\n"
    "Without --in or --shape, inputs are pseudo-random numbers of the size that the file gives.\n"
    "\n"
    "  ebb trace squeezenet.param\n"
    "  ebb trace --dry --shape data=3x500x500 squeezenet.param\n"
    "  ebb trace --format logical squeezenet.param > before.jsonl\n";

static const option options[] = {
    OPTION("--format", "table|logical|full",
           "a table for people (default), or JSON Lines: blob events only, the same on "
           "every machine; or all events with times"),
    OPTION("--out", "BLOB", "what to extract (default: all outputs)", .many = true),
    OPTION("--dry", NULL, "no data: the events that the real run would send; needs no weights"),
    OPTIONS_INPUT,
    OPTIONS_MODEL,
    OPTIONS_ENGINE,
    OPTIONS_LIMIT,
    {0},
};

// Hands events on while it is open: what a dry run's extractor does afterwards is no part of the trace.
typedef struct gate {
    ebb_observer to;
    bool shut;
} gate;

static void pass(void *user, const ebb_event *ev)
{
    const gate *g = user;
    if (!g->shut) g->to.event(g->to.user, ev);
}

static bool run(session *s, const args *a, gate *g)
{
    ebb_error e;
    ebb_prediction p;
    const ebb_observer watch = {pass, g};
    if (!session_start(s, a, watch) || !session_outputs(s, a) || !session_inputs(s, a)) return false;
    if (!s->dry) return session_extract(s, NULL);
    const ebb_status st = session_predict(s, &watch, &p, &e);
    g->shut = true;
    if (st != EBB_OK && s->unknown)
        return refuse("the file gives no size for input '%s': say it with --shape %s=SHAPE", s->unknown,
                      s->unknown);
    return st == EBB_OK || refuse("%s", e.msg);
}

int cmd_trace(int argc, char **argv)
{
    const args a = {argc, argv, options, usage};
    session s = {.made_up = true};
    ebb_trace_format format = EBB_TRACE_TABLE;
    ebb_trace *t;
    ebb_error e;
    int code;
    if (args_end(&a, &code)) return code;
    s.dry = args_switch(&a, "--dry");
    bool ok = trace_format(&a, "--format", &format) && session_load(&s, &a);
    ok = ok && (ebb_trace_new(s.net, format, trace_to_file, stdout, &t, &e) == EBB_OK || refuse("%s", e.msg));
    if (ok) {
        gate g = {ebb_trace_observer(t), false};
        ok = run(&s, &a, &g);
        session_stop(&s);
        if (ebb_trace_finish(t, &e) != EBB_OK) ok = refuse("%s", e.msg);
    }
    session_close(&s);
    return stop_code() ? stop_code() : ok ? DONE : TROUBLE;
}
