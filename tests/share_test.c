// SPDX-License-Identifier: BSD-3-Clause
// share_test.c - one net for many extractors at the same time, and several nets. Rule: whoever else is at work, each run
// gives the values that it gives alone, to the last bit.
#include "harness.h"
#include "sample_nets.h"
#include "walk_text.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { EXTRACTORS = 8, RUNS = 500, VARIANTS = 3 };

typedef struct shared {
    const sample_net *s;
    void *bin;
    size_t bytes;
    ebb_net *net;
    ebb_blob *want[VARIANTS][SAMPLE_BLOBS];  // of each variant of inputs, made alone
} shared;

static void open_shared(shared *h, const sample_net *s)
{
    *h = (shared){.s = s};
    h->bin = sample_weights(s->weights, &h->bytes);
    ebb_error e = {0};
    ck_assert(ebb_net_new(&(ebb_net_options){.allocator = walk_allocator}, &h->net, &e) == EBB_OK);
    ck_assert_msg(sample_load(s, h->net, h->bin, h->bytes, &e) == EBB_OK, "%s", e.msg);
    ebb_extractor *x;
    ck_assert(ebb_extractor_new(h->net, NULL, &x, &e) == EBB_OK);
    for (int v = 0; v < VARIANTS; v++) {
        ck_assert_msg(sample_run(s, h->net, x, v, h->want[v], &e) == EBB_OK, "%s", e.msg);
        ebb_extractor_reset(x);
    }
    ck_assert(!sample_equal(s, h->want[0], h->want[1]));
    ebb_extractor_destroy(x);
}

static void close_shared(shared *h)
{
    for (int v = 0; v < VARIANTS; v++) sample_drop(h->s, h->want[v]);
    ebb_net_destroy(h->net);
    free(h->bin);
}

// What one thread does; it asserts nothing, since Check wants that of the main thread.
typedef struct worker {
    const shared *h;
    ebb_pool *pool;
    int threads, runs, first;
    bool reload;  // loads a net of its own
    int wrong;    // runs that failed or gave other values
    ebb_error e;
    pthread_t thread;
} worker;

static void run_many(worker *w, const ebb_net *net, ebb_extractor *x)
{
    for (int i = 0; i < w->runs; i++) {
        const int v = (w->first + i) % VARIANTS;
        ebb_blob *out[SAMPLE_BLOBS];
        const bool done = sample_run(w->h->s, net, x, v, out, &w->e) == EBB_OK;
        ebb_extractor_reset(x);  // before the blobs are compared: they stay valid
        w->wrong += !done || !sample_equal(w->h->s, out, w->h->want[v]);
        if (done) sample_drop(w->h->s, out);
    }
}

static void *work(void *arg)
{
    worker *w = arg;
    ebb_net *own = NULL;
    ebb_extractor *x = NULL;
    bool good =
        !w->reload || (ebb_net_new(&(ebb_net_options){.allocator = walk_allocator}, &own, &w->e) == EBB_OK &&
                       sample_load(w->h->s, own, w->h->bin, w->h->bytes, &w->e) == EBB_OK);
    ebb_net *net = own ? own : w->h->net;
    good = good && ebb_extractor_new(net, &(ebb_extractor_options){.threads = w->threads, .pool = w->pool},
                                     &x, &w->e) == EBB_OK;
    if (good) run_many(w, net, x);
    else w->wrong = w->runs;
    ebb_extractor_destroy(x);
    ebb_net_destroy(own);
    return NULL;
}

static void run_all(worker *w, int n)
{
    for (int i = 0; i < n; i++) ck_assert_int_eq(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    for (int i = 0; i < n; i++) pthread_join(w[i].thread, NULL);
    for (int i = 0; i < n; i++)
        ck_assert_msg(w[i].wrong == 0, "%s: %d of %d runs of thread %d are wrong: %s", w[i].h->s->name,
                      w[i].wrong, w[i].runs, i, w[i].e.msg);
}

START_TEST(eight_extractors_share_a_net)
{
    for (int k = 0; k < SAMPLE_NETS; k++) {
        shared h;
        worker w[EXTRACTORS];
        open_shared(&h, &sample_nets[k]);
        for (int i = 0; i < EXTRACTORS; i++)
            w[i] = (worker){.h = &h, .threads = 1, .runs = RUNS / EXTRACTORS / SAMPLE_NETS + 1, .first = i};
        run_all(w, EXTRACTORS);
        close_shared(&h);
    }
    walk_nothing_left();
}
END_TEST

// Each asks for two threads of the same pool: who finds it busy computes alone.
START_TEST(extractors_share_a_net_and_a_pool)
{
    shared h;
    worker w[EXTRACTORS];
    ebb_pool *pool;
    ebb_error e = {0};
    ck_assert(ebb_pool_new(2, &walk_allocator, &pool, &e) == EBB_OK);
    open_shared(&h, &sample_nets[0]);
    for (int i = 0; i < EXTRACTORS; i++)
        w[i] = (worker){.h = &h, .pool = pool, .threads = 2, .runs = RUNS / EXTRACTORS, .first = i};
    run_all(w, EXTRACTORS);
    close_shared(&h);
    ebb_pool_destroy(pool);
    walk_nothing_left();
}
END_TEST

START_TEST(two_nets_run_in_two_threads)
{
    shared h[2];
    worker w[2];
    for (int i = 0; i < 2; i++) {
        open_shared(&h[i], &sample_nets[i ? 4 : 3]);
        w[i] = (worker){.h = &h[i], .threads = 1 + i, .runs = RUNS / 2};
    }
    run_all(w, 2);
    for (int i = 0; i < 2; i++) close_shared(&h[i]);
    walk_nothing_left();
}
END_TEST

// Nets are loaded and destroyed while others of the same files run.
START_TEST(nets_load_while_others_run)
{
    shared h;
    worker w[4];
    open_shared(&h, &sample_nets[2]);
    for (int i = 0; i < 4; i++)
        w[i] = (worker){.h = &h, .threads = 1, .runs = 25, .first = i, .reload = i % 2};
    run_all(w, 4);
    close_shared(&h);
    walk_nothing_left();
}
END_TEST

START_TEST(results_outlive_net_and_extractor)
{
    shared h;
    open_shared(&h, &sample_nets[3]);
    ebb_net_destroy(h.net);
    h.net = NULL;
    memset(h.bin, 0xff, h.bytes);  // the caller's memory is the caller's again
    ebb_blob *kept[SAMPLE_BLOBS];
    for (int i = 0; i < h.s->n_out; i++) kept[i] = ebb_blob_hold(h.want[0][i]);
    ck_assert(sample_equal(h.s, kept, h.want[0]));
    for (int i = 0; i < h.s->n_out; i++) ck_assert(isfinite(ebb_f32(kept[i])[0]));
    sample_drop(h.s, kept);
    close_shared(&h);
    walk_nothing_left();
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests("share", (const test_entry[]){T(eight_extractors_share_a_net),
                                                   T(extractors_share_a_net_and_a_pool),
                                                   T(two_nets_run_in_two_threads),
                                                   T(nets_load_while_others_run),
                                                   T(results_outlive_net_and_extractor),
                                                   {0}});
}
