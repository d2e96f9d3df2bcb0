// SPDX-License-Identifier: BSD-3-Clause
// recurrent.h - what LSTM, GRU and RNN share: weights, states, and the walk over steps and directions.
#pragma once
#include "linear.h"

// A kind of cell. Unit q has one row of weights in each gate.
typedef struct ebb_recurrent_cell {
    int gates;
    int biases;  // rows of bias: one a gate; one more for `apart`
    int apart;   // the gate whose hidden part is summed on its own, from the last row of bias; -1: none
    int states;  // kept from step to step: 1 hidden, 2 hidden and cell
    // h = hidden state of n units from `old`; gate g stands at gates + g * pitch.
    void (*run)(const ebb_kernels *k, float *h, const float *old, float *cell, const float *gates,
                ptrdiff_t pitch, const float *apart, size_t n);
} ebb_recurrent_cell;

// The state of the three layers; their rows and init fill it.
typedef struct ebb_recurrent {
    int num_output, weight_data_size, direction, hidden_size, int8_scale_term;
    const ebb_recurrent_cell *cell;
    int directions, size;  // size: of an input vector
    ebb_linear x, h, r;    // of the input, the hidden state, and the projection to num_output
    const float *bias;     // directions x biases x hidden_size
} ebb_recurrent;

// From plan to cpu.
typedef struct ebb_recurrent_work {
    int steps;  // whose gates are computed at once
} ebb_recurrent_work;

ebb_status ebb_recurrent_init(ebb_recurrent *p, const ebb_init *in, const ebb_recurrent_cell *cell,
                              ebb_error *e);
ebb_status ebb_recurrent_load(void *st, const ebb_load *l, ebb_error *e);
ebb_status ebb_recurrent_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e);
ebb_status ebb_recurrent_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e);
ebb_status ebb_recurrent_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in,
                             ebb_blob *const *out, ebb_error *e);
