// SPDX-License-Identifier: BSD-3-Clause
// dropout_test.c - Dropout.
#include "shapes.h"

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < tensor_count(&in[0]); i++) out[0].v[i] = in[0].v[i] * case_param(c, 0, 1);
}

START_TEST(dropout)
{
    static const char *const params[] = {"", "0=1.0", "0=0.25", "0=0.7", "0=-3.0", "0=0.0"};
    static const char *const shapes[] = {"17", "1", "5x33", "3x17x5", "3x2x5x7", "0x5"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof params / sizeof *params; j++) {
            layer_case c = {
                .type = "Dropout", .params = params[j], .n_out = 1, .tol = 1e-6, .reference = reference};
            add_input(&c, shapes[i]);
            layer_check(&c);
        }
}
END_TEST

int main(void) { return run_tests("dropout", (const test_entry[]){{"dropout", dropout}, {0}}); }
