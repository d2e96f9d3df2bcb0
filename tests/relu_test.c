// SPDX-License-Identifier: BSD-3-Clause
// relu_test.c - ReLU and leaky ReLU on all ranks; NaN and infinities in every lane.
#include "harness.h"
#include <math.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const double slope = (float)case_param(c, 0, 0);
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < tensor_count(&in[0]); i++)
        out[0].v[i] = in[0].v[i] < 0 ? in[0].v[i] * slope : in[0].v[i];
}

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    static const double v[] = {NAN, INFINITY, -INFINITY, 0, 3e38, -3e38};
    for (size_t j = 0; j < tensor_count(in); j += 2) in->v[j] = v[j / 2 % 6];
}

START_TEST(all_ranks)
{
    static const char *const params[] = {"", "0=0.1", "0=-0.5"};
    static const struct { int rank, dim[4]; } shapes[] = {{1, {1}}, {1, {17}}, {2, {3, 5}}, {3, {5, 3, 7}},
                                                          {3, {1, 1, 33}}, {4, {3, 2, 3, 4}}, {3, {3, 0, 4}}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int p = 0; p < 3; p++) {
            layer_case c = {.type = "ReLU", .params = params[p], .n_in = 1, .n_out = 1, .tol = 1e-7,
                            .reference = reference, .in = {{.rank = shapes[s].rank}}};
            for (int i = 0; i < 4; i++) c.in[0].dim[i] = shapes[s].dim[i];
            layer_check(&c);
        }
}
END_TEST

START_TEST(nan_and_infinity_travel)
{
    for (int slope = 0; slope < 2; slope++) {
        const layer_case c = {.type = "ReLU",
                              .params = slope ? "0=0.1" : "",
                              .n_in = 1,
                              .n_out = 1,
                              .tol = 1e-7,
                              .reference = reference,
                              .fill = extremes,
                              .in = {{.rank = 1, .dim = {45}}}};
        layer_check(&c);
    }
}
END_TEST

int main(void)
{
    return run_tests(
        "relu",
        (const test_entry[]){{"all_ranks", all_ranks}, {"nan_and_infinity", nan_and_infinity_travel}, {0}});
}
