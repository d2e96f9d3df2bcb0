// SPDX-License-Identifier: BSD-3-Clause
// draft.c - what text and binary files have in common. Rule: every message says where in the file it belongs.
#include "draft.h"
#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The end of a long path says more than its beginning.
static const char *tail(const char *label)
{
    const size_t n = strlen(label);
    return n > 120 ? label + n - 120 : label;
}

ebb_status ebb_draft_place(const ebb_draft *d, const ebb_draft_layer *l, const char *at, ebb_status s,
                           ebb_error *e)
{
    if (l && l->name && l->type)
        ebb_error_prefix(e, s, "layer %td '%.64s' (%.40s): ", l - d->layers, l->name, l->type->name);
    else if (l && l->name)
        ebb_error_prefix(e, s, "layer %td '%.64s': ", l - d->layers, l->name);
    else if (l)
        ebb_error_prefix(e, s, "layer %td: ", l - d->layers);
    if (!at) return ebb_error_prefix(e, s, "%s: ", tail(d->label));
    if (d->binary) return ebb_error_prefix(e, s, "%s: byte %td: ", tail(d->label), at - d->data);
    int line = 1;
    const char *start = d->data;
    for (const char *p = start; p < at; p++)
        if (*p == '\n') line++, start = p + 1;
    return ebb_error_prefix(e, s, "%s:%d:%td: ", tail(d->label), line, at - start + 1);
}

void ebb_draft_warn(const ebb_draft *d, const ebb_draft_layer *l, const char *fmt, ...)
{
    char line[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (l)
        ebb_log_say(&d->log, EBB_LOG_WARNING, "%s: layer %td '%.64s' (%.40s): %s", tail(d->label),
                    l - d->layers, l->name, l->type ? l->type->name : "unknown", line);
    else
        ebb_log_say(&d->log, EBB_LOG_WARNING, "%s: %s", tail(d->label), line);
}

ebb_status ebb_draft_nomem(const ebb_draft *d, ebb_error *e)
{
    return ebb_draft_place(d, NULL, NULL, ebb_fail(e, EBB_E_NOMEM, "no memory for the graph"), e);
}

static ebb_value *find(const ebb_draft_layer *l, int id)
{
    ebb_value *v = l->values;
    while (v && v->id != id) v = v->next;
    return v;
}

const ebb_value *ebb_draft_value(const ebb_draft_layer *l, int id) { return find(l, id); }

// The last one counts, as it does in ncnn.
static void replace(const ebb_draft *d, ebb_draft_layer *l, ebb_value v)
{
    ebb_value *old = find(l, v.id);
    v.next = old->next;
    *old = v;
    const uint64_t bit = (uint64_t)1 << v.id;
    if (!(l->again & bit))
        ebb_draft_warn(d, l, "parameter %d stands there more than once; the last one counts", v.id);
    l->again |= bit;
}

ebb_status ebb_draft_add_value(ebb_draft *d, ebb_draft_layer *l, ebb_value **last, ebb_value v, ebb_error *e)
{
    if (v.id < 0 || v.id >= EBB_MAX_ID)
        return ebb_fail(e, EBB_E_FORMAT, "parameter id %d is out of range: ids go from 0 to %d", v.id,
                        EBB_MAX_ID - 1);
    if (l->ids >> v.id & 1) {
        replace(d, l, v);
        return EBB_OK;
    }
    ebb_value *copy = ebb_arena_get(&d->arena, sizeof *copy);
    if (!copy) return ebb_fail(e, EBB_E_NOMEM, "no memory for a parameter");
    *copy = v;
    l->ids |= (uint64_t)1 << v.id;
    if (*last)
        (*last)->next = copy;
    else
        l->values = copy;
    *last = copy;
    return EBB_OK;
}
