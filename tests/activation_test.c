// SPDX-License-Identifier: BSD-3-Clause
// activation_test.c - reading fused activations, and their kernel against plain double precision on every
// table.
#include "parts/activation.h"
#include "cpu.h"
#include "harness.h"
#include "kernels/kernels.h"
#include <math.h>
#include <string.h>

static const float two[] = {0.25f, 0.5f};

START_TEST(parameters_are_read)
{
    ebb_activation a;
    for (int type = 0; type <= 6; type++) {
        ck_assert_int_eq(ebb_activation_init(&a, type, (ebb_floats){2, two}, NULL), EBB_OK);
        ck_assert_int_eq(a.type, type);
        ck_assert(a.a ==
                  (type == EBB_ACT_LEAKY || type == EBB_ACT_CLIP || type == EBB_ACT_HARDSWISH ? 0.25f : 0.f));
        ck_assert(a.b == (type == EBB_ACT_CLIP || type == EBB_ACT_HARDSWISH ? 0.5f : 0.f));
    }
}
END_TEST

START_TEST(what_is_missing_is_named)
{
    ebb_activation a;
    ebb_error e;
    ck_assert_int_eq(ebb_activation_init(&a, 7, (ebb_floats){2, two}, &e), EBB_E_PARAM);
    ck_assert_ptr_nonnull(strstr(e.msg, "activation_type is 7"));
    ck_assert_int_eq(ebb_activation_init(&a, -1, (ebb_floats){0}, &e), EBB_E_PARAM);
    ck_assert_int_eq(ebb_activation_init(&a, EBB_ACT_CLIP, (ebb_floats){1, two}, &e), EBB_E_PARAM);
    ck_assert_ptr_nonnull(strstr(e.msg, "(clip) needs 2 activation_params, there are 1"));
    ck_assert_int_eq(ebb_activation_init(&a, EBB_ACT_LEAKY, (ebb_floats){0}, &e), EBB_E_PARAM);
}
END_TEST

static double expected(double x, int type, double a, double b)
{
    const double gate = fmin(1, fmax(0, x * a + b));
    if (isnan(x)) return x;
    switch (type) {
    case EBB_ACT_RELU: return x > 0 ? x : 0;
    case EBB_ACT_LEAKY: return x > 0 ? x : x * a;
    case EBB_ACT_CLIP: return fmin(fmax(x, a), b);
    case EBB_ACT_SIGMOID: return 1 / (1 + exp(-x));
    case EBB_ACT_MISH: return x * tanh(x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
    case EBB_ACT_HARDSWISH: return gate == 0 ? 0 : x * gate;
    default: return x;
    }
}

START_TEST(kernel_agrees_in_lanes_and_tails)
{
    enum { N = 1037 };
    static float x[N], y[N], alone[1];
    for (int i = 0; i < N; i++) x[i] = (float)(i - 500) / 16;
    x[3] = x[N - 1] = NAN, x[4] = x[N - 2] = INFINITY;
    for (int t = 0; ebb_cpu_table(t); t++)
        for (int type = 0; type <= 6; type++) {
            memcpy(y, x, sizeof y);
            ebb_cpu_table(t)->activate_f32(y, N, type, 0.25f, 0.5f);
            for (int i = 0; i < N; i++) {
                const double want = expected(x[i], type, 0.25, 0.5);
                alone[0] = x[i];
                ebb_cpu_table(t)->activate_f32(alone, 1, type, 0.25f, 0.5f);
                if (memcmp(alone, &y[i], 4) ||
                    !(isnan(want) ? isnan(y[i])
                                  : y[i] == want || fabs(y[i] - want) <= 4e-7 * fabs(want) + 1e-30))
                    ck_abort_msg("%s, type %d of %g: %g, as a tail %g, want %g", ebb_cpu_table(t)->isa, type,
                                 x[i], y[i], alone[0], want);
            }
        }
}
END_TEST

int main(void)
{
    return run_tests("activation", (const test_entry[]){{"parameters", parameters_are_read},
                                                        {"missing", what_is_missing_is_named},
                                                        {"kernel", kernel_agrees_in_lanes_and_tails},
                                                        {0}});
}
