// SPDX-License-Identifier: BSD-3-Clause
// admit_test.c - a limit is met to the byte, or the request is refused before anything runs.
#include "sample_nets.h"
#include "small_layers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seen {
    int layers;     // that began
    size_t inputs;  // live bytes when the inputs were set
} seen;

static void on_event(void *user, const ebb_event *ev)
{
    seen *s = user;
    s->layers += ev->kind == EBB_EV_BEGIN;
    if (ev->kind == EBB_EV_INPUT) s->inputs = ev->live;
}

static size_t live(const ebb_extractor *x)
{
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    return m[EBB_MEM_BLOB].live + m[EBB_MEM_SCRATCH].live;
}

typedef struct asked {
    ebb_net *net;
    const char *const *out;
    int n, threads;
    ebb_status (*set)(const ebb_net *net, ebb_extractor *x, int variant, ebb_error *e);
    bool predict;  // before it is extracted, on the same extractor
} asked;

static size_t predicted(const asked *a)
{
    ebb_error e = {0};
    ebb_extractor *x = open_on(a->net, &(ebb_extractor_options){.threads = a->threads});
    ck_assert_msg(a->set(a->net, x, 0, &e) == EBB_OK, "%s", e.msg);
    ebb_prediction p;
    ck_assert_msg(ebb_extractor_predict(x, a->out, a->n, NULL, &p, &e) == EBB_OK, "%s", e.msg);
    ebb_extractor_destroy(x);
    return p.joint_peak;
}

static void try_limit(const asked *a, size_t limit, bool fits, size_t peak)
{
    ebb_error e = {0};
    seen s = {0};
    ebb_blob *b[SAMPLE_BLOBS];
    ebb_extractor *x = open_on(
        a->net,
        &(ebb_extractor_options){.threads = a->threads, .memory_limit = limit, .observer = {on_event, &s}});
    for (int round = 0; round < 2; round++, ebb_extractor_reset(x)) {
        ck_assert_msg(a->set(a->net, x, 0, &e) == EBB_OK, "%s", e.msg);
        ebb_prediction p;
        if (a->predict) {
            ck_assert_int_eq(ebb_extractor_predict(x, a->out, a->n, NULL, &p, &e),
                             fits ? EBB_OK : EBB_E_LIMIT);
            ck_assert_uint_eq(p.joint_peak, peak);
        }
        const ebb_status st = ebb_extractor_extract_many(x, a->out, a->n, EBB_TAKE_PLANAR, b, &e);
        ck_assert_msg(st == (fits ? EBB_OK : EBB_E_LIMIT), "limit %zu, peak %zu: %s", limit, peak, e.msg);
        for (int i = 0; i < a->n; i++) ebb_blob_drop(b[i]);
        if (fits) continue;
        char number[32];
        snprintf(number, sizeof number, "%zu bytes", peak);
        ck_assert_msg(strstr(e.msg, number) && strstr(e.msg, "at their peak"), "%s", e.msg);
        ck_assert_int_eq(s.layers, 0);
        ck_assert_uint_eq(live(x), s.inputs);
        ck_assert_msg(ebb_extractor_declare(x, a->out, a->n, &e) == EBB_OK, "nothing has begun: %s", e.msg);
    }
    ebb_extractor_destroy(x);
}

static void check_limits(const asked *a)
{
    const size_t peak = predicted(a);
    try_limit(a, peak, true, peak);
    try_limit(a, peak - 1, false, peak);
}

static void check_net(asked a)
{
    for (a.threads = 1; a.threads <= 2; a.threads++)
        for (int predict = 0; predict < 2; predict++) {
            a.predict = predict;
            check_limits(&a);
        }
}

START_TEST(a_limit_is_met_to_the_byte_in_sample_nets)
{
    for (int i = 0; i < SAMPLE_NETS; i++) {
        const sample_net *s = &sample_nets[i];
        size_t bytes;
        void *bin = sample_weights(s->weights, &bytes);
        ebb_net *net;
        ebb_error e = {0};
        ck_assert(ebb_net_new(NULL, &net, &e) == EBB_OK);
        ck_assert_msg(sample_load(s, net, bin, bytes, &e) == EBB_OK, "%s", e.msg);
        check_net((asked){.net = net, .out = s->out, .n = s->n_out, .set = sample_set});
        ebb_net_destroy(net);
        free(bin);
    }
}
END_TEST

static ebb_status set_x(const ebb_net *net, ebb_extractor *x, int variant, ebb_error *e)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){16, 8, 8});
    (void)net, (void)variant, (void)e;
    give(x, "x", &d, 1);
    return EBB_OK;
}

