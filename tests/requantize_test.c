// SPDX-License-Identifier: BSD-3-Clause
// requantize_test.c - Requantize: three sets of constants, the activation between them, any shape.
#include "bychannel_ref.h"
#include "quant_ref.h"
#include <stdio.h>

static double act(const layer_case *c, double x)
{
    double v[2] = {0};
    case_array(c, 4, v, 2);
    switch ((int)case_param(c, 3, 0)) {
    case 1: return x < 0 ? 0 : x;
    case 2: return x < 0 ? x * v[0] : x;
    case 3: return x < v[0] ? v[0] : x > v[1] ? v[1] : x;
    default: return x;
    }
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    out[0] = tensor_new(in->rank, in->dim);
    for (size_t i = 0; i < tensor_count(in); i++) {
        const double bias = case_param(c, 2, 0) ? constant_at(in, &w[2], i) : 0;
        out[0].v[i] = eight(act(c, in->v[i] * constant_at(in, &w[0], i) + bias), constant_at(in, &w[1], i));
    }
}

// Scales are powers of two, so that every rounding is the same in single and double precision.
static layer_case make(const shape_row *s, int in, int out, int bias, const char *more, char *params)
{
    sprintf(params, "0=%d 1=%d 2=%d %s", in, out, bias, more);
    layer_case c = {.type = "Requantize", .params = params, .n_in = 1, .n_out = 1, .reference = reference,
                    .in = {{.dtype = EBB_I32, .lo = -3000, .hi = 3000}},
                    .weights = {{W_RAW, (size_t)in, 0.03125, 0.0625}, {W_RAW, (size_t)out, 0.5, 2},
                                {bias ? W_RAW : W_END, (size_t)bias, 0, 0}}};
    set_shape(&c, s);
    return c;
}

START_TEST(all_shapes)
{
    static const char *const more[] = {"", "3=1", "3=2 -23304=1,0.25", "3=3 -23304=2,-20.0,30.0"};
    char params[64];
    for (int s = 0; s < SHAPES; s++)
        for (int form = 0; form < 8; form++) {
            const int n = shapes[s].dim[0];
            const layer_case c = make(&shapes[s], form & 1 ? n : 1, form & 2 ? n : 1, form & 4 ? n : 0,
                                      more[form % 4], params);
            layer_check(&c);
        }
}
END_TEST

START_TEST(refusals)
{
    char params[64];
    layer_case c = make(&shapes[3], 7, 7, 3, "", params);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "bias_data_size is 3, beside it stands 7");
    c = make(&shapes[3], 1, 1, 1, "3=9", params);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "activation_type is 9");
}
END_TEST

int main(void)
{
    return run_tests("requantize", (const test_entry[]){{"shapes", all_shapes}, {"refusals", refusals}, {0}});
}
