// SPDX-License-Identifier: BSD-3-Clause
// log.c - lines for the caller's log. Rule: a line is one whole sentence, and names what it is about.
#include "log.h"
#include <stdarg.h>
#include <stdio.h>

void ebb_log_say(const ebb_log *log, ebb_log_level level, const char *fmt, ...)
{
    if (!log->line) return;
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    log->line(log->user, level, line);
}
