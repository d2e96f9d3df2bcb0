// SPDX-License-Identifier: BSD-3-Clause
// walk_test.c - long chains on a small stack, many extractors on one net, counters that return to zero.
#include "small_layers.h"
#include "walk.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHAIN = 20000 };

static void *run_chain(void *text)
{
    ebb_net *net;
    ebb_error e = {0};
    ebb_blob *b = NULL;
    if (ebb_net_new(NULL, &net, &e) != EBB_OK) return NULL;
    ebb_extractor *x = NULL;
    const ebb_desc d = vec(2);
    const float data[] = {3, -3};
    bool good = ebb_net_load_param_mem(net, text, strlen(text), &e) == EBB_OK &&
                ebb_net_load_weights_mem(net, NULL, 0, &e) == EBB_OK &&
                ebb_extractor_new(net, NULL, &x, &e) == EBB_OK &&
                ebb_extractor_copy(x, "b0", &d, data, &e) == EBB_OK &&
                ebb_extractor_extract(x, "b20000", EBB_TAKE_PLANAR, &b, &e) == EBB_OK && ebb_f32(b)[0] == 3;
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
    return good ? text : NULL;
}

START_TEST(a_long_chain_runs_on_a_small_stack)
{
    char *text = malloc(CHAIN * 48 + 64), *p = text;
    p += sprintf(p, "7767517\n%d %d\nInput in 0 1 b0\n", CHAIN + 1, CHAIN + 1);
    for (int i = 1; i <= CHAIN; i++) p += sprintf(p, "ReLU r%d 1 1 b%d b%d\n", i, i - 1, i);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    const long least = sysconf(_SC_THREAD_STACK_MIN);  // more than 64 KiB on some machines
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, least > 64 * 1024 ? (size_t)least : 64 * 1024), 0);
    pthread_t t;
    void *result = NULL;
    ck_assert_int_eq(pthread_create(&t, &attr, run_chain, text), 0);
    pthread_join(t, &result);
    ck_assert_ptr_nonnull(result);
    pthread_attr_destroy(&attr);
    free(text);
}
END_TEST

enum { USERS = 8, RUNS = 50 };
typedef struct user {
    ebb_net *net;
    ebb_pool *pool;
    int id;
    bool good;
} user;

static void *use(void *ctx)
{
    user *u = ctx;
    ebb_extractor *x = NULL;
    const ebb_desc d = vec(1000);
    float data[1000] = {0};
    u->good = ebb_extractor_new(u->net, &(ebb_extractor_options){.threads = 2, .pool = u->pool}, &x, NULL) ==
              EBB_OK;
    for (int i = 0; i < RUNS && u->good; i++) {
        ebb_blob *b = NULL;
        data[0] = (float)(u->id * 100 + i);
        u->good = ebb_extractor_borrow(x, "x", &d, data, NULL) == EBB_OK &&
                  ebb_extractor_extract(x, "c", EBB_TAKE_PLANAR, &b, NULL) == EBB_OK &&
                  ebb_f32(b)[0] == 2 * data[0] + 2 && ebb_f32(b)[999] == 2;
        ebb_blob_drop(b);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    return NULL;
}

START_TEST(many_extractors_share_a_net_and_a_pool)
{
    ebb_net *net =
        small_net("Input in 0 1 x\nFork a 1 1 x a\nReLU b 1 1 a b\nBinaryOp c 2 1 a b c\n", NULL, 0);
    ebb_pool *pool;
    ck_assert(ebb_pool_new(2, NULL, &pool, NULL) == EBB_OK);
    user users[USERS];
    pthread_t t[USERS];
    for (int i = 0; i < USERS; i++) {
        users[i] = (user){.net = net, .pool = pool, .id = i};
        ck_assert_int_eq(pthread_create(&t[i], NULL, use, &users[i]), 0);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(t[i], NULL);
        ck_assert(users[i].good);
    }
    ebb_pool_destroy(pool);
    walk_net_end(net);
}
END_TEST

START_TEST(counters_return_to_zero)
{
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\nFork b 1 1 a b\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(10);
    ebb_mem_count m[EBB_MEM_KINDS];
    for (int i = 0; i < 3; i++) {
        give(x, "x", &d, 1);
        first_of(x, "b");
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 40);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 80);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].count, 3);
        ebb_extractor_reset(x);
        ebb_extractor_memory(x, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 0);
        ebb_net_memory(net, m);
        ck_assert_uint_eq(m[EBB_MEM_BLOB].live, 0);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// What is borrowed is not overwritten, and a dry walk knows what was declared or is kept: both say the same.
START_TEST(a_dry_walk_starts_from_the_state_of_the_real_one)
{
    static walk_text dry, real;
    ebb_net *net = small_net(
        "Input in 0 1 x\nReLU a 1 1 x a\nReLU b 1 1 a b\nFork c 1 1 b c\nFork d 1 1 b d\n", NULL, 0);
    for (int how = 0; how < 3; how++) {
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&real, net),
                                                                 .keep_everything = how == 2});
        const ebb_observer watch = walk_text_observer(&dry, net);
        const ebb_desc d = vec(4);
        ebb_prediction p;
        ebb_blob *b;
        ck_assert(ebb_extractor_borrow(x, "x", &d, (const float[]){1, -2, 3, 4}, NULL) == EBB_OK);
        if (how == 1) ck_assert(ebb_extractor_declare(x, ONE("c"), 1, NULL) == EBB_OK);
        walk_text_clear(&real);
        ck_assert(ebb_extractor_predict(x, ONE("c"), 1, &watch, &p, NULL) == EBB_OK);
        ck_assert(ebb_extractor_extract(x, "c", EBB_TAKE_PLANAR, &b, NULL) == EBB_OK);
        ck_assert_str_eq(dry.text, real.text);
        ck_assert_msg(strstr(real.text, how == 2 ? "alloc b" : "steal b from a") != NULL, "%d: %s", how,
                      real.text);
        ck_assert_ptr_nonnull(strstr(real.text, "alloc a"));
        ebb_blob_drop(b);
        ebb_extractor_destroy(x);
    }
    walk_net_end(net);
}
END_TEST

