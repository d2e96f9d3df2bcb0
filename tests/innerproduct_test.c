// SPDX-License-Identifier: BSD-3-Clause
// innerproduct_test.c - InnerProduct in f32, f16 and 8 bits, flattened and by rows, against sums in double
// precision.
#include "quant_ref.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

static double activated(const layer_case *c, double x)
{
    double v[2] = {0};
    case_array(c, 10, v, 2);
    const double gate = x * v[0] + v[1];
    switch ((int)case_param(c, 9, 0)) {
    case 1: return x < 0 ? 0 : x;
    case 2: return x < 0 ? x * v[0] : x;
    case 3: return x < v[0] ? v[0] : x > v[1] ? v[1] : x;
    case 4: return 1 / (1 + exp(-x));
    case 5: return x * tanh(log1p(exp(x)));
    case 6: return gate < 0 ? 0 : gate > 1 ? x : x * gate;
    default: return x;
    }
}

// Weights: the matrix, a bias when 1=1, then (8 bits) a scale a row and one of the input.
static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const int n = (int)case_param(c, 0, 0), k = (int)case_param(c, 2, 0) / n, bias = (int)case_param(c, 1, 0);
    const bool i8 = case_param(c, 8, 0) != 0, rows = in->rank == 2 && in->dim[1] == k;
    const int m = rows ? in->dim[0] : 1, dim[] = {m, n};
    out[0] = rows ? tensor_new(2, dim) : tensor_new(1, dim + 1);
    for (int j = 0; j < m; j++)
        for (int r = 0; r < n; r++) {
            double sum = 0;
            const double *s = i8 ? w[1 + bias].v : NULL, in_scale = i8 ? w[2 + bias].v[0] : 1;
            for (int i = 0; i < k; i++) {
                const double x = in->v[j * k + i], y = w[0].v[r * k + i];
                const double qx = c->in[0].dtype == EBB_I8 ? x : eight(x, in_scale);
                sum += !i8 ? x * y : qx * (c->weights[0].kind == W_I8 ? y : eight(y, s[r]));
            }
            if (i8) sum = s[r] == 0 ? 0 : sum / (in_scale * s[r]);
            out[0].v[j * n + r] = activated(c, sum + (bias ? w[1].v[r] : 0));
        }
}

typedef struct row {
    weight_kind kind;
    int rank, dim[4], n, k, bias, i8;
    const char *act;
    ebb_dtype in;
} row;

static layer_case make(const row *r, char *params, size_t room)
{
    snprintf(params, room, "0=%d 1=%d 2=%d 8=%d %s", r->n, r->bias, r->n * r->k, r->i8, r->act ? r->act : "");
    layer_case c = {.type = "InnerProduct",
                    .params = params,
                    .n_in = 1,
                    .n_out = 1,
                    .tol = 1e-5,
                    .reference = reference,
                    .in = {{.dtype = r->in, .rank = r->rank}},
                    .weights = {{r->kind, (size_t)(r->n * r->k), 0, 0}}};
    memcpy(c.in[0].dim, r->dim, sizeof r->dim);
    int at = 1;
    if (r->bias) c.weights[at++].kind = W_RAW, c.weights[at - 1].n = (size_t)r->n;
    if (r->i8) {
        c.weights[at].kind = c.weights[at + 1].kind = W_RAW;
        c.weights[at].n = (size_t)r->n;
        c.weights[at + 1].n = 1;
        c.weights[at].lo = c.weights[at + 1].lo = r->in == EBB_I8 ? 1 : 60;
        c.weights[at].hi = c.weights[at + 1].hi = 120;
    }
    return c;
}

static void check(const row *rows, int n)
{
    char params[128];
    for (int i = 0; i < n; i++) {
        const layer_case c = make(&rows[i], params, sizeof params);
        layer_check(&c);
    }
}

