// SPDX-License-Identifier: BSD-3-Clause
// lstm_test.c - LSTM against a walk in double precision: directions, states, projection, f16 and 8-bit
// weights.
#include "recurrent_ref.h"
#include <stdlib.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const int P = (int)case_param(c, 0, 0), H = hidden_of(c), T = in->dim[0], S = in->dim[1],
              dirs = directions(c);
    tensor h = first_state(c, in, 1, P), cell = first_state(c, in, 2, H);
    double *gate = calloc((size_t)(4 * H), sizeof *gate), *mixed = calloc((size_t)H, sizeof *mixed);
    out[0] = tensor_new(2, (const int[]){T, dirs * P});
    for (int d = 0; d < dirs; d++)
        for (int step = 0; step < T; step++) {
            const int t = case_param(c, 2, 0) == 1 || d == 1 ? T - 1 - step : step;
            for (int r = 0; r < 4 * H; r++)
                gate[r] = w[1].v[d * 4 * H + r] +
                          row_sum(&w[0], scales_of(c, w, 0), d * 4 * H + r, in->v + t * S, S) +
                          row_sum(&w[2], scales_of(c, w, 1), d * 4 * H + r, h.v + d * P, P);
            for (int q = 0; q < H; q++) {
                double *s = &cell.v[d * H + q];
                *s = sigmoid(gate[H + q]) * *s + sigmoid(gate[q]) * tanh(gate[3 * H + q]);
                mixed[q] = sigmoid(gate[2 * H + q]) * tanh(*s);
            }
            for (int q = 0; q < P; q++)
                tensor_at(out, t, d * P + q) = h.v[d * P + q] =
                    P == H ? mixed[q] : row_sum(&w[3], NULL, d * P + q, mixed, H);
        }
    free(gate);
    free(mixed);
    if (c->n_out > 1) out[1] = h; else free(h.v);
    if (c->n_out > 2) out[2] = cell; else free(cell.v);
}

static const recurrent_kind kind = {"LSTM", 4, 4, 2, reference};

static const recurrent_row rows[] = {
    {1, 1, 1, 1, 0, W_F32, 0, 1},   {5, 5, 3, 9, 0, W_F32, 0, 3},   {17, 17, 7, 17, 1, W_F32, 2, 3},
    {33, 33, 5, 3, 2, W_F32, 2, 3}, {7, 3, 4, 8, 0, W_F32, 0, 3},   {3, 17, 5, 10, 2, W_F32, 2, 3},
    {9, 9, 17, 5, 0, W_F16, 2, 1},  {5, 17, 3, 4, 1, W_F16, 0, 3},  {8, 8, 5, 11, 0, W_I8, 0, 3},
    {17, 17, 9, 5, 2, W_I8, 2, 3},  {3, 6, 33, 9, 1, W_I8, 2, 1},   {4, 4, 2, 0, 0, W_F32, 2, 3},
    {6, 6, 3, 4, 0, W_F32, 0, 2}};

START_TEST(all_forms)
{
    char params[128];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = recurrent_case(&kind, &rows[i], params, sizeof params);
        layer_check(&c);
    }
}
END_TEST

START_TEST(large_units_are_shared_out)
{
    char params[128];
    const recurrent_row r = {130, 130, 70, 2, 0, W_F32, 0, 1};
    layer_case c = recurrent_case(&kind, &r, params, sizeof params);
    c.tol = 1e-4;
    layer_check(&c);
}
END_TEST

START_TEST(states_in_one_row)
{
    char params[128];
    const recurrent_row r = {5, 5, 3, 2, 0, W_F32, 2, 1};
    layer_case c = recurrent_case(&kind, &r, params, sizeof params);
    for (int i = 1; i < 3; i++) c.in[i].rank = 1, c.in[i].dim[0] = 5;
    layer_check(&c);
}
END_TEST

START_TEST(states_with_more_axes)
{
    char params[128];
    const recurrent_row r = {5, 5, 3, 2, 0, W_F32, 2, 1};
    layer_case c = recurrent_case(&kind, &r, params, sizeof params);
    for (int i = 1; i < 3; i++) c.in[i].rank = 3, c.in[i].dim[0] = c.in[i].dim[1] = 1, c.in[i].dim[2] = 5;
    layer_check(&c);
}
END_TEST

START_TEST(refusals)
{
    char params[128];
    const recurrent_row r = {5, 5, 3, 2, 0, W_F32, 1, 1};
    layer_case c = recurrent_case(&kind, &r, params, sizeof params);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "it has 2 inputs, must have 1, or 3");
    c.n_in = 1;
    c.in[0].dim[1] = 4;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 2x4, must be steps x 3");
    c.in[0].dim[1] = 3;
    c.n_in = 3;
    c.in[2].rank = c.in[1].rank = 2;
    c.in[1].dim[0] = 2;
    c.in[1].dim[1] = 5;
    layer_refuses(&c, EBB_E_SHAPE, "an initial state is 2x5, must be 1x5");
    c.params = "0=5 1=61";
    layer_refuses(&c, EBB_E_PARAM, "weight_data_size 61 is no multiple");
    c.params = "0=5 1=60 2=3";
    layer_refuses(&c, EBB_E_PARAM, "direction");
}
END_TEST

int main(void)
{
    return run_tests("lstm", (const test_entry[]){{"forms", all_forms},
                                                  {"large", large_units_are_shared_out},
                                                  {"axes", states_with_more_axes},
                                                  {"rows", states_in_one_row},
                                                  {"refusals", refusals},
                                                  {0}});
}
