// SPDX-License-Identifier: BSD-3-Clause
// threads.h - a small pool: workers spin for a moment, then sleep.
#pragma once
#include "alloc.h"

// One more user: the pool goes when each has called ebb_pool_destroy. p may be NULL.
ebb_pool *ebb_pool_hold(ebb_pool *p);
// Calls fn(ctx, i, worker) once for each i in [0, n) on at most `threads` workers (the caller is worker 0).
// When another extractor is using the pool, the caller does all of it. p may be NULL.
void ebb_pool_run(ebb_pool *p, int threads, size_t n, void (*fn)(void *ctx, size_t i, int worker), void *ctx);
