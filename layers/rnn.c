// SPDX-License-Identifier: BSD-3-Clause
// rnn.c - RNN: h = tanh(Wx x + Wh h + b). Rule: the one gate is the new state.
#include "kernels/kernels.h"
#include "kernels/ops.h"
#include "parts/recurrent.h"

static const ebb_param params[] = {
    EBB_INT(ebb_recurrent, 0, "num_output", num_output),
    EBB_INT(ebb_recurrent, 1, "weight_data_size", weight_data_size,
            .doc = "directions x num_output x inputs"),
    EBB_INT(ebb_recurrent, 2, "direction", direction, .max = 2, .doc = "0 forward, 1 reverse, 2 both"),
    EBB_INT(ebb_recurrent, 8, "int8_scale_term", int8_scale_term, .doc = "multiply 8-bit numbers"),
    {0},
};

static void run(const ebb_kernels *k, float *h, const float *old, float *cell, const float *gates,
                ptrdiff_t pitch, const float *apart, size_t n)
{
    (void)old, (void)cell, (void)pitch, (void)apart;
    k->unary_f32(EBB_TANH, h, gates, n, (const float[3]){0});
}

static const ebb_recurrent_cell cell = {.gates = 1, .biases = 1, .apart = -1, .states = 1, .run = run};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    ebb_recurrent *p = st;
    p->hidden_size = p->num_output;
    return ebb_recurrent_init(p, in, &cell, e);
}

const ebb_layer_type ebb_layer_rnn = {
    .size = sizeof(ebb_layer_type),
    .name = "RNN",
    .doc = "h = tanh(Wx x + Wh h + b) over the rows of a matrix",
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = 2,
    .out_min = 1,
    .out_max = 2,
    .state_size = sizeof(ebb_recurrent),
    .work_size = sizeof(ebb_recurrent_work),
    .params = params,
    .init = init,
    .load = ebb_recurrent_load,
    .shape = ebb_recurrent_shape,
    .plan = ebb_recurrent_plan,
    .cpu = ebb_recurrent_cpu,
};
