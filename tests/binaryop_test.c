// SPDX-License-Identifier: BSD-3-Clause
// binaryop_test.c - BinaryOp: every operation, scalars, broadcasting of all ranks, NaN and infinities.
#include "harness.h"
#include <math.h>
#include <stdio.h>

static double apply(int op, double a, double b)
{
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return isnan(a) || isnan(b) ? NAN : fmax(a, b);
    case 5: return isnan(a) || isnan(b) ? NAN : fmin(a, b);
    case 6: return pow(a, b);
    case 7: return b - a;
    case 8: return b / a;
    case 9: return pow(b, a);
    case 10: return atan2(a, b);
    case 11: return atan2(b, a);
    case 12: return fmod(a, b);
    case 13: return fmod(b, a);
    case 14: return a == b ? a + log(2) : fmax(a, b) + log1p(exp(-fabs(a - b)));
    case 15: return floor(a / b);
    case 16: return floor(b / a);
    case 17: return remainder(a, b);
    default: return remainder(b, a);
    }
}

// The rule, once more: equal ranks line up; a vector lies along the outermost axis where it fits, else along
// the innermost; other missing axes are inner ones.
static tensor aligned(const tensor *t, const tensor *other)
{
    tensor r = *t;
    const int more = other->rank - t->rank;
    if (more <= 0) return r;
    const int first = t->rank == 1 && t->dim[0] != other->dim[0] ? more : 0;
    r.rank = other->rank;
    for (int i = 0; i < r.rank; i++) r.dim[i] = i >= first && i < first + t->rank ? t->dim[i - first] : 1;
    return r;
}

static double repeated(const tensor *t, const int *index)
{
    size_t at = 0;
    for (int i = 0; i < t->rank; i++) at = at * (size_t)t->dim[i] + (size_t)(t->dim[i] == 1 ? 0 : index[i]);
    return t->v[at];
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    double number = (float)case_param(c, 2, 0);
    const tensor scalar = {.rank = 1, .dim = {1}, .v = &number},
                 *second = case_param(c, 1, 0) ? &scalar : &in[1];
    const tensor a = aligned(&in[0], second), b = aligned(second, &in[0]);
    int dim[4];
    for (int i = 0; i < a.rank; i++) dim[i] = a.dim[i] == 1 ? b.dim[i] : a.dim[i];
    out[0] = tensor_new(a.rank, dim);
    for (size_t i = 0; i < tensor_count(&out[0]); i++) {
        int index[4];
        size_t rest = i;
        for (int k = a.rank - 1; k >= 0; k--) index[k] = (int)(rest % (size_t)dim[k]), rest /= (size_t)dim[k];
        out[0].v[i] = (float)apply((int)case_param(c, 0, 0), repeated(&a, index), repeated(&b, index));
    }
}

static bool positive(int op) { return op == 6 || op == 9; }
static bool divides(int op) { return op == 3 || op == 8 || op >= 12; }

static layer_case row(char *params, int op, double number, bool scalar)
{
    snprintf(params, 64, scalar ? "0=%d 1=1 2=%e" : "0=%d", op, number);
    layer_case c = {.type = "BinaryOp",
                    .params = params,
                    .n_in = scalar ? 1 : 2,
                    .n_out = 1,
                    .tol = 1e-6,
                    .reference = reference};
    for (int i = 0; i < 2; i++) {
        c.in[i].lo = positive(op) ? 1 / 64.0 : divides(op) ? 0.5 : -2;
        c.in[i].hi = 2;
    }
    return c;
}

static void set(layer_case *c, int i, int rank, int a, int b, int d, int e)
{
    c->in[i].rank = rank;
    c->in[i].dim[0] = a, c->in[i].dim[1] = b, c->in[i].dim[2] = d, c->in[i].dim[3] = e;
}

START_TEST(operations)
{
    char params[64];
    for (int op = 0; op <= 18; op++) {
        layer_case c = row(params, op, 0, false);
        set(&c, 0, 3, 5, 3, 7, 0), set(&c, 1, 3, 5, 3, 7, 0);
        layer_check(&c);
        set(&c, 1, 3, 5, 1, 1, 0);
        layer_check(&c);
    }
}
END_TEST

