// SPDX-License-Identifier: BSD-3-Clause
// lstm.c - LSTM: gates I, F, O, G; with a projection where num_output differs from hidden_size. Rule: states
// come in and go out in f32, one row a direction.
#include "kernels/kernels.h"
#include "parts/recurrent.h"

static const ebb_param params[] = {
    {.id = 0, .name = "num_output", .type = EBB_P_INT, .offset = offsetof(ebb_recurrent, num_output)},
    {.id = 1,
     .name = "weight_data_size",
     .type = EBB_P_INT,
     .offset = offsetof(ebb_recurrent, weight_data_size),
     .doc = "directions x 4 x hidden_size x inputs"},
    {.id = 2,
     .name = "direction",
     .type = EBB_P_INT,
     .offset = offsetof(ebb_recurrent, direction),
     .max = 2,
     .doc = "0 forward, 1 reverse, 2 both"},
    {.id = 3,
     .name = "hidden_size",
     .type = EBB_P_INT,
     .offset = offsetof(ebb_recurrent, hidden_size),
     .like = EBB_LIKE(0)},
    {.id = 8,
     .name = "int8_scale_term",
     .type = EBB_P_INT,
     .offset = offsetof(ebb_recurrent, int8_scale_term),
     .doc = "multiply 8-bit numbers"},
    {0},
};

static void run(const ebb_kernels *k, float *h, const float *old, float *cell, const float *gates,
                ptrdiff_t pitch, const float *apart, size_t n)
{
    (void)old, (void)apart;
    k->lstm_f32(h, cell, gates, pitch, n);
}

static const ebb_cell cell = {.gates = 4, .biases = 4, .apart = -1, .states = 2, .run = run};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    return ebb_recurrent_init(st, in, &cell, e);
}

const ebb_layer_type ebb_layer_lstm = {
    .size = sizeof(ebb_layer_type),
    .name = "LSTM",
    .doc = "long short-term memory over the rows of a matrix",
    .flags = EBB_LAYER_SEQUENCE,
    .in_min = 1,
    .in_max = 3,
    .out_min = 1,
    .out_max = 3,
    .state_size = sizeof(ebb_recurrent),
    .work_size = sizeof(ebb_recurrent_work),
    .params = params,
    .init = init,
    .load = ebb_recurrent_load,
    .shape = ebb_recurrent_shape,
    .plan = ebb_recurrent_plan,
    .cpu = ebb_recurrent_cpu,
};
