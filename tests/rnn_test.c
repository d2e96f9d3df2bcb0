// SPDX-License-Identifier: BSD-3-Clause
// rnn_test.c - RNN against a walk in double precision: directions, states, f16 and 8-bit weights.
#include "recurrent_ref.h"
#include <stdlib.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const int H = (int)case_param(c, 0, 0), T = in->dim[0], S = in->dim[1], dirs = directions(c);
    tensor h = first_state(c, in, 1, H), next = tensor_new(1, &H);
    out[0] = tensor_new(2, (const int[]){T, dirs * H});
    for (int d = 0; d < dirs; d++)
        for (int step = 0; step < T; step++) {
            const int t = case_param(c, 2, 0) == 1 || d == 1 ? T - 1 - step : step;
            for (int q = 0; q < H; q++)
                next.v[q] =
                    tanh(w[1].v[d * H + q] + row_sum(&w[0], scales_of(c, w, 0), d * H + q, in->v + t * S, S) +
                         row_sum(&w[2], scales_of(c, w, 1), d * H + q, h.v + d * H, H));
            for (int q = 0; q < H; q++) tensor_at(out, t, d * H + q) = h.v[d * H + q] = next.v[q];
        }
    free(next.v);
    if (c->n_out > 1) out[1] = h; else free(h.v);
}

static const recurrent_kind kind = {"RNN", 1, 1, 1, reference};

static const recurrent_row rows[] = {
    {1, 1, 1, 1, 0, W_F32, 0, 1},  {5, 5, 3, 9, 0, W_F32, 1, 2},  {17, 17, 7, 17, 1, W_F32, 1, 2},
    {33, 33, 5, 3, 2, W_F32, 1, 2}, {9, 9, 17, 5, 2, W_F16, 0, 2}, {8, 8, 5, 11, 0, W_I8, 0, 2},
    {17, 17, 9, 5, 2, W_I8, 1, 2}, {4, 4, 2, 0, 0, W_F32, 1, 2}};

START_TEST(all_forms)
{
    char params[128];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = recurrent_case(&kind, &rows[i], params, sizeof params);
        layer_check(&c);
    }
}
END_TEST

int main(void) { return run_tests("rnn", (const test_entry[]){{"forms", all_forms}, {0}}); }
