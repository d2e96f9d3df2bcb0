// SPDX-License-Identifier: BSD-3-Clause
// stop.h - SIGINT and SIGTERM: a run is cancelled, and what was opened is closed in order.
#pragma once
#include "ebb.h"

// From now on the first such signal cancels this extractor's run, and a second one ends the program at once;
// with NULL the first one does.
void stop_watch(ebb_extractor *x);
// 128 and the signal's number where one came, else 0: the program's exit code, as a shell would give it.
int stop_code(void);
