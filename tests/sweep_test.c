// SPDX-License-Identifier: BSD-3-Clause
// sweep_test.c - whole nets with every allocation failing in turn, from loading to the results. Rule: it is EBB_E_NOMEM
// in words, nothing is lost, and the same objects then give the right values.
#include "harness.h"
#include "sample_nets.h"
#include "walk_text.h"
#include <stdlib.h>
#include <string.h>

typedef struct sweep {
    const sample_net *s;
    void *bin;
    size_t bytes;
    int threads;
    ebb_blob *want[SAMPLE_BLOBS];
} sweep;

// A net and its extractor, as far as they got.
typedef struct life {
    ebb_net *net;
    bool loaded;
    ebb_extractor *x;
    ebb_blob *out[SAMPLE_BLOBS];
} life;

static ebb_status live(const sweep *w, const ebb_allocator *a, life *l, ebb_error *e)
{
    if (!l->net) EBB_TRY(ebb_net_new(&(ebb_net_options){.allocator = *a}, &l->net, e));
    if (!l->loaded) EBB_TRY(sample_load(w->s, l->net, w->bin, w->bytes, e));
    l->loaded = true;
    if (!l->x) EBB_TRY(ebb_extractor_new(l->net, &(ebb_extractor_options){.threads = w->threads}, &l->x, e));
    return sample_run(w->s, l->net, l->x, 0, l->out, e);
}

static void end(const sweep *w, life *l)
{
    sample_drop(w->s, l->out);
    ebb_extractor_destroy(l->x);
    ebb_net_destroy(l->net);
}

// What a caller does after an error.
static void recover(life *l)
{
    if (l->net && !l->loaded) ebb_net_clear(l->net);
    if (l->x) ebb_extractor_reset(l->x);
}

// One life in which allocation `at` fails. False when there were fewer.
static bool survive(const sweep *w, int at)
{
    life l = {0};
    ebb_error e = {0};
    walk_fail_at(at);
    const ebb_status s = live(w, &walk_allocator, &l, &e);
    walk_fail_at(0);
    if (s != EBB_OK) {
        ck_assert_msg(s == EBB_E_NOMEM && e.code == s && strstr(e.msg, "no memory"),
                      "%s, allocation %d: %s: %s", w->s->name, at, ebb_status_name(s), e.msg);
        for (int i = 0; i < w->s->n_out; i++) ck_assert_ptr_null(l.out[i]);
        recover(&l);
        ck_assert_msg(live(w, &walk_allocator, &l, &e) == EBB_OK, "%s, after allocation %d: %s", w->s->name,
                      at, e.msg);
    }
    ck_assert_msg(sample_equal(w->s, l.out, w->want), "%s, after allocation %d: other values", w->s->name,
                  at);
    end(w, &l);
    walk_nothing_left();
    return s != EBB_OK;
}

static void sweep_over(const sample_net *s, int threads)
{
    sweep w = {.s = s, .threads = threads};
    w.bin = sample_weights(s->weights, &w.bytes);
    life first = {0};
    ebb_error e = {0};
    ck_assert_msg(live(&w, &(ebb_allocator){0}, &first, &e) == EBB_OK, "%s: %s", s->name, e.msg);
    for (int i = 0; i < s->n_out; i++) w.want[i] = ebb_blob_hold(first.out[i]);
    end(&w, &first);
    int at = 1;
    while (survive(&w, at)) at++;
    ck_assert_int_gt(at, 20);
    sample_drop(s, w.want);
    free(w.bin);
}

#define SWEEP(net, nth)                                                                                      \
    START_TEST(net)                                                                                          \
    {                                                                                                        \
        ck_assert_str_eq(sample_nets[nth].name, #net);                                                       \
        for (int threads = 1; threads <= 2; threads++) sweep_over(&sample_nets[nth], threads);               \
    }                                                                                                        \
    END_TEST
SWEEP(classifier, 0)
SWEEP(detector, 1)
SWEEP(recurrent, 2)
SWEEP(attention, 3)
SWEEP(eight, 4)

int main(void)
{
#define T(f) {#f, f}
    return run_tests(
        "sweep", (const test_entry[]){T(classifier), T(detector), T(recurrent), T(attention), T(eight), {0}});
}
