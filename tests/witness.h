// SPDX-License-Identifier: BSD-3-Clause
// witness.h - an allocator that counts for itself: what the library says of its memory is compared with it.
#pragma once
#include "ebb.h"
#include <pthread.h>

// Zero-initialised it serves and counts all; read `sum` through witness_sum while threads run.
typedef struct witness_count {
    size_t live, peak, total;  // bytes: now, at most, ever handed out
    size_t blocks, calls;      // now; ever asked for, also in vain
} witness_count;
typedef struct witness {
    size_t least;    // blocks of fewer bytes are served, not counted: small ones are headers and names
    size_t head;     // taken off each counted block, as storage in front of a blob's data
    size_t fail_at;  // the call with this number gets nothing; 0: none fails
    witness_count sum;
    pthread_mutex_t lock;
} witness;

#define WITNESS(...) ((witness){.lock = PTHREAD_MUTEX_INITIALIZER, __VA_ARGS__})
// The hooks. A block that comes back with other bytes than it was got with, or twice, fails the test.
ebb_allocator witness_hooks(witness *w);
witness_count witness_sum(witness *w);
// The peak starts anew from what is live.
void witness_restart(witness *w);
