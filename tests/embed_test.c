// SPDX-License-Identifier: BSD-3-Clause
// embed_test.c - Embed with tables in f32, f16 and 8 bits, and indices of both types, in and out of range.
#include "harness.h"
#include <math.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const int n = (int)case_param(c, 0, 0), last = (int)case_param(c, 1, 0) - 1, rows = in->dim[in->rank - 1];
    const bool bias = case_param(c, 2, 0) != 0, i8 = c->weights[0].kind == W_I8;
    out[0] = tensor_new(2, (const int[]){rows, n});
    for (int r = 0; r < rows; r++) {
        const double at = trunc(in->v[r]);
        const int row = !(at > 0) ? 0 : at > last ? last : (int)at;
        for (int i = 0; i < n; i++)
            tensor_at(out, r, i) = w[0].v[row * n + i] / (i8 ? w[1 + bias].v[0] : 1) + (bias ? w[1].v[i] : 0);
    }
}

static layer_case make(ebb_dtype in, double lo, double hi)
{
    return (layer_case){.type = "Embed",
                        .params = "0=5 1=9 2=0 3=45",
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 1e-6,
                        .reference = reference,
                        .in = {{.dtype = in, .rank = 1, .dim = {17}, .lo = lo, .hi = hi}},
                        .weights = {{W_F32, 45, 0, 0}}};
}

START_TEST(tables)
{
    layer_case c = make(EBB_I32, 0, 8);
    layer_check(&c);
    c.weights[0].kind = W_F16;
    layer_check(&c);
    c.params = "0=5 1=9 2=1 3=45";
    c.weights[1].kind = W_RAW;
    c.weights[1].n = 5;
    layer_check(&c);
    c.params = "0=5 1=9 2=1 3=45 18=2";
    c.weights[0].kind = W_I8;
    c.weights[2].kind = W_RAW;
    c.weights[2].n = 1;
    c.weights[2].lo = c.weights[2].hi = 40;
    layer_check(&c);
}
END_TEST

static void nan_first(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    in->v[0] = NAN;
    in->v[1] = INFINITY;
    in->v[2] = -INFINITY;
}

START_TEST(indices)
{
    layer_case c = make(EBB_I32, -20, 20);
    layer_check(&c);
    c = make(EBB_F32, -3, 12);
    layer_check(&c);
    c.fill = nan_first;
    layer_check(&c);
    c = make(EBB_I32, 0, 8);
    c.in[0].dim[0] = 0;
    layer_check(&c);
    c.in[0].rank = 3;
    c.in[0].dim[0] = c.in[0].dim[1] = 1;
    c.in[0].dim[2] = 4;
    layer_check(&c);
}
END_TEST

START_TEST(refusals)
{
    layer_case c = make(EBB_I32, 0, 8);
    c.reference = NULL;
    c.in[0].rank = 2;
    c.in[0].dim[1] = 2;
    layer_refuses(&c, EBB_E_SHAPE, "the indices are 17x2, must be one row");
    c.params = "0=5 1=9 3=44";
    layer_refuses(&c, EBB_E_PARAM, "weight_data_size is 44");
    c.params = "0=5 1=0 3=0";
    layer_refuses(&c, EBB_E_PARAM, "input_dim 0");
    c.params = "0=0 1=9 3=0";
    layer_refuses(&c, EBB_E_PARAM, "num_output is 0 and input_dim 9");
    c = make(EBB_I32, 0, 8);
    c.reference = NULL;
    c.params = "0=5 1=9 2=1 3=45";
    c.weights[1].kind = W_END;
    layer_refuses(&c, EBB_E_FORMAT, "bytes");
    c.params = "0=5 1=9 3=45 18=2";
    c.weights[0].kind = W_I8;
    layer_refuses(&c, EBB_E_FORMAT, "the layer needs 4 more bytes");
    c.params = "0=5 1=9 3=45";
    c.weights[0].kind = W_I8;
    layer_refuses(&c, EBB_E_FORMAT, "int8_scale_term is 0");
}
END_TEST

int main(void)
{
    return run_tests(
        "embed", (const test_entry[]){{"tables", tables}, {"indices", indices}, {"refusals", refusals}, {0}});
}
