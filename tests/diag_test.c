// SPDX-License-Identifier: BSD-3-Clause
// diag_test.c - Diag.
#include "shapes.h"

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int d = (int)case_param(c, 0, 0);
    if (in[0].rank == 1) {
        const int n = in[0].dim[0] + abs(d);
        out[0] = tensor_new(2, (const int[]){n, n});
        for (int i = 0; i < in[0].dim[0]; i++)
            tensor_at(&out[0], i + (d < 0 ? -d : 0), i + (d > 0 ? d : 0)) = in[0].v[i];
        return;
    }
    int n = 0;
    double line[64];
    for (int y = 0; y < in[0].dim[0]; y++)
        for (int x = 0; x < in[0].dim[1]; x++)
            if (x - y == d) line[n++] = tensor_at(&in[0], y, x);
    out[0] = tensor_new(1, &n);
    for (int i = 0; i < n; i++) out[0].v[i] = line[i];
}

static void check(const char *params, const char *shape, ebb_dtype t)
{
    layer_case c = {.type = "Diag", .params = params, .n_out = 1, .reference = reference};
    add_input(&c, shape);
    c.in[0].dtype = t;
    layer_check(&c);
}

START_TEST(diag)
{
    static const char *const params[] = {"", "0=1", "0=-1", "0=4", "0=-4", "0=40", "0=-40"};
    static const char *const shapes[] = {"1", "5", "17", "0", "5x5", "3x17", "17x3", "1x1", "0x3"};
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++) check(params[i], shapes[j], EBB_F32);
}
END_TEST

START_TEST(whole_numbers_pass)
{
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        check("0=1", "5", (ebb_dtype)t);
        check("0=1", "5x3", (ebb_dtype)t);
    }
}
END_TEST

START_TEST(other_shapes_are_refused)
{
    layer_case c = {.type = "Diag", .params = "", .n_out = 1};
    add_input(&c, "3x5x5");
    layer_refuses(&c, EBB_E_SHAPE, "3x5x5");
    c = (layer_case){.type = "Diag", .params = "0=2147483647", .n_out = 1};
    add_input(&c, "3");
    layer_refuses(&c, EBB_E_SHAPE, "2147483650 rows");
}
END_TEST

int main(void)
{
    return run_tests("diag", (const test_entry[]){
                                 {"diag", diag},
                                 {"whole_numbers_pass", whole_numbers_pass},
                                 {"other_shapes_are_refused", other_shapes_are_refused},
                                 {0},
                             });
}
