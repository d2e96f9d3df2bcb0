// SPDX-License-Identifier: BSD-3-Clause
// kernels_test.c - the tables are complete and in order, and vector functions are near double precision on
// each: the same in a lane and in a tail.
#include "cpu.h"
#include "harness.h"
#include "kernels/kernels.h"
#include <math.h>
#include <string.h>

START_TEST(tables_are_complete)
{
    int width = 0;
    for (int t = 0; ebb_cpu_table(t); t++) {
        const ebb_kernels *k = ebb_cpu_table(t);
        ck_assert_str_eq(k->isa, ebb_isa_name(t));
        ck_assert_int_ge(k->width, width);
        width = k->width;
#define KERNEL(name, args) ck_assert_msg(k->name != NULL, "%s lacks " #name, k->isa);
#include "kernels/kernel_list.h"
#undef KERNEL
    }
    ck_assert_str_eq(ebb_cpu_table(0)->isa, "scalar");
}
END_TEST

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static double mish(double x) { return x * tanh(softplus(x)); }

static const struct { const char *name; int op; double (*want)(double), lo, hi, error; } functions[] = {
    {"exp", EBB_EXP, exp, -87.3, 88.7, 1.5e-7},          {"exp", EBB_EXP, exp, -1, 1, 1.5e-7},
    {"expm1", EBB_EXPM1, expm1, -20, 20, 2.5e-7},        {"expm1", EBB_EXPM1, expm1, -1e-3, 1e-3, 1.5e-7},
    {"log", EBB_LOG, log, 1e-37, 1e-30, 1.5e-7},         {"log", EBB_LOG, log, 0.5, 2, 1.5e-7},
    {"log", EBB_LOG, log, 1e-3, 1e5, 1.5e-7},            {"tanh", EBB_TANH, tanh, -10, 10, 2e-7},
    {"tanh", EBB_TANH, tanh, -1e-3, 1e-3, 1e-7},         {"erf", EBB_ERF, erf, -5, 5, 2e-7},
    {"sigmoid", EBB_SIGMOID, sigmoid, -87, 30, 2e-7},    {"softplus", EBB_SOFTPLUS, softplus, -80, 80, 3e-7},
    {"mish", EBB_MISH, mish, -80, 80, 4e-7},
};

// Relative to what is wanted; 2e-38 is where numbers lose digits.
START_TEST(functions_are_accurate)
{
    enum { N = 30011 };
    static float x[N], y[N];
    const float p[3] = {0};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int t = 0; ebb_cpu_table(t); t++) {
            for (int i = 0; i < N; i++)
                x[i] = (float)(functions[f].lo + (functions[f].hi - functions[f].lo) * i / (N - 1));
            ebb_cpu_table(t)->unary_f32(functions[f].op, y, x, N, p);
            for (int i = 0; i < N; i++) {
                const double want = functions[f].want(x[i]);
                if (fabs(want) > 2e-38 && !(fabs(y[i] - want) <= functions[f].error * fabs(want)))
                    ck_abort_msg("%s: %s(%.9g) is %.9g, want %.9g: off by %.2g", ebb_cpu_table(t)->isa,
                                 functions[f].name, x[i], y[i], want, fabs(y[i] - want) / fabs(want));
            }
        }
}
END_TEST

START_TEST(lanes_and_tails_agree)
{
    static const float v[] = {NAN,    INFINITY, -INFINITY, 0.f,  -0.f,  1e-42f, -1e-42f, 3e38f,
                              -3e38f, 88.8f,    -104.f,    0.3f, -0.7f, 2.5f,   17.f};
    enum { KINDS = sizeof v / sizeof *v, N = 16 * KINDS + 3 };
    static float x[N], y[N], alone;
    const float p[3] = {0.5f, 0.25f, 1.5f};
    for (int i = 0; i < N; i++) x[i] = v[i % KINDS];
    for (int op = EBB_ABS; op <= EBB_SHRINK; op++)
        for (int t = 0; ebb_cpu_table(t); t++) {
            ebb_cpu_table(t)->unary_f32(op, y, x, N, p);
            for (int i = 0; i < N; i++) {
                ebb_cpu_table(t)->unary_f32(op, &alone, &x[i], 1, p);
                if (!(isnan(alone) ? isnan(y[i]) : !memcmp(&alone, &y[i], sizeof alone)))
                    ck_abort_msg("%s, operation %d of %g: %g in place %d, %g alone", ebb_cpu_table(t)->isa,
                                 op, x[i], y[i], i, alone);
                if (isnan(x[i]) && !isnan(y[i])) ck_abort_msg("operation %d hides NaN", op);
            }
        }
}
END_TEST

int main(void)
{
    return run_tests("kernels", (const test_entry[]){{"complete", tables_are_complete},
                                                     {"accurate", functions_are_accurate},
                                                     {"lanes_and_tails", lanes_and_tails_agree},
                                                     {0}});
}