// The caller has a handle on a: no walk overwrites it.
START_TEST(a_dry_walk_sees_what_the_caller_holds)
{
    static walk_text dry, real;
    ebb_net *net = small_net("Input in 0 1 x\nFork a 1 1 x a\nReLU c 1 1 a c\n", NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&real, net)});
    const ebb_observer watch = walk_text_observer(&dry, net);
    const ebb_desc d = vec(4);
    ebb_prediction p;
    ebb_blob *a, *c;
    give(x, "x", &d, 1);
    ck_assert(ebb_extractor_declare(x, (const char *const[]){"a", "c"}, 2, NULL) == EBB_OK);
    ck_assert(ebb_extractor_extract(x, "a", EBB_TAKE_AS_IS, &a, NULL) == EBB_OK);
    walk_text_clear(&real);
    ck_assert(ebb_extractor_predict(x, ONE("c"), 1, &watch, &p, NULL) == EBB_OK);
    ck_assert(ebb_extractor_extract(x, "c", EBB_TAKE_AS_IS, &c, NULL) == EBB_OK);
    ck_assert_str_eq(dry.text, real.text);
    ck_assert_msg(strstr(real.text, "alloc c") != NULL, "%s", real.text);
    ebb_blob_drop(a), ebb_blob_drop(c);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

#define FORKS "Input in 0 1 x\nFork a 1 1 x a\nFork b 1 2 a b c\nBinaryOp d 2 1 b c d\n"

// Each number or state that goes wrong is noticed.
START_TEST(the_check_finds_what_is_wrong)
{
    ebb_walk w;
    ebb_net *net = small_walk(&w, FORKS);
    ebb_error e = {0};
    ebb_blob *out[2];
    ck_assert_ptr_null(ebb_walk_check(&w));
    ck_assert(ebb_request_all(&w, &(ebb_request){.slots = (const int[]){3, 2}, .n = 2, .how = EBB_TAKE_AS_IS},
                              out, &e) == EBB_OK);
    ck_assert_ptr_null(ebb_walk_check(&w));
    ck_assert(w.cells[2].state == EBB_CELL_GONE && w.cells[3].state == EBB_CELL_GONE);  // declared, and taken
    ebb_blob_drop(out[0]), ebb_blob_drop(out[1]);
    ebb_walk_free(&w);
    walk_net_end(net);
    net = small_walk(&w, FORKS);
    ck_assert(ebb_request_all(&w, &(ebb_request){.slots = (const int[]){2}, .n = 1, .how = EBB_TAKE_AS_IS},
                              out, &e) == EBB_OK);
    ck_assert_ptr_null(ebb_walk_check(&w));
#define WRONG(what, value)                                                                                   \
    do {                                                                                                     \
        const __typeof__(what) was = what;                                                                   \
        what = value;                                                                                        \
        ck_assert_msg(ebb_walk_check(&w) != NULL, #what " = " #value);                                       \
        what = was;                                                                                          \
        ck_assert_ptr_null(ebb_walk_check(&w));                                                              \
    } while (0)
    WRONG(w.cells[2].reads, -1);
    WRONG(w.cells[2].reads, 0);
    WRONG(w.cells[3].reads, 0);
    WRONG(w.cells[3].state, EBB_CELL_GONE);
    WRONG(w.cells[0].state, EBB_CELL_HERE);
    WRONG(w.cells[2].blob.mem->holds, 2);
    WRONG(w.ledger.live, w.ledger.live + 1);
    WRONG(w.ledger.live, w.ledger.live - 1);
    WRONG(w.ledger.peak, w.ledger.live - 1);
    WRONG(w.ledger.joint_peak, w.ledger.peak - 1);
    WRONG(w.ledger.scratch_peak, w.ledger.joint_peak + 1);
    WRONG(w.ledger.scratch_live, 1);
#undef WRONG
    ebb_blob_drop(out[0]);
    ebb_walk_free(&w);
    walk_net_end(net);
}
END_TEST

START_TEST(reset_forgets_that_sizes_depended_on_data)
{
    ebb_net *net = small_net("Input in 0 1 x\nPositive p 1 1 x p\nFork f 1 1 x f\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = vec(3);
    ebb_prediction p;
    for (int round = 0; round < 2; round++, ebb_extractor_reset(x)) {
        give(x, "x", &d, 1);
        ck_assert(ebb_extractor_predict(x, ONE("f"), 1, NULL, &p, &e) == EBB_OK);
        ck_assert(p.exact);
        first_of(x, "p");
        ck_assert(ebb_extractor_predict(x, ONE("f"), 1, NULL, &p, &e) == EBB_OK);
        ck_assert(!p.exact);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("walk", (const test_entry[]){T(a_long_chain_runs_on_a_small_stack),
                                                  T(many_extractors_share_a_net_and_a_pool),
                                                  T(a_dry_walk_starts_from_the_state_of_the_real_one),
                                                  T(a_dry_walk_sees_what_the_caller_holds),
                                                  T(counters_return_to_zero),
                                                  T(the_check_finds_what_is_wrong),
                                                  T(reset_forgets_that_sizes_depended_on_data),
                                                  {0}});
}
