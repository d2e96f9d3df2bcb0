// SPDX-License-Identifier: BSD-3-Clause
// recurrent_test.c - a sequence in one piece equals the same sequence in pieces whose states are handed on,
// at the edges of the steps that are computed at once.
#include "harness.h"
#include <stdlib.h>
#include <string.h>

enum { SIZE = 5, UNITS = 7, STEPS = 19 };

typedef struct kind {
    const char *param;
    int states;
} kind;

static const kind kinds[] = {
    {"7767517\n4 6\nInput a 0 1 x\nInput b 0 1 h\nInput c 0 1 c\nLSTM l 3 3 x h c y h1 c1 0=7 1=140\n", 2},
    {"7767517\n3 4\nInput a 0 1 x\nInput b 0 1 h\nGRU l 2 2 x h y h1 0=7 1=105\n", 1},
    {"7767517\n3 4\nInput a 0 1 x\nInput b 0 1 h\nRNN l 2 2 x h y h1 0=7 1=35\n", 1}};

static float weights[1024];
static size_t bytes;

// Three tagged tensors of f32, whose tags are 0.
static void make_weights(int gates, int biases)
{
    const int n[] = {gates * UNITS * SIZE, biases * UNITS, gates * UNITS * UNITS};
    int at = 0;
    for (int i = 0; i < 3; i++) {
        weights[at++] = 0;
        for (int j = 0; j < n[i]; j++, at++) weights[at] = (float)((at * 37 + 11) % 65 - 32) / 64;
    }
    ck_assert_int_le(at, 1024);
    bytes = (size_t)at * sizeof *weights;
}

static float x[STEPS * SIZE];

// Steps [from, to) with the states in `state`, which are replaced by those at the end.
static void walk(ebb_net *net, int states, int from, int to, float state[2][UNITS], float *y)
{
    static const char *const names[] = {"h", "c"}, *const out[] = {"y", "h1", "c1"};
    ebb_extractor *e;
    ebb_blob *got[3];
    ck_assert_int_eq(ebb_extractor_new(net, NULL, &e, NULL), EBB_OK);
    const ebb_desc d = ebb_desc_planar(EBB_F32, 2, (const int[]){to - from, SIZE});
    const ebb_desc s = ebb_desc_planar(EBB_F32, 2, (const int[]){1, UNITS});
    ck_assert_int_eq(ebb_extractor_copy(e, "x", &d, x + from * SIZE, NULL), EBB_OK);
    for (int i = 0; i < states; i++)
        ck_assert_int_eq(ebb_extractor_copy(e, names[i], &s, state[i], NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_extract_many(e, out, 1 + states, EBB_TAKE_PLANAR, got, NULL), EBB_OK);
    memcpy(y + from * UNITS, ebb_blob_data(got[0]), (size_t)(to - from) * UNITS * sizeof *y);
    for (int i = 0; i < states; i++) memcpy(state[i], ebb_blob_data(got[1 + i]), sizeof state[i]);
    for (int i = 0; i < 1 + states; i++) ebb_blob_drop(got[i]);
    ebb_extractor_destroy(e);
}

START_TEST(pieces_equal_the_whole)
{
    static const int gates[] = {4, 3, 1}, biases[] = {4, 4, 1};
    for (int i = 0; i < STEPS * SIZE; i++) x[i] = (float)((i * 53 + 5) % 65 - 32) / 32;
    for (int k = 0; k < 3; k++) {
        ebb_net *net;
        ebb_error err;
        make_weights(gates[k], biases[k]);
        ck_assert_int_eq(ebb_net_new(NULL, &net, NULL), EBB_OK);
        ck_assert_msg(ebb_net_load_param_mem(net, kinds[k].param, strlen(kinds[k].param), &err) == EBB_OK,
                      "%s", err.msg);
        ck_assert_msg(ebb_net_load_weights_mem(net, weights, bytes, &err) == EBB_OK, "%s", err.msg);
        float whole[STEPS * UNITS], pieces[STEPS * UNITS], s[2][UNITS] = {{0.5f, -0.25f}, {1.f}}, t[2][UNITS];
        memcpy(t, s, sizeof t);
        walk(net, kinds[k].states, 0, STEPS, s, whole);
        for (int from = 0, n = 1; from < STEPS; from += n, n = n % 9 + 1)
            walk(net, kinds[k].states, from, from + n < STEPS ? from + n : STEPS, t, pieces);
        for (int i = 0; i < STEPS * UNITS; i++) ck_assert_float_eq_tol(whole[i], pieces[i], 1e-6);
        for (int i = 0; i < kinds[k].states * UNITS; i++)
            ck_assert_float_eq_tol(s[i / UNITS][i % UNITS], t[i / UNITS][i % UNITS], 1e-6);
        ebb_net_destroy(net);
    }
}
END_TEST

int main(void)
{
    return run_tests("recurrent", (const test_entry[]){{"pieces", pieces_equal_the_whole}, {0}});
}
