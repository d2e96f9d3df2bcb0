// SPDX-License-Identifier: BSD-3-Clause
// unary_test.c - UnaryOp and the named functions against double precision, with NaN, infinities and the ends
// of range.
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static double clip(double x, double lo, double hi)
{
    const double above = x < lo ? lo : x;
    return above > hi ? hi : above;
}

static double unary_op(int op, double x)
{
    switch (op) {
    case 0: return fabs(x);
    case 1: return -x;
    case 2: return floor(x);
    case 3: return ceil(x);
    case 4: return x * x;
    case 5: return sqrt(x);
    case 6: return 1 / sqrt(x);
    case 7: return exp(x);
    case 8: return log(x);
    case 9: return sin(x);
    case 10: return cos(x);
    case 11: return tan(x);
    case 12: return asin(x);
    case 13: return acos(x);
    case 14: return atan(x);
    case 15: return x == 0 ? NAN : 1 / x;
    case 16: return tanh(x);
    case 17: return log10(x);
    case 18: return nearbyint(x);
    case 19: return trunc(x);
    case 20: return isnan(x) ? x : (x > 0) - (x < 0);
    case 21: return expm1(x);
    case 22: return sinh(x);
    case 23: return asinh(x);
    case 24: return cosh(x);
    case 25: return acosh(x);
    case 26: return atanh(x);
    default: return log1p(x);
    }
}

static double named(const layer_case *c, double x)
{
    const char *t = c->type;
    const double a = (float)case_param(c, 0, 0), b = (float)case_param(c, 1, 0),
                 d = (float)case_param(c, 2, 0);
    if (!strcmp(t, "UnaryOp")) return unary_op((int)a, x);
    if (!strcmp(t, "AbsVal")) return fabs(x);
    if (!strcmp(t, "BNLL") || !strcmp(t, "Softplus")) return softplus(x);
    if (!strcmp(t, "Sigmoid")) return 1 / (1 + exp(-x));
    if (!strcmp(t, "Swish")) return x / (1 + exp(-x));
    if (!strcmp(t, "Mish")) return x * tanh(softplus(x));
    if (!strcmp(t, "TanH")) return tanh(x);
    if (!strcmp(t, "Erf")) return erf(x);
    if (!strcmp(t, "GELU"))
        return 0.5 * x * (1 + (a ? tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)) : erf(x / sqrt(2))));
    if (!strcmp(t, "Clip"))
        return clip(x, (float)case_param(c, 0, -3.402823466e38), (float)case_param(c, 1, 3.402823466e38));
    if (!strcmp(t, "ELU")) return x < 0 ? (float)case_param(c, 0, 0.1f) * expm1(x) : x;
    if (!strcmp(t, "SELU"))
        return case_param(c, 1, 1.050700987) * (x < 0 ? case_param(c, 0, 1.67326324) * expm1(x) : x);
    if (!strcmp(t, "CELU")) return x < 0 ? case_param(c, 0, 1) * expm1(x / case_param(c, 0, 1)) : x;
    const double gate = clip((float)case_param(c, 0, 0.2f) * x + (float)case_param(c, 1, 0.5f), 0, 1);
    if (!strcmp(t, "HardSigmoid")) return gate;
    if (!strcmp(t, "HardSwish")) return gate == 0 ? 0 : x * gate;
    if (!strcmp(t, "Threshold")) return isnan(x) ? x : x > a;
    if (!strcmp(t, "Shrink")) {
        const double bias = case_param(c, 0, 0), lambda = case_param(c, 1, 0.5);
        return x > lambda ? x - bias : x < -lambda ? x + bias : isnan(x) ? x : 0;
    }
    const double s = (float)case_param(c, 1, 1) * x + d, base = case_param(c, 0, -1);
    if (!strcmp(t, "Exp")) return base == -1 ? exp(s) : pow(base, s);
    if (!strcmp(t, "Log")) return base == -1 ? log(s) : log(s) / log(base);
    ck_assert_str_eq(t, "Power");
    return pow((float)case_param(c, 1, 1) * x + d, case_param(c, 0, 1) + 0 * b);
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < tensor_count(&in[0]); i++) out[0].v[i] = (float)named(c, in[0].v[i]);
}

