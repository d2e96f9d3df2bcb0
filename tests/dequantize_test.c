// SPDX-License-Identifier: BSD-3-Clause
// dequantize_test.c - Dequantize: scales and biases, one or one a channel, any shape.
#include "bychannel_ref.h"
#include <stdio.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    out[0] = tensor_new(in->rank, in->dim);
    for (size_t i = 0; i < tensor_count(in); i++)
        out[0].v[i] =
            in->v[i] * constant_at(in, &w[0], i) + (case_param(c, 1, 0) ? constant_at(in, &w[1], i) : 0);
}

static layer_case make(const shape_row *s, int scales, int biases, char *params)
{
    sprintf(params, "0=%d 1=%d", scales, biases);
    layer_case c = {
        .type = "Dequantize",
        .params = params,
        .n_in = 1,
        .n_out = 1,
        .tol = 1e-6,
        .reference = reference,
        .in = {{.dtype = EBB_I32, .lo = -20000, .hi = 20000}},
        .weights = {{W_RAW, (size_t)scales, 0.01, 1}, {biases ? W_RAW : W_END, (size_t)biases, 0, 0}}};
    set_shape(&c, s);
    return c;
}

START_TEST(all_shapes)
{
    char params[24];
    for (int s = 0; s < SHAPES; s++)
        for (int form = 0; form < 6; form++) {
            const int n = shapes[s].dim[0];
            const layer_case c = make(&shapes[s], form < 3 ? 1 : n,
                                      form % 3 == 0   ? 0
                                      : form % 3 == 1 ? 1
                                                      : n,
                                      params);
            layer_check(&c);
        }
}
END_TEST

START_TEST(refusals)
{
    char params[24];
    layer_case c = make(&shapes[3], 5, 7, params);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "scale_data_size is 5, beside it stands 7");
    c = make(&shapes[3], 1, 1, params);
    c.reference = NULL;
    c.in[0].dtype = EBB_F32;
    layer_refuses(&c, EBB_E_UNSUPPORTED, "");
}
END_TEST

int main(void)
{
    return run_tests("dequantize", (const test_entry[]){{"shapes", all_shapes}, {"refusals", refusals}, {0}});
}
