// SPDX-License-Identifier: BSD-3-Clause
// graph_test.c - wiring, readers, cycles.
#include "loading.h"
#include <time.h>

#define HEAD "7767517\n"

START_TEST(readers_and_producers)
{
    ebb_net *net = net_of(HEAD "5 6\nInput in 0 1 a\nProbe p 1 2 a b c 0=0\nProbe q 3 1 a b a d 0=5\nProbe r "
                               "1 1 b e 0=0\nProbe s 0 1 f\n",
                          NULL);
    const ebb_slot *a = &net->g.slots[0], *b = &net->g.slots[1], *c = &net->g.slots[2];
    ck_assert_int_eq(a->n_readers, 3);
    ck_assert_int_eq(a->readers[0], 1);
    ck_assert_int_eq(a->readers[1], 2);
    ck_assert_int_eq(a->readers[2], 2);
    ck_assert_int_eq(a->data_readers, 1);  // q reads only the shape of its inputs 0 and 2
    ck_assert_int_eq(b->n_readers, 2);
    ck_assert_int_eq(b->data_readers, 2);
    ck_assert_int_eq(b->producer, 1);
    ck_assert_int_eq(c->port, 1);
    ck_assert_int_eq(c->n_readers, 0);
    ck_assert(net->g.nodes[2].shape_only[0] && !net->g.nodes[2].shape_only[1] &&
              net->g.nodes[2].shape_only[2]);
    ck_assert_int_eq(net->g.max_in, 3);
    ck_assert_int_eq(net->g.max_out, 2);
    ck_assert_int_eq(probe_of(net, 2)->n_in, 3);
    int blobs[4] = {-1, -1, -1, -1};
    ck_assert_int_eq(ebb_net_inputs(net, blobs, 4), 1);
    ck_assert_int_eq(blobs[0], 0);
    ck_assert_int_eq(ebb_net_outputs(net, blobs, 2), 4);
    ck_assert(blobs[0] == 2 && blobs[1] == 3 && blobs[2] == -1);
    ebb_net_destroy(net);
}
END_TEST

// A layer may read what a later line makes; blobs count in order of appearance.
START_TEST(lines_in_any_order)
{
    ebb_net *net = net_of(HEAD "3 3\nProbe z 1 1 late out\nProbe y 1 1 data late\nInput in 0 1 data\n", NULL);
    ck_assert_int_eq(ebb_net_blob_index(net, "late", NULL), 0);
    ck_assert_int_eq(ebb_net_blob_index(net, "data", NULL), 2);
    ck_assert_int_eq(ebb_net_blob_producer(net, 0), 1);
    ebb_net_destroy(net);
}
END_TEST

START_TEST(features_and_hints)
{
    log_text log = {0};
    ebb_net *net = net_of(HEAD "7 8\nInput in 0 1 a 0=5 1=4 2=3 30=1,9,0,0\nInput in2 0 1 b "
                               "-23330=4,3,7,6,5\nProbe p 0 2 c d 31=66 30=4,2,3,4,5,2,8,9,0,0\n"
                               "Probe q 0 1 e 30=1,2,3\nProbe r 0 1 f 30=7,1,1,1\nProbe s 0 1 g 30=3,-1,2,3\n"
                               "Probe t 0 1 h 30=3,2147483647,2147483647,2147483647\n",
                          &log);
    ebb_desc d;
    ck_assert(ebb_net_input_hint(net, 0, &d) && d.rank == 3 && d.dim[0] == 3 && d.dim[1] == 4 &&
              d.dim[2] == 5 && d.stride[1] == 5);
    ck_assert(ebb_net_input_hint(net, 1, &d) && d.rank == 3 && d.dim[0] == 5 && d.dim[1] == 6 &&
              d.dim[2] == 7);
    ck_assert(ebb_net_input_hint(net, 2, &d) && d.rank == 4 && d.dim[0] == 5 && d.dim[1] == 4 &&
              d.dim[2] == 3 && d.dim[3] == 2);
    ck_assert(ebb_net_input_hint(net, 3, &d) && d.rank == 2 && d.dim[0] == 9 && d.dim[1] == 8);
    for (int i = 4; i < 8; i++) ck_assert(!ebb_net_input_hint(net, i, &d));
    ck_assert(!ebb_net_input_hint(net, 8, &d) && !ebb_net_input_hint(net, -1, &d));
    ck_assert_uint_eq(net->g.nodes[2].features, EBB_NO_FP16_STORAGE | EBB_NO_WINOGRAD);
    ck_assert_int_eq(log.lines, 1);
    ck_assert_str_eq(log.last,
                     "param: layer 3 'q' (Probe): its shape hints have 3 numbers, not 4 or 5 for each "
                     "output; they are ignored");
    ebb_net_destroy(net);
}
END_TEST

// A rank of none, of too many, and one that its cells cannot hold; a layer without outputs has no hints.
START_TEST(hints_that_lie)
{
    static const char *const t[] = {"30=0,1,1,1", "30=-1,1,1,1", "30=5,1,1,1,1", "30=4,1,1,1"};
    char text[100];
    ebb_desc d;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        log_text log = {0};
        snprintf(text, sizeof text, HEAD "1 1\nProbe p 0 1 a %s\n", t[i]);
        ebb_net *net = net_of(text, &log);
        ck_assert(!ebb_net_input_hint(net, 0, &d));
        ck_assert_int_eq(log.lines, 0);
        ebb_net_destroy(net);
    }
    log_text log = {0};
    ebb_net *net = net_of(HEAD "2 1\nInput in 0 1 a\nProbe p 1 0 a 30=1,2,3,4\n", &log);
    ck_assert_int_eq(log.lines, 1);
    ck_assert_ptr_nonnull(strstr(log.last, "they are ignored"));
    ebb_net_destroy(net);
}
END_TEST

