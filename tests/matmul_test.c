// SPDX-License-Identifier: BSD-3-Clause
// matmul_test.c - MatMul: every pair of ranks, repeated outer axes, both orders of B, against sums in double
// precision.
#include "harness.h"
#include <stdio.h>
#include <string.h>

// Sizes of an operand as outer 0, outer 1, rows, columns.
static void whole(const tensor *t, bool column, int s[4])
{
    for (int i = 0; i < 4; i++) s[i] = i < 4 - t->rank ? 1 : t->dim[i - (4 - t->rank)];
    if (t->rank == 1 && column) s[2] = s[3], s[3] = 1;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    int a[4], b[4], dim[4], n = 0;
    whole(&in[0], false, a);
    whole(&in[1], true, b);
    const bool turned = case_param(c, 0, 0) != 0 && in[1].rank > 1;
    const int M = a[2], K = a[3], N = turned ? b[2] : b[3], o0 = a[0] > b[0] ? a[0] : b[0],
              o1 = a[1] > b[1] ? a[1] : b[1];
    const int most = in[0].rank > in[1].rank ? in[0].rank : in[1].rank;
    if (most > 3) dim[n++] = a[0] == 1 ? b[0] : a[0];
    if (most > 2) dim[n++] = a[1] == 1 ? b[1] : a[1];
    if (in[0].rank > 1) dim[n++] = M;
    if (in[1].rank > 1) dim[n++] = N;
    if (n == 0) dim[n++] = 1;
    out[0] = tensor_new(n, dim);
    double *y = out[0].v;
    for (int p = 0; p < o0 * o1 && tensor_count(out); p++) {
        const int pa = p / o1 % a[0] * a[1] + p % o1 % a[1], pb = p / o1 % b[0] * b[1] + p % o1 % b[1];
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++, y++)
                for (int k = 0; k < K; k++)
                    *y += in[0].v[(pa * M + i) * K + k] *
                          in[1].v[turned ? (pb * N + j) * K + k : (pb * K + k) * N + j];
    }
}

typedef struct row {
    int ra, a[4], rb, b[4];  // B as products x columns
} row;

static const row rows[] = {{1, {5}, 1, {5}},
                           {1, {1}, 1, {1}},
                           {2, {3, 5}, 2, {5, 7}},
                           {1, {5}, 2, {5, 33}},
                           {2, {17, 5}, 1, {5}},
                           {1, {5}, 3, {3, 5, 4}},
                           {3, {3, 2, 5}, 1, {5}},
                           {1, {5}, 4, {2, 3, 5, 4}},
                           {4, {2, 3, 4, 5}, 1, {5}},
                           {3, {3, 2, 5}, 3, {3, 5, 4}},
                           {2, {2, 5}, 3, {3, 5, 4}},
                           {3, {3, 2, 5}, 2, {5, 4}},
                           {3, {1, 2, 5}, 3, {3, 5, 1}},
                           {4, {2, 3, 2, 5}, 4, {2, 3, 5, 3}},
                           {4, {1, 3, 2, 5}, 4, {2, 1, 5, 3}},
                           {3, {3, 2, 5}, 4, {2, 1, 5, 3}},
                           {4, {2, 3, 2, 5}, 2, {5, 3}},
                           {2, {0, 5}, 2, {5, 3}},
                           {2, {3, 0}, 2, {0, 4}},
                           {2, {194, 5}, 2, {5, 65}},
                           {2, {5, 257}, 2, {257, 9}},
                           {2, {2, 257}, 2, {257, 9}}};

START_TEST(all_ranks)
{
    char params[8];
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i / 2];
        snprintf(params, sizeof params, "0=%d", (int)(i % 2));
        layer_case c = {.type = "MatMul",
                        .params = params,
                        .n_in = 2,
                        .n_out = 1,
                        .tol = 1e-4,
                        .reference = reference,
                        .in = {{.rank = r->ra}, {.rank = r->rb}}};
        memcpy(c.in[0].dim, r->a, sizeof r->a);
        memcpy(c.in[1].dim, r->b, sizeof r->b);
        if (i % 2 && r->rb > 1)
            c.in[1].dim[r->rb - 2] = r->b[r->rb - 1], c.in[1].dim[r->rb - 1] = r->b[r->rb - 2];
        layer_check(&c);
    }
}
END_TEST

START_TEST(refusals)
{
    layer_case c = {.type = "MatMul", .params = "0=0", .n_in = 2, .n_out = 1,
                    .in = {{.rank = 2, .dim = {3, 5}}, {.rank = 2, .dim = {4, 5}}}};
    layer_refuses(&c, EBB_E_SHAPE, "3x5 times 4x5: rows of 5 meet columns of 4 (transB 0)");
    c.params = "0=1";
    c.in[0].rank = c.in[1].rank = 3;
    memcpy(c.in[0].dim, (const int[4]){2, 3, 5}, sizeof c.in[0].dim);
    memcpy(c.in[1].dim, (const int[4]){4, 3, 5}, sizeof c.in[1].dim);
    layer_refuses(&c, EBB_E_SHAPE, "outer sizes 2 and 4 must be equal, or one of them 1");
}
END_TEST

int main(void)
{
    return run_tests("matmul", (const test_entry[]){{"ranks", all_ranks}, {"refusals", refusals}, {0}});
}
