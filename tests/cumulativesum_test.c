// SPDX-License-Identifier: BSD-3-Clause
// cumulativesum_test.c - CumulativeSum along every axis.
#include "harness.h"
#include <math.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int given = (int)case_param(c, 0, 0), axis = in[0].rank == 1 ? 0
                                                       : given < 0     ? given + in[0].rank
                                                                       : given;
    size_t inner = 1;
    for (int i = axis + 1; i < in[0].rank; i++) inner *= (size_t)in[0].dim[i];
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < tensor_count(&in[0]); i++)
        out[0].v[i] = in[0].v[i] + (i / inner % (size_t)in[0].dim[axis] ? out[0].v[i - inner] : 0);
}

static void nan_in_between(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    in->v[5] = NAN;
}

START_TEST(every_axis)
{
    static const char *const params[] = {"", "0=1", "0=2", "0=3", "0=-1", "0=-2"};
    for (int rank = 1; rank <= 4; rank++)
        for (int p = 0; p < 6; p++) {
            if (p < 4 ? p >= rank : p - 3 > rank && rank > 1) continue;
            layer_case c = {.type = "CumulativeSum",
                            .params = params[p],
                            .n_in = 1,
                            .n_out = 1,
                            .tol = 1e-6,
                            .reference = reference,
                            .in = {{.rank = rank, .dim = {17, 5, 3, 7}}}};
            layer_check(&c);
            c.fill = nan_in_between;
            layer_check(&c);
        }
    const layer_case empty = {.type = "CumulativeSum",
                              .params = "0=1",
                              .n_in = 1,
                              .n_out = 1,
                              .reference = reference,
                              .in = {{.rank = 2, .dim = {3, 0}}}};
    layer_check(&empty);
    const layer_case longer = {.type = "CumulativeSum",
                               .params = "",
                               .n_in = 1,
                               .n_out = 1,
                               .tol = 1e-5,
                               .reference = reference,
                               .in = {{.rank = 2, .dim = {300, 3}, .lo = 0, .hi = 1}}};
    layer_check(&longer);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    const layer_case c = {
        .type = "CumulativeSum", .params = "0=-3", .n_in = 1, .n_out = 1, .in = {{.rank = 2, .dim = {4, 4}}}};
    layer_refuses(&c, EBB_E_SHAPE, "there is no axis -3");
}
END_TEST

int main(void)
{
    return run_tests(
        "cumulativesum",
        (const test_entry[]){{"every_axis", every_axis}, {"errors", errors_say_what_is_wrong}, {0}});
}