START_TEST(malformed_graphs)
{
    static const struct {
        const char *text, *words;
    } t[] = {
        {HEAD "2 2\nInput in 0 1 data\nProbe p 1 1 dta b\n",
         "param:4:13: layer 1 'p' (Probe): no layer makes the blob 'dta' that it reads; the nearest is "
         "'data'"},
        {HEAD "2 2\nInput in 0 1 data\nProbe p 1 1 completely_else b\n",
         "no layer makes the blob 'completely_else' that it reads"},
        {HEAD "2 2\nInput in 0 1 data\nProbe p 1 1 data data\n",
         "param:4:18: layer 1 'p' (Probe): the blob 'data' is already an output of layer 'in'"},
        {HEAD "1 2\nProbe p 0 2 b b\n", "the blob 'b' is already an output of layer 'p'"},
        {HEAD "1 1\nFixed f 0 1 b\n", "param:3:1: layer 0 'f' (Fixed): it has 0 inputs, but takes 1 to 2"},
        {HEAD "2 2\nInput in 0 1 a\nFixed f 3 1 a a a b\n", "it has 3 inputs, but takes 1 to 2"},
        {HEAD "2 2\nInput in 0 1 a\nFixed f 1 2 a b c\n", "it has 2 outputs, but takes 1"},
        {HEAD "2 2\nInput in 0 1 a\nInput f 1 1 a b\n", "layer 1 'f' (Input): it has 1 input, but takes 0"},
        {HEAD "1 1\nConcat c 0 1 b\n", "it has 0 inputs, but takes 1 or more"},
        {HEAD "2 1\nInput in 0 1 a\nFixed f 1 0 a\n", "it has 0 outputs, but takes 1"},
        {HEAD "1 1\nProbe p 1 1 a a\n", "the layers form a cycle: 'p' reads from 'p'"},
        {HEAD "3 3\nInput in 0 1 a\nProbe p 2 1 a c b\nProbe q 1 1 b c\n",
         "param:4:1: the layers form a cycle: 'p' reads from 'q' reads from 'p'"},
        {HEAD "4 4\nProbe o 1 1 b d\nProbe p 1 1 c b\nProbe q 1 1 d2 c\nProbe r 1 1 b d2\n",
         "'p' reads from 'q' reads from 'r' reads from 'p'"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        text_fails(t[i].text, strlen(t[i].text), EBB_E_FORMAT, t[i].words);
}
END_TEST

// 20,000 layers, each reading the two before it, from the last line to the first: no recursion, nothing
// quadratic.
START_TEST(many_layers)
{
    enum { N = 20000 };
    char *text = malloc(80 * N);
    int at = sprintf(text, HEAD "%d %d\n", N, N);
    for (int i = N - 1; i > 1; i--)
        at += sprintf(text + at, "Probe layer%d 2 1 blob%d blob%d blob%d 0=0\n", i, i - 1, i - 2, i);
    strcpy(text + at, "Probe one 1 1 blob0 blob1\nInput zero 0 1 blob0\n");
    const clock_t start = clock();
    ebb_net *net = net_of(text, NULL);
    for (int i = 0; i < N; i += 7) {
        char name[20];
        snprintf(name, sizeof name, "blob%d", i);
        const int blob = ebb_net_blob_index(net, name, NULL);
        ck_assert_str_eq(ebb_net_blob_name(net, blob), name);
        ck_assert_int_eq(net->g.slots[blob].n_readers, i >= N - 2 ? N - 1 - i : 2);
    }
    ebb_net_destroy(net);
    ck_assert_msg(clock() - start < 5 * CLOCKS_PER_SEC, "it took %g s",
                  (double)(clock() - start) / CLOCKS_PER_SEC);
    free(text);
}
END_TEST

// A layer of the cycle has many inputs, and is not looked through once for each layer of the file.
START_TEST(a_cycle_through_a_wide_layer)
{
    enum { N = 100000 };
    char *text = malloc(80 * N);
    int at = sprintf(text, HEAD "%d 1\nInput in 0 1 x\nProbe wide %d 1", N + 2, N + 1);
    for (int i = 0; i < N; i++) at += sprintf(text + at, " x");
    at += sprintf(text + at, " loop loop\n");
    for (int i = 0; i < N; i++) at += sprintf(text + at, "Probe p%d 1 1 x y%d\n", i, i);
    const clock_t start = clock();
    text_fails(text, strlen(text), EBB_E_FORMAT, "the layers form a cycle: 'wide' reads from 'wide'");
    ck_assert(clock() - start < 5 * CLOCKS_PER_SEC);
    free(text);
}
END_TEST

int main(void)
{
    return run_tests("graph",
                     (const test_entry[]){{"readers_and_producers", readers_and_producers},
                                          {"lines_in_any_order", lines_in_any_order},
                                          {"features_and_hints", features_and_hints},
                                          {"hints_that_lie", hints_that_lie},
                                          {"malformed_graphs", malformed_graphs},
                                          {"many_layers", many_layers},
                                          {"a_cycle_through_a_wide_layer", a_cycle_through_a_wide_layer},
                                          {0}});
}