START_TEST(floats)
{
    static const row rows[] = {
        {W_F32, 1, {1}, 1, 1, 0, 0, NULL, 0},        {W_F32, 1, {17}, 33, 17, 1, 0, NULL, 0},
        {W_F16, 1, {33}, 17, 33, 1, 0, NULL, 0},     {W_F32, 3, {3, 5, 7}, 5, 105, 1, 0, NULL, 0},
        {W_F16, 4, {2, 3, 2, 3}, 9, 36, 0, 0, NULL, 0}, {W_F32, 2, {6, 19}, 23, 19, 1, 0, NULL, 0},
        {W_F16, 2, {5, 40}, 3, 40, 0, 0, NULL, 0},   {W_F32, 2, {3, 5}, 4, 15, 1, 0, NULL, 0},
        {W_F32, 2, {0, 5}, 4, 5, 1, 0, NULL, 0},     {W_F32, 2, {1, 200}, 300, 200, 1, 0, NULL, 0},
        {W_F32, 3, {8, 1, 1}, 5, 8, 0, 0, NULL, 0}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(activations)
{
    static const row rows[] = {{W_F32, 1, {17}, 33, 17, 1, 0, "9=1", 0},
                               {W_F32, 1, {17}, 33, 17, 1, 0, "9=2 -23310=1,0.25", 0},
                               {W_F32, 1, {17}, 33, 17, 1, 0, "9=3 -23310=2,-0.5,0.75", 0},
                               {W_F32, 1, {17}, 33, 17, 1, 0, "9=4", 0},
                               {W_F32, 1, {17}, 33, 17, 1, 0, "9=5", 0},
                               {W_F32, 2, {3, 17}, 33, 17, 1, 0, "9=6 10=0.2,0.5", 0}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(eight_bits)
{
    static const row rows[] = {
        {W_I8, 1, {17}, 5, 17, 1, 2, NULL, EBB_F32},        {W_I8, 2, {3, 33}, 70, 33, 0, 1, "9=1", EBB_F32},
        {W_F32, 1, {40}, 9, 40, 1, 1, NULL, EBB_F32},       {W_F16, 3, {2, 3, 5}, 9, 30, 1, 1, NULL, EBB_F32},
        {W_I8, 3, {3, 4, 2}, 7, 24, 1, 1, NULL, EBB_I8},    {W_I8, 2, {6, 35}, 7, 35, 1, 1, "9=4", EBB_I8}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

static void no_scale(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    reference(c, in, w, out);
    ck_assert(w[1].v[0] == 0);
}

START_TEST(a_scale_of_zero_gives_the_bias)
{
    layer_case c = {.type = "InnerProduct", .params = "0=3 1=0 2=15 8=1", .n_in = 1, .n_out = 1, .tol = 1e-6,
                    .in = {{.rank = 1, .dim = {5}}}, .reference = no_scale,
                    .weights = {{W_I8, 15, 0, 0}, {W_RAW, 3, 0, 0.001}, {W_RAW, 1, 50, 50}}};
    layer_check(&c);
}
END_TEST

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    in->v[0] = NAN;
    in->v[5] = INFINITY;
    in->v[10] = -INFINITY;
}

START_TEST(nan_and_infinities_travel)
{
    const layer_case c = {.type = "InnerProduct",
                          .params = "0=3 1=0 2=15",
                          .n_in = 1,
                          .n_out = 1,
                          .tol = 1e-6,
                          .in = {{.rank = 2, .dim = {4, 5}}},
                          .reference = reference,
                          .fill = extremes,
                          .weights = {{W_F32, 15, 0.5, 1}}};
    layer_check(&c);
}
END_TEST

START_TEST(refusals)
{
    layer_case c = {.type = "InnerProduct",
                    .params = "0=0 2=4",
                    .n_in = 1,
                    .n_out = 1,
                    .in = {{.rank = 1, .dim = {4}}},
                    .weights = {{W_F32, 4, 0, 0}}};
    layer_refuses(&c, EBB_E_PARAM, "num_output is 0");
    c.params = "0=3 2=4";
    layer_refuses(&c, EBB_E_PARAM, "weight_data_size 4 is no multiple of num_output 3");
    c.params = "0=2 2=4";
    layer_refuses(&c, EBB_E_SHAPE, "the input 4 has 4 values, the weights want 2");
    c.params = "0=1 2=4 9=17";
    layer_refuses(&c, EBB_E_PARAM, "activation_type is 17");
    c.params = "0=1 2=4";
    c.weights[0].kind = W_I8;
    layer_refuses(&c, EBB_E_FORMAT, "8-bit numbers");
}
END_TEST

int main(void)
{
    return run_tests("innerproduct", (const test_entry[]){
        {"floats", floats}, {"activations", activations}, {"eight bits", eight_bits},
        {"scale of zero", a_scale_of_zero_gives_the_bias}, {"extremes", nan_and_infinities_travel},
        {"refusals", refusals}, {0}});
}
