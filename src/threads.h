// SPDX-License-Identifier: BSD-3-Clause
// threads.h - a small pool: workers spin for a moment, then sleep.
#pragma once
#include "alloc.h"

// Calls fn(ctx, i, worker) once for each i in [0, n) on at most `threads` workers (the caller is worker 0).
// When another extractor is using the pool, the caller does all of it. p may be NULL.
void ebb_pool_run(ebb_pool *p, int threads, size_t n, void (*fn)(void *ctx, size_t i, int worker), void *ctx);