START_TEST(scalars)
{
    char params[64];
    for (int op = 0; op <= 18; op++) {
        layer_case c = row(params, op, 0.75, true);
        set(&c, 0, 2, 3, 17, 0, 0);
        layer_check(&c);
    }
    layer_case c = row(params, 6, 2, true);  // a square, of negative numbers too
    c.in[0].lo = -2;
    set(&c, 0, 1, 33, 0, 0, 0);
    layer_check(&c);
}
END_TEST

START_TEST(broadcasting)
{
    static const struct { int rank_a, a[4], rank_b, b[4];
    } rows[] = {{1, {5}, 1, {5}},
                {1, {1}, 1, {5}},
                {1, {5}, 1, {1}},
                {2, {3, 5}, 2, {1, 5}},
                {2, {3, 1}, 2, {1, 5}},
                {1, {3}, 2, {3, 5}},
                {1, {5}, 2, {3, 5}},
                {2, {4, 4}, 1, {4}},
                {3, {5, 1, 6}, 3, {1, 2, 6}},
                {3, {1, 2, 2}, 3, {2, 2, 2}},
                {3, {4, 3, 5}, 2, {4, 3}},
                {2, {4, 1}, 3, {1, 3, 5}},
                {3, {4, 3, 5}, 1, {4}},
                {1, {5}, 3, {4, 3, 5}},
                {4, {3, 2, 4, 5}, 3, {3, 2, 4}},
                {4, {3, 2, 4, 5}, 2, {3, 2}},
                {4, {3, 1, 4, 1}, 4, {1, 2, 1, 5}},
                {4, {3, 2, 4, 5}, 1, {1}},
                {1, {5}, 4, {3, 2, 4, 5}},
                {3, {17, 3, 3}, 3, {17, 1, 1}},
                {3, {17, 3, 3}, 3, {1, 3, 3}},
                {3, {1, 1, 1}, 3, {33, 2, 2}},
                {2, {0, 5}, 2, {1, 5}},
                {3, {3, 0, 2}, 1, {3}}};
    char params[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layer_case c = row(params, 7, 0, false);
        set(&c, 0, rows[i].rank_a, rows[i].a[0], rows[i].a[1], rows[i].a[2], rows[i].a[3]);
        set(&c, 1, rows[i].rank_b, rows[i].b[0], rows[i].b[1], rows[i].b[2], rows[i].b[3]);
        layer_check(&c);
    }
}
END_TEST

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c;
    static const double v[] = {NAN, INFINITY, -INFINITY, 1, 0, -1, 3e38};
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = v[(i ? j / 7 : j) % 7];
}

START_TEST(nan_and_infinity_travel)
{
    static const int ops[] = {0, 1, 2, 3, 4, 5, 6, 10, 12, 14, 15, 17};
    char params[64];
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        layer_case c = row(params, ops[i], 0, false);
        c.fill = extremes;
        set(&c, 0, 1, 49, 0, 0, 0), set(&c, 1, 1, 49, 0, 0, 0);
        layer_check(&c);
    }
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    char params[64];
    layer_case c = row(params, 0, 0, false);
    c.reference = NULL;
    set(&c, 0, 3, 4, 3, 5, 0), set(&c, 1, 3, 4, 2, 5, 0);
    layer_refuses(&c, EBB_E_SHAPE, "4x3x5 and 4x2x5 do not broadcast");
    set(&c, 1, 1, 3, 0, 0, 0);
    layer_refuses(&c, EBB_E_SHAPE, "do not broadcast");
    set(&c, 0, 2, 1, 5, 0, 0);  // neither the outermost axis nor the innermost
    layer_refuses(&c, EBB_E_SHAPE, "1x5 and 3");
    c.params = "0=19";
    layer_refuses(&c, EBB_E_PARAM, "op_type");
    c.params = "0=0 1=1 2=3.0";
    layer_refuses(&c, EBB_E_PARAM, "with_scalar=1 takes 1 inputs, there are 2");
    c.params = "0=0", c.n_in = 1;
    layer_refuses(&c, EBB_E_PARAM, "with_scalar=0 takes 2 inputs, there are 1");
}
END_TEST

int main(void)
{
    return run_tests("binaryop", (const test_entry[]){{"operations", operations},
                                                      {"scalars", scalars},
                                                      {"broadcasting", broadcasting},
                                                      {"nan_and_infinity", nan_and_infinity_travel},
                                                      {"errors", errors_say_what_is_wrong},
                                                      {0}});
}
