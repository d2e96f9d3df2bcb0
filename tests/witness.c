// SPDX-License-Identifier: BSD-3-Clause
// witness.c - an allocator that counts for itself. Rule: it knows nothing of the library, so that a figure on
// which both agree is right.
#include "witness.h"
#include <check.h>
#include <stdlib.h>

// In front of each block, as large as the strictest alignment.
typedef struct block {
    struct block *self;  // NULL once it came back
    size_t bytes;
} block;
enum { FRONT = 64 };

static size_t counted(const witness *w, size_t bytes)
{
    return bytes < w->least ? 0 : bytes < w->head ? bytes : bytes - w->head;
}

static void count_in(witness *w, size_t bytes)
{
    w->sum.live += counted(w, bytes), w->sum.total += counted(w, bytes), w->sum.blocks++;
    if (w->sum.live > w->sum.peak) w->sum.peak = w->sum.live;
}

static void *get(void *user, size_t bytes, size_t align)
{
    witness *w = user;
    void *p = NULL;
    pthread_mutex_lock(&w->lock);
    const bool fails = ++w->sum.calls == w->fail_at || align > FRONT || bytes > SIZE_MAX - FRONT ||
                       posix_memalign(&p, FRONT, FRONT + bytes);
    if (!fails) count_in(w, bytes);
    pthread_mutex_unlock(&w->lock);
    if (fails) return NULL;
    *(block *)p = (block){p, bytes};
    return (char *)p + FRONT;
}

static void put(void *user, void *p, size_t bytes)
{
    witness *w = user;
    block *b = (block *)((char *)p - FRONT);
    if (b->self != b) ck_abort_msg("%zu bytes come back that were not got here, or came back before", bytes);
    if (b->bytes != bytes) ck_abort_msg("%zu bytes come back as %zu", b->bytes, bytes);
    pthread_mutex_lock(&w->lock);
    w->sum.live -= counted(w, bytes), w->sum.blocks--;
    pthread_mutex_unlock(&w->lock);
    b->self = NULL;
    free(b);
}

ebb_allocator witness_hooks(witness *w) { return (ebb_allocator){get, put, w}; }

witness_count witness_sum(witness *w)
{
    pthread_mutex_lock(&w->lock);
    const witness_count sum = w->sum;
    pthread_mutex_unlock(&w->lock);
    return sum;
}

void witness_restart(witness *w)
{
    pthread_mutex_lock(&w->lock);
    w->sum.peak = w->sum.live;
    pthread_mutex_unlock(&w->lock);
}
