// SPDX-License-Identifier: BSD-3-Clause
// flatten_test.c - Flatten.
#include "shapes.h"

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)c, (void)weights;
    out[0] = tensor_new(1, (const int[]){(int)tensor_count(&in[0])});
    for (size_t i = 0; i < tensor_count(&in[0]); i++) out[0].v[i] = in[0].v[i];
}

START_TEST(flatten)
{
    static const char *const shapes[] = {"17",     "1",     "5x33",    "17x1",    "1x17", "3x17x5",
                                         "16x1x1", "1x7x5", "3x2x5x7", "1x1x7x1", "4x0x3"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int t = EBB_F32; t <= EBB_I32; t++) {
            if (t == EBB_F16 || t == EBB_BF16) continue;
            layer_case c = {.type = "Flatten", .n_out = 1, .reference = reference};
            add_input(&c, shapes[i]);
            c.in[0].dtype = (ebb_dtype)t;
            layer_check(&c);
        }
}
END_TEST

int main(void) { return run_tests("flatten", (const test_entry[]){{"flatten", flatten}, {0}}); }
