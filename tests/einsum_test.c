// SPDX-License-Identifier: BSD-3-Clause
// einsum_test.c - Einsum: products, sums, traces, transposes and diagonals, against sums over all letters.
#include "harness.h"
#include <stdio.h>
#include <string.h>

static char equation[64];

static int size_of(const layer_case *c, const tensor *in, char letter)
{
    const char *p = equation;
    for (int i = 0; i < c->n_in; i++, p++)
        for (int a = 0; *p != ',' && *p != '-' && *p; p++, a++)
            if (*p == letter) return in[i].dim[a];
    return 1;
}

static double sum_over(const layer_case *c, const tensor *in, const char *letters, int *at)
{
    if (*letters) {
        double sum = 0;
        for (at[(int)*letters] = 0; at[(int)*letters] < size_of(c, in, *letters); at[(int)*letters]++)
            sum += sum_over(c, in, letters + 1, at);
        return sum;
    }
    double x = 1;
    const char *p = equation;
    for (int i = 0; i < c->n_in; i++, p++) {
        int index[4];
        for (int a = 0; *p != ',' && *p != '-' && *p; p++, a++) index[a] = at[(int)*p];
        x *= *tensor_at_(&in[i], index);
    }
    return x;
}

// `result` and `rest`: the letters that stay and those that are summed.
static const char *result, *rest;

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    int dim[4] = {1}, at[128] = {0}, n = (int)strlen(result);
    for (int i = 0; i < n; i++) dim[i] = size_of(c, in, result[i]);
    out[0] = tensor_new(n ? n : 1, dim);
    for (size_t i = 0; i < tensor_count(out); i++) {
        size_t left = i;
        for (int a = n - 1; a >= 0; left /= (size_t)dim[a--])
            at[(int)result[a]] = (int)(left % (size_t)dim[a]);
        out[0].v[i] = sum_over(c, in, rest, at);
    }
}

static const char *coded(const char *text, char *params)
{
    strcpy(equation, text);
    int n = sprintf(params, "-23300=%d", (int)strlen(text));
    for (const char *p = text; *p; p++) n += sprintf(params + n, ",%d", *p);
    return params;
}

typedef struct row {
    const char *text, *result, *rest;
    int n_in, rank[3], dim[3][4];
} row;

static layer_case make(const row *r, char *params)
{
    result = r->result;
    rest = r->rest;
    layer_case c = {.type = "Einsum",
                    .params = coded(r->text, params),
                    .n_in = r->n_in,
                    .n_out = 1,
                    .tol = 1e-5,
                    .reference = reference};
    for (int i = 0; i < r->n_in; i++) {
        c.in[i].rank = r->rank[i];
        memcpy(c.in[i].dim, r->dim[i], sizeof r->dim[i]);
    }
    return c;
}

START_TEST(equations)
{
    static const row rows[] = {
        {"ijl,ilk->ijk", "ijk", "l", 2, {3, 3}, {{3, 2, 5}, {3, 5, 4}}},
        {"kij->ij", "ij", "k", 1, {3}, {{5, 3, 4}}},
        {"ii", "", "i", 1, {2}, {{17, 17}}},
        {"ii->i", "i", "", 1, {2}, {{5, 5}}},
        {"ij->ji", "ji", "", 1, {2}, {{3, 33}}},
        {"ij,jk", "ik", "j", 2, {2, 2}, {{3, 4}, {4, 5}}},
        {"i,j,k->ijk", "ijk", "", 3, {1, 1, 1}, {{3}, {1}, {5}}},
        {"ijkl->", "", "ijkl", 1, {4}, {{2, 3, 1, 2}}},
        {"ab,cb->ac", "ac", "b", 2, {2, 2}, {{2, 3}, {4, 3}}},
        {"ij,j->i", "i", "j", 2, {2, 1}, {{3, 0}, {0}}},
        {"ij,j->i", "i", "j", 2, {2, 1}, {{0, 3}, {3}}}};
    char params[300];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = make(&rows[i], params);
        layer_check(&c);
    }
}
END_TEST

static void refuse(const char *text, int n_in, ebb_status s, const char *words)
{
    char params[300];
    const row r = {text, "", "", n_in, {2, 2}, {{3, 4}, {4, 5}}};
    layer_case c = make(&r, params);
    c.reference = NULL;
    layer_refuses(&c, s, words);
}

START_TEST(refusals)
{
    refuse("ij,jk->iz", 2, EBB_E_PARAM, "letter 'z' of the result stands in no term");
    refuse("ij->i", 2, EBB_E_PARAM, "the equation has 1 terms, the layer 2 inputs");
    refuse("ij,jk->ik", 1, EBB_E_PARAM, "does not end after 1 terms");
    refuse("ij,jk->ii", 2, EBB_E_PARAM, "a letter twice");
    refuse("ij,ik->jk", 2, EBB_E_SHAPE, "axis 0 of input 1 (4x5) has the letter of an axis of 3");
    refuse("ij,jkl->ik", 2, EBB_E_SHAPE, "input 1 is 4x5, its term has 3 letters");
    refuse("abcde,f->a", 2, EBB_E_UNSUPPORTED, "4 in one term");
    refuse("a.,bc->a", 2, EBB_E_PARAM, "");
    refuse("", 2, EBB_E_PARAM, "");
    refuse("abcd,efghi->a", 2, EBB_E_UNSUPPORTED, "more than 8 letters");
    refuse("abc,def", 2, EBB_E_UNSUPPORTED, "the result of the equation has more than 4 letters");
    refuse("i{,jk->ik", 2, EBB_E_PARAM, "");
    refuse("ij,jk->ik;", 2, EBB_E_PARAM, "");
    refuse("ij,jk-ik", 2, EBB_E_PARAM, "");
    refuse("ij,jk->abcde", 2, EBB_E_UNSUPPORTED, "4 in one term");
}
END_TEST

int main(void)
{
    return run_tests("einsum", (const test_entry[]){{"equations", equations}, {"refusals", refusals}, {0}});
}
