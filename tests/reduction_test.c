// SPDX-License-Identifier: BSD-3-Clause
// reduction_test.c - Reduction: every operation over every set of axes, kept or not; NaN, infinities, long sums.
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double start(int op) { return op == 6 ? 1 : op == 4 ? -INFINITY : op == 5 ? INFINITY : 0; }

static double join(int op, double a, double x)
{
    switch (op) {
    case 1: case 7: return a + fabs(x);
    case 2: case 8: return a + x * x;
    case 4: return isnan(a) || isnan(x) ? NAN : fmax(a, x);
    case 5: return isnan(a) || isnan(x) ? NAN : fmin(a, x);
    case 6: return a * x;
    case 10: return a + exp(x);
    default: return a + x;
    }
}

static double end(int op, double a, double n)
{
    return op == 3 ? a / n : op == 8 ? sqrt(a) : op == 9 || op == 10 ? log(a) : a;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int op = (int)case_param(c, 0, 0), rank = in[0].rank;
    double axes[8];
    int off[4] = {0}, kept[4], dim[4], r = 0, n = 1;
    const int given = case_array(c, 3, axes, 8);
    for (int i = 0; i < given; i++) off[(int)axes[i] < 0 ? (int)axes[i] + rank : (int)axes[i]] = 1;
    for (int i = 0; i < rank; i++) {
        if (case_param(c, 1, 1)) off[i] = 1;
        kept[i] = off[i] ? 1 : in[0].dim[i];
        if (off[i]) n *= in[0].dim[i];
        if (!off[i] || case_param(c, 4, 0)) dim[r++] = kept[i];
    }
    if (!r) dim[r++] = 1;
    out[0] = tensor_new(r, dim);
    for (size_t i = 0; i < tensor_count(&out[0]); i++) out[0].v[i] = start(op);
    for (size_t i = 0; i < tensor_count(&in[0]); i++) {
        size_t rest = i, at = 0, step = 1;
        for (int k = rank - 1; k >= 0; k--) {
            if (!off[k]) at += rest % (size_t)in[0].dim[k] * step, step *= (size_t)kept[k];
            rest /= (size_t)in[0].dim[k];
        }
        out[0].v[at] = join(op, out[0].v[at], in[0].v[i]);
    }
    for (size_t i = 0; i < tensor_count(&out[0]); i++)
        out[0].v[i] = end(op, out[0].v[i], n) * case_param(c, 2, 1);
}

static layer_case make(const char *params, int rank, int a, int b, int d, int e)
{
    const bool positive = case_param(&(layer_case){.params = params}, 0, 0) == 9;
    return (layer_case){.type = "Reduction",
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 3e-6,
                        .reference = reference,
                        .in = {{.rank = rank, .dim = {a, b, d, e}, .lo = positive ? 0.25 : -1.5, .hi = 1.5}}};
}

START_TEST(operations)
{
    char params[64];
    for (int op = 0; op <= 10; op++) {
        snprintf(params, sizeof params, "0=%d 1=0 2=0.5 3=0,2 4=0 5=1", op);
        layer_case c = make(params, 3, 17, 5, 3, 0);
        layer_check(&c);
        snprintf(params, sizeof params, "0=%d 1=0 3=1, 4=1 5=1", op);
        c = make(params, 3, 17, 5, 3, 0);
        layer_check(&c);
        snprintf(params, sizeof params, "0=%d", op);
        c = make(params, 2, 3, 5, 0, 0);
        layer_check(&c);
    }
}
END_TEST

START_TEST(every_set_of_axes)
{
    char params[64], axes[32];
    for (int rank = 1; rank <= 4; rank++)
        for (int bits = 1; bits < 1 << rank; bits++)
            for (int keep = 0; keep < 2; keep++) {
                int n = 0;
                axes[0] = 0;
                for (int i = 0; i < rank; i++)
                    if (bits >> i & 1) n++, sprintf(axes + strlen(axes), ",%d", keep ? i : i - rank);
                snprintf(params, sizeof params, "0=0 1=0 -23303=%d%s 4=%d 5=1", n, axes, keep);
                const layer_case c = make(params, rank, 9, 3, 4, 2);
                layer_check(&c);
            }
}
END_TEST

static void large(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = in->v[j] * 100 + 300;
}

static void all_minus_infinity(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = -INFINITY;
}

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++)
        in->v[j] = j == 5 ? NAN : j == 47 ? INFINITY : j == 90 ? -INFINITY : in->v[j];
}

static void long_reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)c, (void)w;
    out[0] = tensor_new(1, (const int[]){1});
    double sum = 0, top = -INFINITY;
    for (size_t i = 0; i < tensor_count(&in[0]); i++) top = fmax(top, in[0].v[i]);
    for (size_t i = 0; i < tensor_count(&in[0]); i++) sum += exp(in[0].v[i] - top);
    out[0].v[0] = isinf(top) ? top : log(sum) + top;
}

START_TEST(extremes_and_long_sums)
{
    static const int ops[] = {0, 2, 3, 4, 5, 6, 10};
    char params[64];
    for (int i = 0; i < 7; i++) {
        snprintf(params, sizeof params, "0=%d 1=0 3=1, 5=1", ops[i]);
        layer_case c = make(params, 2, 3, 37, 0, 0);
        c.fill = extremes;
        layer_check(&c);
    }
    layer_case c = make("0=10", 1, 37, 0, 0, 0);
    c.fill = large, c.reference = long_reference;
    layer_check(&c);
    c.fill = all_minus_infinity;
    layer_check(&c);
    c = make("0=3", 2, 257, 129, 0, 0);
    layer_check(&c);
    c = make("0=0 1=0 3=0, 5=1", 2, 1001, 17, 0, 0);
    layer_check(&c);
    c = make("0=0 1=0 3=1, 5=1", 2, 3, 0, 0, 0);
    layer_check(&c);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    static const struct { const char *params, *words; ebb_status s;
    } rows[] = {{"0=0 1=0 3=1,", "its axes lack 5=1 (fixbug0)", EBB_E_PARAM},
                {"0=11", "operation", EBB_E_PARAM},
                {"0=0 1=0 5=1", "reduce_all=0 needs axes", EBB_E_PARAM},
                {"0=0 1=0 3=0,2 5=1", "there is no axis 2 in a blob with 2 axes", EBB_E_SHAPE}};
    for (int i = 0; i < 4; i++) {
        layer_case c = make(rows[i].params, 2, 3, 5, 0, 0);
        c.reference = NULL;
        layer_refuses(&c, rows[i].s, rows[i].words);
    }
}
END_TEST

int main(void)
{
    return run_tests("reduce", (const test_entry[]){{"operations", operations},
                                                    {"axes", every_set_of_axes},
                                                    {"extremes", extremes_and_long_sums},
                                                    {"errors", errors_say_what_is_wrong},
                                                    {0}});
}
