// SPDX-License-Identifier: BSD-3-Clause
// threads_test.c - each item exactly once, whoever shares the pool, however many threads there really are.
#define _GNU_SOURCE  // pthread_setattr_default_np
#include "harness.h"
#include "threads.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 1000, THREADS = 4 };

typedef struct job {
    int threads;
    atomic_int hits[ITEMS];
    atomic_int inside[THREADS];  // items now run under each worker index
    atomic_int wrong;
} job;

static void count_item(void *ctx, size_t i, int worker)
{
    job *j = ctx;
    if (worker < 0 || worker >= j->threads || atomic_fetch_add(&j->inside[worker], 1) != 0)
        atomic_fetch_add(&j->wrong, 1);
    atomic_fetch_add(&j->hits[i], 1);
    if (worker >= 0 && worker < j->threads) atomic_fetch_sub(&j->inside[worker], 1);
}

static void check_run(ebb_pool *p, int threads, size_t n)
{
    job *j = calloc(1, sizeof *j);
    j->threads = threads;
    ebb_pool_run(p, threads, n, count_item, j);
    ck_assert_int_eq(atomic_load(&j->wrong), 0);
    for (size_t i = 0; i < ITEMS; i++) ck_assert_int_eq(atomic_load(&j->hits[i]), i < n);
    free(j);
}

static ebb_pool *new_pool(int threads)
{
    ebb_error e;
    ebb_pool *p;
    ck_assert_msg(ebb_pool_new(threads, NULL, &p, &e) == EBB_OK, "%s", e.msg);
    return p;
}

START_TEST(each_item_once)
{
    ebb_pool *p = new_pool(THREADS);
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 17, 333, ITEMS};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int threads = 1; threads <= THREADS; threads++) check_run(p, threads, sizes[s]);
    check_run(NULL, THREADS, 17);
    ebb_pool_destroy(p);
}
END_TEST

START_TEST(more_threads_asked_than_there_are)
{
    ebb_pool *p = new_pool(2);
    check_run(p, THREADS, ITEMS);
    ebb_pool_destroy(p);
}
END_TEST

static void add_item(void *ctx, size_t i, int worker)
{
    (void)worker;
    atomic_fetch_add((atomic_long *)ctx, i);
}

START_TEST(many_small_runs)
{
    ebb_pool *p = new_pool(3);
    for (int run = 0; run < 3000; run++) {
        const int n = run % 7;
        atomic_long sum = 0;
        ebb_pool_run(p, 3, n, add_item, &sum);
        ck_assert_int_eq(atomic_load(&sum), n * (n - 1) / 2);
    }
    ebb_pool_destroy(p);
}
END_TEST

// Plain memory written by items must be visible to the caller afterwards.
static void write_item(void *ctx, size_t i, int worker)
{
    (void)worker;
    ((int *)ctx)[i]++;
}

START_TEST(writes_are_seen)
{
    ebb_pool *p = new_pool(THREADS);
    int *v = calloc(ITEMS, sizeof *v);
    for (int run = 1; run <= 50; run++) {
        ebb_pool_run(p, THREADS, ITEMS, write_item, v);
        for (int i = 0; i < ITEMS; i++) ck_assert_int_eq(v[i], run);
    }
    free(v);
    ebb_pool_destroy(p);
}
END_TEST

static void *caller(void *pool)
{
    for (int run = 0; run < 200; run++) {
        int v[64] = {0};
        ebb_pool_run(pool, THREADS, 64, write_item, v);
        for (int i = 0; i < 64; i++)
            if (v[i] != 1) return pool;
    }
    return NULL;
}

START_TEST(two_callers_share_a_pool)
{
    ebb_pool *p = new_pool(THREADS);
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, caller, p), 0);
    ck_assert_ptr_null(caller(p));
    void *wrong;
    pthread_join(other, &wrong);
    ck_assert_ptr_null(wrong);
    ebb_pool_destroy(p);
}
END_TEST

static void slow_item(void *ctx, size_t i, int worker)
{
    (void)worker;
    if (i == 1) usleep(20000);
    ((int *)ctx)[i]++;
}

