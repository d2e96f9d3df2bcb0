// SPDX-License-Identifier: BSD-3-Clause
// error.c - status names and messages. Rule: a message is one sentence, without a newline.
#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ebb_status_name(ebb_status s)
{
    switch (s) {
#define X(id, text)                                                                                          \
    case id: return #id;
        EBB_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *ebb_status_text(ebb_status s)
{
    switch (s) {
#define X(id, text)                                                                                          \
    case id: return text;
        EBB_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *ebb_version(void) { return "0.1.0"; }

ebb_status ebb_fail_at(ebb_error *e, ebb_status s, const char *file, int line, const char *fmt, ...)
{
    if (!e) return s;
    e->code = s;
    e->file = file;
    e->line = line;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    for (char *p = e->msg; *p; p++)
        if (*p == '\n' || *p == '\r') *p = ' ';
    return s;
}

ebb_status ebb_error_prefix(ebb_error *e, ebb_status s, const char *fmt, ...)
{
    if (!e) return s;
    char place[sizeof e->msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(place, sizeof place / 2, fmt, ap);
    va_end(ap);
    const size_t n = strlen(place);
    snprintf(place + n, sizeof place - n, "%s", e->msg);
    memcpy(e->msg, place, sizeof place);
    return s;
}
