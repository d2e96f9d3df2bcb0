// SPDX-License-Identifier: BSD-3-Clause
// lrn_test.c - LRN across channels and within them, odd and even sizes, windows larger than the input.
#include "harness.h"
#include <math.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int within = (int)case_param(c, 0, 0), size = (int)case_param(c, 1, 5), channels = in[0].dim[0],
              h = in[0].dim[1], wide = in[0].dim[2];
    const double alpha = (float)case_param(c, 2, 1), beta = (float)case_param(c, 3, 0.75),
                 bias = (float)case_param(c, 4, 1);
    out[0] = tensor_new(3, in[0].dim);
    for (int q = 0; q < channels; q++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < wide; x++) {
                double sum = 0;
                for (int k = q - size / 2; !within && k <= q + size / 2; k++)
                    if (k >= 0 && k < channels) sum += pow(tensor_at(&in[0], k, y, x), 2);
                for (int i = y - size / 2; within && i < y - size / 2 + size; i++)
                    for (int j = x - size / 2; j < x - size / 2 + size; j++)
                        if (i >= 0 && j >= 0 && i < h && j < wide) sum += pow(tensor_at(&in[0], q, i, j), 2);
                tensor_at(&out[0], q, y, x) = tensor_at(&in[0], q, y, x) *
                                              pow(bias + alpha / (within ? size * size : size) * sum, -beta);
            }
}

static layer_case make(const char *params, int a, int b, int d)
{
    return (layer_case){.type = "LRN",
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 1e-6,
                        .reference = reference,
                        .in = {{.rank = 3, .dim = {a, b, d}, .lo = -3, .hi = 3}}};
}

START_TEST(regions)
{
    static const char *const params[] = {"",    "0=0 1=3 2=0.5 3=0.5 4=2.0", "0=0 1=4", "0=0 1=1", "0=0 1=99",
                                         "0=1", "0=1 1=3 2=2.0 3=0.25",      "0=1 1=2", "0=1 1=99"};
    for (int p = 0; p < 9; p++) {
        const layer_case a = make(params[p], 17, 3, 5), b = make(params[p], 1, 5, 4),
                         c = make(params[p], 3, 1, 1);
        layer_check(&a);
        layer_check(&b);
        layer_check(&c);
    }
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    layer_case c = make("0=2", 3, 4, 5);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "region_type");
    c.params = "1=0";
    layer_refuses(&c, EBB_E_PARAM, "local_size");
    c.params = "", c.in[0].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "c,h,w is needed");
}
END_TEST

int main(void)
{
    return run_tests("lrn",
                     (const test_entry[]){{"regions", regions}, {"errors", errors_say_what_is_wrong}, {0}});
}
