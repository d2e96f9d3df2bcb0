// SPDX-License-Identifier: BSD-3-Clause
// eltwise_test.c - Eltwise: products, weighted sums, extremes of two to five inputs.
#include "harness.h"
#include <math.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int op = (int)case_param(c, 0, 0);
    double k[CASE_IN];
    const bool weighted = case_array(c, 1, k, CASE_IN) && op == 1;
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < tensor_count(&in[0]); i++) {
        double v = weighted ? k[0] * in[0].v[i] : in[0].v[i];
        for (int j = 1; j < c->n_in; j++) {
            const double x = in[j].v[i];
            v = op == 0                ? v * x
                : op == 1              ? v + (weighted ? k[j] : 1) * x
                : isnan(v) || isnan(x) ? NAN
                                       : fmax(v, x);
        }
        out[0].v[i] = v;
    }
}

static layer_case make(const char *params, int n, int rank, int a, int b, int d)
{
    layer_case c = {
        .type = "Eltwise", .params = params, .n_in = n, .n_out = 1, .tol = 1e-6, .reference = reference};
    for (int i = 0; i < n; i++)
        c.in[i].rank = rank, c.in[i].dim[0] = a, c.in[i].dim[1] = b, c.in[i].dim[2] = d;
    return c;
}

START_TEST(operations)
{
    static const char *const params[] = {"", "0=1", "0=2", "0=1 -23301=2,0.5,-1.25", "0=0 -23301=0"};
    for (int p = 0; p < 5; p++) {
        const layer_case a = make(params[p], 2, 3, 17, 3, 5), b = make(params[p], 2, 1, 1, 0, 0);
        layer_check(&a);
        layer_check(&b);
    }
    const layer_case more[] = {make("0=0", 3, 2, 5, 7, 0), make("0=1", 5, 1, 33, 0, 0),
                               make("0=2", 4, 2, 3, 9, 0), make("0=1 1=0.5,2.0,-1.0,0.25", 4, 3, 5, 3, 2),
                               make("0=1", 3, 2, 0, 4, 0)};
    for (int i = 0; i < 5; i++) layer_check(&more[i]);
}
END_TEST

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c;
    static const double v[] = {NAN, INFINITY, -INFINITY, 1, 0};
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = v[(i ? j / 5 : j) % 5];
}

START_TEST(nan_and_infinity_travel)
{
    for (int op = 0; op < 3; op++) {
        static const char *const params[] = {"0=0", "0=1", "0=2"};
        layer_case c = make(params[op], 2, 1, 25 + 16, 0, 0);
        c.fill = extremes;
        layer_check(&c);
    }
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    layer_case c = make("0=3", 2, 2, 3, 5, 0);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "op_type");
    c.params = "0=1 1=0.5,1.0,2.0";
    layer_refuses(&c, EBB_E_PARAM, "there are 3 coeffs for 2 inputs");
    c.params = "0=1", c.in[1].dim[1] = 4;
    layer_refuses(&c, EBB_E_SHAPE, "input 1 is 3x4, the first is 3x5");
}
END_TEST

int main(void)
{
    return run_tests("eltwise", (const test_entry[]){{"operations", operations},
                                                     {"nan_and_infinity", nan_and_infinity_travel},
                                                     {"errors", errors_say_what_is_wrong},
                                                     {0}});
}
