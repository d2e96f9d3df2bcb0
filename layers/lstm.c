// SPDX-License-Identifier: BSD-3-Clause
// lstm.c - LSTM: gates I, F, O, G; with a projection where num_output differs from hidden_size. Rule: states
// come in and go out in f32, one row a direction.
#include "kernels/kernels.h"
#include "parts/recurrent.h"

static const ebb_param params[] = {
    EBB_INT(ebb_recurrent, 0, "num_output", num_output),
    EBB_INT(ebb_recurrent, 1, "weight_data_size", weight_data_size,
            .doc = "directions x 4 x hidden_size x inputs"),
    EBB_INT(ebb_recurrent, 2, "direction", direction, .max = 2, .doc = "0 forward, 1 reverse, 2 both"),
    EBB_INT(ebb_recurrent, 3, "hidden_size", hidden_size, .like = EBB_LIKE(0)),
    EBB_INT(ebb_recurrent, 8, "int8_scale_term", int8_scale_term, .doc = "multiply 8-bit numbers"),
    {0},
};

static void run(const ebb_kernels *k, float *h, const float *old, float *cell, const float *gates,
                ptrdiff_t pitch, const float *apart, size_t n)
{
    (void)old, (void)apart;
    k->lstm_f32(h, cell, gates, pitch, n);
}

static const ebb_recurrent_cell cell = {.gates = 4, .biases = 4, .apart = -1, .states = 2, .run = run};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    return ebb_recurrent_init(st, in, &cell, e);
}

const ebb_layer_type ebb_layer_lstm = {
    .size = sizeof(ebb_layer_type),
    .name = "LSTM",
    .doc = "long short-term memory over the rows of a matrix",
    .reads = EBB_PLANAR,
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