static const struct { const char *type, *params; double lo, hi;
} rows[] = {{"AbsVal", "", -3, 3},
            {"BNLL", "", -40, 40},
            {"Softplus", "", -40, 40},
            {"Sigmoid", "", -40, 40},
            {"Swish", "", -40, 40},
            {"Mish", "", -40, 40},
            {"TanH", "", -12, 12},
            {"Erf", "", -5, 5},
            {"GELU", "", -6, 6},
            {"GELU", "0=1", -6, 6},
            {"Clip", "0=-0.5 1=0.75", -2, 2},
            {"Clip", "", -2, 2},
            {"Clip", "0=1.0 1=-1.0", -2, 2},
            {"ELU", "", -5, 5},
            {"ELU", "0=1.5", -5, 5},
            {"SELU", "", -5, 5},
            {"SELU", "0=0.5 1=2.0", -5, 5},
            {"CELU", "", -5, 5},
            {"CELU", "0=0.25", -5, 5},
            {"HardSigmoid", "", -4, 4},
            {"HardSigmoid", "0=0.5 1=0.25", -4, 4},
            {"HardSwish", "", -4, 4},
            {"HardSwish", "0=0.1666667 1=0.5", -4, 4},
            {"Threshold", "", -1, 1},
            {"Threshold", "0=0.25", -1, 1},
            {"Shrink", "", -1, 1},
            {"Shrink", "0=0.25 1=0.75", -1, 1},
            {"Exp", "", -5, 5},
            {"Exp", "0=2.0 1=1.5 2=-0.5", -5, 5},
            {"Exp", "1=0.5 2=0.25", -5, 5},
            {"Log", "", 0.1, 9},
            {"Log", "0=2.0 1=1.5 2=0.5", 0, 9},
            {"Log", "0=10.0", 0.1, 9},
            {"Power", "", -3, 3},
            {"Power", "0=2.0", -3, 3},
            {"Power", "0=1.5 1=0.5 2=2.0", -3, 3},
            {"Power", "1=2.0 2=-1.0", -3, 3},
            {"Power", "0=-1.0 2=5.0", -3, 3}};
enum { ROWS = sizeof rows / sizeof *rows };

static layer_case make(const char *type, const char *params, double lo, double hi)
{
    return (layer_case){.type = type,
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 1e-6,
                        .reference = reference,
                        .in = {{.rank = 3, .dim = {5, 3, 7}, .lo = lo, .hi = hi}}};
}

START_TEST(named_functions)
{
    for (int i = 0; i < ROWS; i++) {
        const layer_case c = make(rows[i].type, rows[i].params, rows[i].lo, rows[i].hi);
        layer_check(&c);
    }
}
END_TEST

START_TEST(numbered_functions)
{
    char params[16];
    for (int op = 0; op <= 27; op++) {
        const bool one = op == 12 || op == 13 || op == 26, above = op == 25,
                   positive = op == 5 || op == 6 || op == 8 || op == 17;
        snprintf(params, sizeof params, "0=%d", op);
        const layer_case c = make("UnaryOp", params,
                                  above      ? 1
                                  : positive ? 1 / 64.0
                                  : one      ? -0.96875
                                  : op == 27 ? -0.9
                                             : -4,
                                  one ? 0.96875 : 4);
        layer_check(&c);
    }
}
END_TEST

START_TEST(all_ranks)
{
    static const struct {
        int rank, dim[4];
    } shapes[] = {{1, {1}}, {1, {33}}, {2, {17, 3}}, {4, {3, 2, 1, 5}}, {2, {0, 4}}};
    for (int s = 0; s < 5; s++) {
        layer_case c = make("Sigmoid", "", -3, 3);
        c.in[0].rank = shapes[s].rank;
        memcpy(c.in[0].dim, shapes[s].dim, sizeof c.in[0].dim);
        layer_check(&c);
    }
}
END_TEST

// Each value in a lane and in a tail.
static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    static const double v[] = {NAN, INFINITY, -INFINITY, 0, 100, -100, 1e38, -1e38, 1e-30, -1e-30, 0.5};
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = (float)v[j % 11];
}

START_TEST(nan_infinity_and_large_values)
{
    char params[16];
    for (int i = 0; i < ROWS + 28; i++) {
        snprintf(params, sizeof params, "0=%d", i - ROWS);
        layer_case c = i < ROWS ? make(rows[i].type, rows[i].params, 0, 0) : make("UnaryOp", params, 0, 0);
        c.in[0].rank = 1, c.in[0].dim[0] = 33 + 11, c.fill = extremes;
        layer_check(&c);
    }
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    layer_case c = make("UnaryOp", "0=28", 0, 0);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "op_type");
    c.params = "0=-1";
    layer_refuses(&c, EBB_E_PARAM, "op_type");
}
END_TEST

int main(void)
{
    return run_tests("unary", (const test_entry[]){{"named", named_functions},
                                                   {"numbered", numbered_functions},
                                                   {"all_ranks", all_ranks},
                                                   {"extremes", nan_infinity_and_large_values},
                                                   {"errors", errors_say_what_is_wrong},
                                                   {0}});
}