START_TEST(a_limit_is_met_to_the_byte_in_small_nets)
{
    static const struct {
        const char *text, *out;
    } nets[] = {
        // A part is copied out: only then is the predicted peak met.
        {"Input in 0 1 x\nReLU a 1 1 x a\nCrop c 1 1 a c 0=0 1=0 2=0 3=8 4=8 5=1\n"
         "Padding p 1 1 c p 0=10 1=10 2=10 3=10\nReLU e 1 1 p y\n",
         "y"},
        // The most is taken when the caller gets a planar copy.
        {"Input in 0 1 x\nPixel a 1 1 x a\nFork f 1 1 a y\n", "a"},
        // Scratch on top of few blobs counts for more than many blobs.
        {"Input in 0 1 x\nWorkers w 1 1 x a\nFork f 1 1 a b\nPooling p 1 1 b y 4=1\n", "y"},
        {"Input in 0 1 x\nSlice s 1 2 x l r -23300=2,4,-233\nWorkers m 1 1 r m\nConcat j 2 1 l m y\n", "y"},
        {"Input in 0 1 x\nFork a 1 3 x a b c\nLike k 2 1 a b k\nBinaryOp j 2 1 k c y\n", "y"},
    };
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        ebb_net *net = small_net(nets[i].text, NULL, 0);
        check_net((asked){.net = net, .out = &nets[i].out, .n = 1, .set = set_x});
        walk_net_end(net);
    }
}
END_TEST

START_TEST(later_requests_are_asked_about_too)
{
    enum { X = 16 * 8 * 8 * 4, A = 16 * 4, Y = 16 * 28 * 28 * 4 };
    ebb_net *net = small_net(
        "Input in 0 1 x\nPooling p 1 1 x a 0=1 4=1\nPadding q 1 1 x y 0=10 1=10 2=10 3=10\n", NULL, 0);
    for (int fits = 0; fits < 2; fits++) {
        seen s = {0};
        ebb_error e = {0};
        ebb_blob *b;
        ebb_extractor *x = open_on(
            net, &(ebb_extractor_options){.memory_limit = X + A + Y - !fits, .observer = {on_event, &s}});
        ck_assert(set_x(net, x, 0, &e) == EBB_OK);
        for (int round = 0; round < 2; round++) {
            ck_assert_float_eq(first_of(x, "a"), 32.5f);
            const int ran = s.layers;
            const size_t held = live(x);
            ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_AS_IS, &b, &e),
                             fits ? EBB_OK : EBB_E_LIMIT);
            ebb_blob_drop(b);
            if (fits) continue;
            ck_assert_msg(strstr(e.msg, "layer 2 'q' (Padding)"), "%s", e.msg);
            ck_assert_int_eq(s.layers, ran);
            ck_assert_uint_eq(live(x), held);
        }
        ebb_extractor_destroy(x);
    }
    walk_net_end(net);
}
END_TEST

// A walk without data allocates a ghost for each blob: the heap tells whether one was made.
static size_t headers(const ebb_net *net)
{
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_net_memory(net, m);
    return m[EBB_MEM_META].count;
}

START_TEST(the_same_request_is_walked_dry_once)
{
    ebb_net *net = small_net("Input in 0 1 x\nSlice s 1 2 x l r -23300=2,4,-233\nWorkers m 1 1 r m\n"
                             "Concat j 2 1 l m y\n",
                             NULL, 0);
    ebb_error e = {0};
    const size_t limit[] = {0, 1 << 20};
    for (int i = 0; i < 2; i++) {
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.memory_limit = limit[i]});
        size_t took[4];
        for (int round = 0; round < 4; round++, ebb_extractor_reset(x)) {
            ck_assert(set_x(net, x, 0, &e) == EBB_OK);
            took[round] = headers(net);
            first_of(x, "y");
            took[round] = headers(net) - took[round];
        }
        ck_assert_uint_lt(took[1], took[0]);
        ck_assert_uint_eq(took[2], took[1]);
        ck_assert_uint_eq(took[3], took[1]);
        ebb_extractor_destroy(x);
    }
    walk_net_end(net);
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("admit", (const test_entry[]){T(a_limit_is_met_to_the_byte_in_sample_nets),
                                                 T(a_limit_is_met_to_the_byte_in_small_nets),
                                                 T(later_requests_are_asked_about_too),
                                                 T(the_same_request_is_walked_dry_once),
                                                 {0}});
}
