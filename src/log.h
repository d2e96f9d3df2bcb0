// SPDX-License-Identifier: BSD-3-Clause
// log.h - what is worth telling, but no failure.
#pragma once
#include "ebb.h"

typedef struct ebb_log {
    void (*line)(void *user, ebb_log_level level, const char *line);  // NULL: silence
    void *user;
} ebb_log;

void ebb_log_say(const ebb_log *log, ebb_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
