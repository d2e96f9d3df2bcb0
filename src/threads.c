// SPDX-License-Identifier: BSD-3-Clause
// threads.c - a small pool of threads. Rule: everything a worker decides on stands in one atomic word,
// `state`, so that a worker that is late joins the present job or none, and the caller waits only for those
// that joined. In a child after fork there are no workers: the caller does all, and nobody is waited for.
#include "threads.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

// state: how many workers may still join the job that is open (0: closed), one bit to go home, and a count of
// jobs, so that a worker joins each job once.
enum { PLACES = EBB_MAX_THREADS, QUIT = PLACES + 1, ROUND = 2 * QUIT };
_Static_assert((PLACES & QUIT) == 0, "places fill the bits below");
enum { SPIN = 4000, SPIN_CROWDED = 50, YIELD_EVERY = 64 };

struct ebb_pool {
    ebb_heap *heap;
    size_t bytes;             // of this struct and its threads
    atomic_int refs;          // its maker, and the extractors that use it
    pid_t process;            // that has the threads
    int spin;                 // looks at a word before sleeping
    atomic_bool busy;         // a caller owns the job
    atomic_uint state;
    atomic_size_t next;       // first item nobody has taken
    atomic_uint left;         // workers that joined the job and are through
    size_t n;                 // the job; written while it is closed and nobody is in it
    void (*fn)(void *, size_t, int);
    void *ctx;
    pthread_mutex_t lock;     // for sleeping only
    pthread_cond_t wake, done;
    atomic_int sleepers;      // workers in `wake`
    atomic_bool caller_sleeps;
    int n_threads;            // beside the caller
    pthread_t thread[];
};

static inline void relax(int turn)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
    if (turn % YIELD_EVERY == YIELD_EVERY - 1) sched_yield();
}

static void work(ebb_pool *p, int worker)
{
    for (size_t i; (i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->n;)
        p->fn(p->ctx, i, worker);
}

// The place this worker has in the open job, 1 and up; 0 when there is none for it.
static int join(ebb_pool *p)
{
    unsigned s = atomic_load(&p->state);
    do {
        if (!(s & PLACES)) return 0;
    } while (!atomic_compare_exchange_weak(&p->state, &s, s - 1));
    return (int)(s & PLACES);
}

static void leave(ebb_pool *p)
{
    atomic_fetch_add(&p->left, 1);
    if (!atomic_load(&p->caller_sleeps)) return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_signal(&p->done);
    pthread_mutex_unlock(&p->lock);
}

static bool nothing_new(ebb_pool *p, unsigned seen)
{
    const unsigned s = atomic_load(&p->state);
    return !(s & QUIT) && s / ROUND == seen;
}

// Returns when there is a job that is not `seen`, or at the end: spins first, then sleeps.
static unsigned await_job(ebb_pool *p, unsigned seen)
{
    for (int i = 0; i < p->spin && nothing_new(p, seen); i++) relax(i);
    if (nothing_new(p, seen)) {
        pthread_mutex_lock(&p->lock);
        atomic_fetch_add(&p->sleepers, 1);
        while (nothing_new(p, seen)) pthread_cond_wait(&p->wake, &p->lock);
        atomic_fetch_sub(&p->sleepers, 1);
        pthread_mutex_unlock(&p->lock);
    }
    return atomic_load(&p->state);
}

static void *worker_main(void *pool)
{
    ebb_pool *p = pool;
    for (unsigned s = 0; !((s = await_job(p, s / ROUND)) & QUIT);) {
        const int place = join(p);
        if (!place) continue;
        work(p, place);
        leave(p);
    }
    return NULL;
}

static void wake_sleepers(ebb_pool *p, int most)
{
    // Sleepers count themselves before they look at state, which is written by now: none is missed.
    if (atomic_load(&p->sleepers) == 0) return;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < most; i++) pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void await_workers(ebb_pool *p, unsigned joined)
{
    for (int i = 0; i < p->spin && atomic_load(&p->left) != joined; i++) relax(i);
    if (atomic_load(&p->left) == joined) return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->caller_sleeps, true);
    while (atomic_load(&p->left) != joined) pthread_cond_wait(&p->done, &p->lock);
    atomic_store(&p->caller_sleeps, false);
    pthread_mutex_unlock(&p->lock);
}

static void run_shared(ebb_pool *p, unsigned places, size_t n, void (*fn)(void *, size_t, int), void *ctx)
{
    p->n = n, p->fn = fn, p->ctx = ctx;
    atomic_store(&p->next, 0);
    atomic_store(&p->left, 0);
    atomic_store(&p->state, atomic_load(&p->state) + ROUND + places);
    wake_sleepers(p, (int)places);
    work(p, 0);
    const unsigned unused = atomic_fetch_and(&p->state, ~(unsigned)PLACES) & PLACES;
    await_workers(p, places - unused);
}

void ebb_pool_run(ebb_pool *p, int threads, size_t n, void (*fn)(void *ctx, size_t i, int worker), void *ctx)
{
    int helpers = p && getpid() == p->process ? p->n_threads : 0;
    if (helpers > threads - 1) helpers = threads - 1;
    if (n < (size_t)helpers + 1) helpers = (int)n - 1;
    if (helpers > 0 && !atomic_exchange(&p->busy, true)) {
        run_shared(p, (unsigned)helpers, n, fn, ctx);
        atomic_store(&p->busy, false);
    } else {
        for (size_t i = 0; i < n; i++) fn(ctx, i, 0);
    }
}

void ebb_parallel(const ebb_cpu *cpu, size_t n, void (*fn)(void *ctx, size_t i, int worker), void *ctx)
{
    ebb_pool_run(cpu->pool, cpu->threads, n, fn, ctx);
}

ebb_status ebb_pool_new(int threads, const ebb_allocator *a, ebb_pool **pool, ebb_error *e)
{
    if (threads < 1 || threads > PLACES)
        return ebb_fail(e, EBB_E_PARAM, "a pool has 1 to %d threads, not %d", PLACES, threads);
    ebb_heap *s;
    EBB_TRY(ebb_heap_new(a, &s, e));
    const size_t bytes = sizeof(ebb_pool) + ebb_size_mul((size_t)threads - 1, sizeof(pthread_t));
    ebb_pool *p = ebb_heap_zero(s, EBB_MEM_META, 1, bytes);
    if (!p) {
        ebb_heap_drop(s);
        return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a pool of %d threads", bytes,
                        threads);
    }
    p->heap = s, p->bytes = bytes, p->process = getpid();
    atomic_init(&p->refs, 1);
    p->spin = threads > sysconf(_SC_NPROCESSORS_ONLN) ? SPIN_CROWDED : SPIN;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
    // A thread that cannot be had means fewer threads.
    while (p->n_threads < threads - 1 && !pthread_create(&p->thread[p->n_threads], NULL, worker_main, p))
        p->n_threads++;
    *pool = p;
    return EBB_OK;
}

static void send_home(ebb_pool *p)
{
    atomic_fetch_or(&p->state, QUIT);
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->n_threads; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
}

ebb_pool *ebb_pool_hold(ebb_pool *p)
{
    if (p) atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void ebb_pool_destroy(ebb_pool *p)
{
    if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1) return;
    if (getpid() == p->process) send_home(p);  // elsewhere the lock may be held by a thread that is not there
    ebb_heap *s = p->heap;
    ebb_heap_put(s, EBB_MEM_META, p, p->bytes);
    ebb_heap_drop(s);
}