START_TEST(works_after_sleeping)
{
    ebb_pool *p = new_pool(THREADS);
    for (int run = 0; run < 3; run++) {
        usleep(50000);  // the workers are asleep by now
        check_run(p, THREADS, ITEMS);
        int v[4] = {0};
        ebb_pool_run(p, THREADS, 4, slow_item, v);  // and here the caller may be
        for (int i = 0; i < 4; i++) ck_assert_int_eq(v[i], 1);
    }
    usleep(50000);
    ebb_pool_destroy(p);  // asleep
    ebb_pool_destroy(new_pool(THREADS));  // hardly started
    ebb_pool_destroy(NULL);
}
END_TEST

START_TEST(parallel_is_the_pool_of_the_layer)
{
    ebb_pool *p = new_pool(2);
    atomic_long sum = 0;
    ebb_parallel(&(ebb_cpu){.threads = 2, .pool = p}, 100, add_item, &sum);
    ebb_parallel(&(ebb_cpu){.threads = 1}, 100, add_item, &sum);
    ck_assert_int_eq(atomic_load(&sum), 2 * 4950);
    ebb_pool_destroy(p);
}
END_TEST

typedef struct failing {
    int allowed, live;
} failing;

static void *failing_get(void *user, size_t bytes, size_t align)
{
    failing *f = user;
    void *m = NULL;
    if (f->allowed-- <= 0 || posix_memalign(&m, align, bytes)) return NULL;
    f->live++;
    return m;
}

static void failing_put(void *user, void *m, size_t bytes)
{
    (void)bytes;
    ((failing *)user)->live--;
    free(m);
}

START_TEST(no_memory_is_a_status)
{
    for (int allowed = 0;; allowed++) {
        failing f = {.allowed = allowed};
        ebb_error e;
        ebb_pool *p = NULL;
        const ebb_status s = ebb_pool_new(3, &(ebb_allocator){failing_get, failing_put, &f}, &p, &e);
        if (s == EBB_OK) {
            ck_assert_int_ge(allowed, 2);
            check_run(p, 3, 100);
            ebb_pool_destroy(p);
            ck_assert_int_eq(f.live, 0);
            break;
        }
        ck_assert_int_eq(s, EBB_E_NOMEM);
        ck_assert_ptr_nonnull(strstr(e.msg, "no memory"));
        ck_assert_int_eq(f.live, 0);
    }
}
END_TEST

START_TEST(no_threads_to_be_had_means_fewer)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, SIZE_MAX - 0xffffff), 0);
    ck_assert_int_eq(pthread_setattr_default_np(&attr), 0);  // of this forked test only
    pthread_t t;
    ck_assert_int_ne(pthread_create(&t, NULL, caller, NULL), 0);
    ebb_pool *p = new_pool(THREADS);
    check_run(p, THREADS, ITEMS);
    ebb_pool_destroy(p);
}
END_TEST

START_TEST(silly_sizes_are_refused)
{
    static const int sizes[] = {0, -1, 100000};
    for (int i = 0; i < 3; i++) {
        ebb_error e;
        ebb_pool *p;
        ck_assert_int_eq(ebb_pool_new(sizes[i], NULL, &p, &e), EBB_E_PARAM);
        ck_assert_ptr_nonnull(strstr(e.msg, "a pool has 1 to"));
    }
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"each_item_once", each_item_once},
        {"more_threads_asked_than_there_are", more_threads_asked_than_there_are},
        {"many_small_runs", many_small_runs},
        {"writes_are_seen", writes_are_seen},
        {"two_callers_share_a_pool", two_callers_share_a_pool},
        {"works_after_sleeping", works_after_sleeping},
        {"parallel_is_the_pool_of_the_layer", parallel_is_the_pool_of_the_layer},
        {"no_memory_is_a_status", no_memory_is_a_status},
        {"no_threads_to_be_had_means_fewer", no_threads_to_be_had_means_fewer},
        {"silly_sizes_are_refused", silly_sizes_are_refused},
        {0},
    };
    return run_tests("threads", tests);
}
