// SPDX-License-Identifier: BSD-3-Clause
// glu_test.c - GLU along every axis, even and odd.
#include "harness.h"
#include <math.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int given = (int)case_param(c, 0, 0), axis = in[0].rank == 1 ? 0
                                                       : given < 0     ? given + in[0].rank
                                                                       : given;
    int dim[4];
    size_t inner = 1;
    for (int i = 0; i < in[0].rank; i++) dim[i] = in[0].dim[i];
    for (int i = axis + 1; i < in[0].rank; i++) inner *= (size_t)dim[i];
    const size_t n = (size_t)dim[axis], half = n / 2;
    dim[axis] = (int)half;
    out[0] = tensor_new(in[0].rank, dim);
    for (size_t i = 0; i < tensor_count(&out[0]); i++) {
        const size_t at = i / (half * inner) * n * inner + i % (half * inner);
        out[0].v[i] = in[0].v[at] / (1 + exp(-in[0].v[at + half * inner]));
    }
}

START_TEST(every_axis)
{
    static const char *const params[] = {"", "0=1", "0=2", "0=3", "0=-1", "0=-2"};
    for (int rank = 1; rank <= 4; rank++)
        for (int p = 0; p < 6; p++) {
            if (p < 4 ? p >= rank : p - 3 > rank) continue;
            const layer_case c = {.type = "GLU",
                                  .params = params[p],
                                  .n_in = 1,
                                  .n_out = 1,
                                  .tol = 1e-6,
                                  .reference = reference,
                                  .in = {{.rank = rank, .dim = {34, 5, 4, 7}, .lo = -4, .hi = 4}}};
            layer_check(&c);
        }
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    const layer_case c = {
        .type = "GLU", .params = "0=2", .n_in = 1, .n_out = 1, .in = {{.rank = 2, .dim = {4, 4}}}};
    layer_refuses(&c, EBB_E_SHAPE, "there is no axis 2");
}
END_TEST

int main(void)
{
    return run_tests(
        "glu", (const test_entry[]){{"every_axis", every_axis}, {"errors", errors_say_what_is_wrong}, {0}});
}
