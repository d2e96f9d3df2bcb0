// SPDX-License-Identifier: BSD-3-Clause
// gru_test.c - GRU against a walk in double precision: directions, states, f16 and 8-bit weights.
#include "recurrent_ref.h"
#include <stdlib.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const int H = (int)case_param(c, 0, 0), T = in->dim[0], S = in->dim[1], dirs = directions(c);
    const double *sx = scales_of(c, w, 0), *sh = scales_of(c, w, 1);
    tensor h = first_state(c, in, 1, H), next = tensor_new(1, &H);
    out[0] = tensor_new(2, (const int[]){T, dirs * H});
    for (int d = 0; d < dirs; d++)
        for (int step = 0; step < T; step++) {
            const int t = case_param(c, 2, 0) == 1 || d == 1 ? T - 1 - step : step, row = d * 3 * H;
            const double *x = in->v + t * S, *old = h.v + d * H, *b = w[1].v + d * 4 * H;
            for (int q = 0; q < H; q++) {
                const double r =
                    sigmoid(b[q] + row_sum(&w[0], sx, row + q, x, S) + row_sum(&w[2], sh, row + q, old, H));
                const double u = sigmoid(b[H + q] + row_sum(&w[0], sx, row + H + q, x, S) +
                                         row_sum(&w[2], sh, row + H + q, old, H));
                const double nh = b[3 * H + q] + row_sum(&w[2], sh, row + 2 * H + q, old, H);
                const double n = tanh(b[2 * H + q] + r * nh + row_sum(&w[0], sx, row + 2 * H + q, x, S));
                next.v[q] = (1 - u) * n + u * old[q];
            }
            for (int q = 0; q < H; q++) tensor_at(out, t, d * H + q) = h.v[d * H + q] = next.v[q];
        }
    free(next.v);
    if (c->n_out > 1) out[1] = h; else free(h.v);
}

static const recurrent_kind kind = {"GRU", 3, 4, 1, reference};

static const recurrent_row rows[] = {
    {1, 1, 1, 1, 0, W_F32, 0, 1},  {5, 5, 3, 9, 0, W_F32, 1, 2},   {17, 17, 7, 17, 1, W_F32, 1, 2},
    {33, 33, 5, 3, 2, W_F32, 1, 2}, {9, 9, 17, 5, 2, W_F16, 0, 2},  {8, 8, 5, 11, 0, W_I8, 0, 2},
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

START_TEST(refusals)
{
    char params[128];
    const recurrent_row r = {5, 5, 3, 2, 0, W_F32, 0, 1};
    layer_case c = recurrent_case(&kind, &r, params, sizeof params);
    c.reference = NULL;
    c.params = "0=0 1=45";
    layer_refuses(&c, EBB_E_PARAM, "num_output is 0");
    c.params = "0=5 1=45";
    c.weights[1].kind = W_I8;
    layer_refuses(&c, EBB_E_FORMAT, "the bias is stored as 8-bit numbers");
}
END_TEST

int main(void)
{
    return run_tests("gru", (const test_entry[]){{"forms", all_forms}, {"refusals", refusals}, {0}});
}
