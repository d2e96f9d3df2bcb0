// SPDX-License-Identifier: BSD-3-Clause
// recurrent_ref.h - what the references of LSTM, GRU and RNN share: cases, weights and sums.
#pragma once
#include "quant_ref.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

typedef struct recurrent_row {
    int num_output, hidden, size, steps, direction;
    weight_kind kind;    // W_I8: 8-bit products
    int states_in, out;  // inputs beside the first one; outputs
} recurrent_row;

typedef struct recurrent_kind {
    const char *type;
    int gates, biases, states;
    void (*reference)(const layer_case *c, const tensor *in, const tensor *w, tensor *out);
} recurrent_kind;

static inline int directions(const layer_case *c) { return case_param(c, 2, 0) == 2 ? 2 : 1; }
static inline int hidden_of(const layer_case *c) { return (int)case_param(c, 3, case_param(c, 0, 0)); }

static inline layer_case recurrent_case(const recurrent_kind *k, const recurrent_row *r, char *params,
                                        size_t room)
{
    const int dirs = r->direction == 2 ? 2 : 1, rows = dirs * k->gates * r->hidden;
    const int end = snprintf(params, room, "0=%d 1=%d 2=%d 8=%d", r->num_output, rows * r->size, r->direction,
                             r->kind == W_I8 ? 2 : 0);
    if (r->hidden != r->num_output) snprintf(params + end, room - (size_t)end, " 3=%d", r->hidden);
    layer_case c = {.type = k->type, .params = params, .n_in = 1 + r->states_in, .n_out = r->out,
                    .tol = r->kind == W_I8 ? 1e-4 : 1e-5, .reference = k->reference,
                    .in = {{.rank = 2, .dim = {r->steps, r->size}}}};
    for (int i = 1; i < c.n_in; i++) {
        c.in[i].rank = 2;
        c.in[i].dim[0] = dirs;
        c.in[i].dim[1] = i == 1 ? r->num_output : r->hidden;
    }
    int at = 0;
    const size_t n[] = {(size_t)(rows * r->size), (size_t)(dirs * k->biases * r->hidden),
                        (size_t)(rows * r->num_output), (size_t)(dirs * r->hidden * r->num_output)};
    for (int i = 0; i < (r->num_output == r->hidden ? 3 : 4); i++, at++) {
        const bool eight_bits = r->kind == W_I8 && i != 1 && i != 3;
        c.weights[at].kind = eight_bits || r->kind == W_F16 ? r->kind : W_F32;
        c.weights[at].n = n[i];
        if (!eight_bits) c.weights[at].lo = -0.5, c.weights[at].hi = 0.5;
    }
    for (int i = 0; i < (r->kind == W_I8 ? 2 : 0); i++, at++) {
        c.weights[at].kind = W_RAW;
        c.weights[at].n = (size_t)rows;
        c.weights[at].lo = 100;
        c.weights[at].hi = 300;
    }
    return c;
}

// Row `row` of matrix w times x; scales: of the 8-bit rows, NULL for floats.
static inline double row_sum(const tensor *w, const double *scales, int row, const double *x, int n)
{
    double sum = 0;
    const double own = scales ? own_scale(x, n, 1) : 1;
    for (int i = 0; i < n; i++) sum += w->v[row * n + i] * (scales ? eight(x[i], own) : x[i]);
    return scales ? sum / (own * scales[row]) : sum;
}

// The scales stand last: of the inputs' matrix, then of the states'.
static inline const double *scales_of(const layer_case *c, const tensor *w, int which)
{
    int n = 0;
    while (c->weights[n].kind != W_END) n++;
    return case_param(c, 8, 0) ? w[n - 2 + which].v : NULL;
}

static inline double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// State i of all directions: the input where there is one, else zeros.
static inline tensor first_state(const layer_case *c, const tensor *in, int i, int width)
{
    tensor t = tensor_new(2, (const int[]){directions(c), width});
    if (c->n_in > i) memcpy(t.v, in[i].v, tensor_count(&t) * sizeof *t.v);
    return t;
}
