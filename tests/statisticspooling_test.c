// SPDX-License-Identifier: BSD-3-Clause
// statisticspooling_test.c - means and deviations by channel; vectors and matrices have one channel.
#include "harness.h"
#include <math.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int channels = in[0].rank < 3 ? 1 : in[0].dim[0], both = (int)case_param(c, 0, 0);
    out[0] = tensor_new(1, (const int[]){channels * (both ? 2 : 1)});
    const size_t n = channels ? tensor_count(&in[0]) / (size_t)channels : 0;
    for (int q = 0; q < channels; q++) {
        const double *x = in[0].v + (size_t)q * n;
        double mean = 0, var = 0;
        for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
        for (size_t i = 0; i < n; i++) var += (x[i] - mean) * (x[i] - mean) / (double)n;
        tensor_at(&out[0], q) = mean;
        if (both) tensor_at(&out[0], channels + q) = sqrt(var);
    }
}

START_TEST(all_ranks)
{
    static const struct {
        int rank, dim[4];
    } shapes[] = {{1, {33}},          {2, {3, 17}},   {3, {17, 3, 5}},
                  {4, {70, 2, 3, 4}}, {3, {1, 9, 9}}, {3, {0, 2, 2}}};
    for (int s = 0; s < 6; s++)
        for (int both = 0; both < 2; both++) {
            layer_case c = {.type = "StatisticsPooling",
                            .params = both ? "0=1" : "",
                            .n_in = 1,
                            .n_out = 1,
                            .tol = 1e-6,
                            .reference = reference,
                            .in = {{.rank = shapes[s].rank, .lo = -2, .hi = 3}}};
            for (int i = 0; i < 4; i++) c.in[0].dim[i] = shapes[s].dim[i];
            layer_check(&c);
        }
}
END_TEST

START_TEST(too_many_channels)
{
    const layer_case c = {.type = "StatisticsPooling", .n_in = 1, .n_out = 1, .params = "",
                          .in = {{.rank = 3, .dim = {0x40000000, 0, 1}}}};
    layer_refuses(&c, EBB_E_SHAPE, "1073741824 channels are too many");
}
END_TEST

int main(void)
{
    return run_tests("statisticspooling", (const test_entry[]){{"all_ranks", all_ranks},
                                                               {"too_many_channels", too_many_channels},
                                                               {0}});
}
