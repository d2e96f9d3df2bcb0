// SPDX-License-Identifier: BSD-3-Clause
// argmax_test.c - ArgMax against a search that repeats itself.
#include "harness.h"
#include <math.h>
#include <stdlib.h>

// Whether element a stands before element b: larger, or as large and later; NaN last.
static bool before(const tensor *t, int a, int b)
{
    const double x = t->v[a], y = t->v[b];
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? a > b : isnan(y);
    return x != y ? x > y : a > b;
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int n = (int)tensor_count(in), k = (int)case_param(c, 1, 1), values = case_param(c, 0, 0) != 0;
    out[0] = tensor_new(2, (const int[]){values ? 2 : 1, k});
    bool *taken = calloc((size_t)n, sizeof *taken);
    for (int i = 0; i < k; i++) {
        int best = -1;
        for (int j = 0; j < n; j++)
            if (!taken[j] && (best < 0 || before(in, j, best))) best = j;
        taken[best] = true;
        out[0].v[values * k + i] = best;
        if (values) out[0].v[i] = in->v[best];
    }
    free(taken);
}

static void fill_strange(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    static const double v[] = {1, NAN, INFINITY, 1, -INFINITY, 0, NAN, 1};
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = v[j * 5 % 8];
}

static const layer_case cases[] = {
    {.params = "", .in = {{.rank = 1, .dim = {1}}}},
    {.params = "0=1 1=5", .in = {{.rank = 1, .dim = {33}}}},
    {.params = "1=33", .in = {{.rank = 1, .dim = {33}}}},
    {.params = "0=1 1=17", .in = {{.rank = 2, .dim = {5, 17}}}},
    {.params = "0=1 1=3", .in = {{.rank = 3, .dim = {3, 5, 7}}}},
    {.params = "1=60", .in = {{.rank = 4, .dim = {3, 2, 5, 2}}}},
    {.params = "0=1 1=17", .in = {{.rank = 1, .dim = {17}}}, .fill = fill_strange},
};

START_TEST(places)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        layer_case c = cases[i];
        c.type = "ArgMax", c.n_in = c.n_out = 1, c.reference = reference;
        layer_check(&c);
    }
}
END_TEST

START_TEST(too_few_are_refused)
{
    layer_refuses(
        &(layer_case){
            .type = "ArgMax", .params = "1=4", .n_in = 1, .n_out = 1, .in = {{.rank = 1, .dim = {3}}}},
        EBB_E_SHAPE, "the 4 largest of 3 values");
}
END_TEST

int main(void)
{
    const test_entry tests[] = {{"places", places}, {"too_few_are_refused", too_few_are_refused}, {0}};
    return run_tests("argmax", tests);
}
