// SPDX-License-Identifier: BSD-3-Clause
// gemm_ref.h - Gemm in double precision: finds A, B and C among inputs and weights, then sums.
#pragma once
#include "quant_ref.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mat_ref {
    double *v;        // rows x cols
    int rows, cols;
} mat_ref;

static inline mat_ref mat_of(const double *v, int rows, int cols, bool turned)
{
    mat_ref m = {calloc((size_t)rows * (size_t)cols + 1, sizeof(double)), rows, cols};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) m.v[r * cols + c] = turned ? v[c * rows + r] : v[r * cols + c];
    return m;
}

static inline mat_ref mat_of_input(const tensor *t, bool turned)
{
    const int cols = t->dim[t->rank - 1], rows = t->rank == 1 ? 1 : t->dim[0];
    return turned ? mat_of(t->v, cols, rows, true) : mat_of(t->v, rows, cols, false);
}

// What 8-bit products make of rows: q / scale, a scale for each row or one for all, given or the rows' own.
static inline void as_bytes(mat_ref *m, bool each, const double *scales, bool bytes)
{
    for (int r = 0; r < m->rows; r++) {
        double *v = m->v + r * m->cols;
        const double s = bytes ? scales[each ? r : 0] : each ? own_scale(v, m->cols, 1) : 0;
        for (int c = 0; each || bytes ? c < m->cols : 0; c++) v[c] = (bytes ? v[c] : eight(v[c], s)) / s;
    }
    if (each || bytes) return;
    const double s = own_scale(m->v, m->rows * m->cols, 1);
    for (int i = 0; i < m->rows * m->cols; i++) m->v[i] = eight(m->v[i], s) / s;
}

static inline double c_at(const layer_case *c, const tensor *in, const double *constant, int i, int j, int m,
                          int n)
{
    if (constant) {
        const int form = (int)case_param(c, 10, 0);
        return constant[form == 1 || form == 2 ? i : form == 3 ? i * n + j : form == 4 ? j : 0];
    }
    const bool row = in->rank == 2 ? in->dim[0] == m && m > 1 : in->dim[0] == m && in->dim[0] != n && m > 1;
    const bool col = in->rank == 2 ? in->dim[1] == n && n > 1 : in->dim[0] == n && n > 1;
    return in->v[row && col ? i * n + j : row ? i : col ? j : 0];
}

// Floats and 8-bit forms; packed weights have a reference of their own.
static inline void gemm_reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const int ca = (int)case_param(c, 4, 0), cb = (int)case_param(c, 5, 0), cc = (int)case_param(c, 6, 0);
    const int K0 = (int)case_param(c, 9, 0), kind = (int)case_param(c, 10, 0), i8 = (int)case_param(c, 18, 0);
    const bool ta = case_param(c, 2, 0) != 0, tb = case_param(c, 3, 0) != 0,
               turned = case_param(c, 14, 0) != 0;
    int used = 0, nw = 0;
    mat_ref a = ca ? mat_of(w[nw++].v, (int)case_param(c, 7, 0), K0, ta) : mat_of_input(&in[used++], ta);
    mat_ref b =
        cb ? mat_of(w[nw++].v, (int)case_param(c, 8, 0), K0, !tb) : mat_of_input(&in[used++], !tb);  // N x K
    const double *constant = cc && kind != -1 ? w[nw++].v : NULL;
    const tensor *add = !cc && used < c->n_in ? &in[used] : NULL;
    if (i8) {
        as_bytes(&a, true, ca ? w[nw].v : NULL, ca && c->weights[0].kind == W_I8);
        as_bytes(&b, false, cb ? w[nw + ca].v : NULL, cb && c->weights[ca].kind == W_I8);
    }
    const int M = a.rows, N = b.rows, K = a.cols;
    int dim[3], n = 0;
    dim[n++] = turned ? N : M;
    if (case_param(c, 11, 0)) dim[n++] = 1;
    dim[n++] = turned ? M : N;
    out[0] = tensor_new(n, dim);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = constant || add ? case_param(c, 1, 1) * c_at(c, add, constant, i, j, M, N) : 0;
            for (int k = 0; k < K; k++) sum += a.v[i * K + k] * b.v[j * K + k];
            out[0].v[turned ? j * M + i : i * N + j] = case_param(c, 0, 1) * sum;
        }
    free(a.v);
    free(b.v);
}

// A case of m x k times k x n. constants: bits of A, B, C; c: rank 0 none, 1 scalar, 2 [M], 3 [N], 4 Mx1, 5
// MxN, 6 1xN.
typedef struct gemm_row {
    int m, n, k, form, constants,
        c;  // form: 1 transA, 2 transB, 4 transposed, 8 N1M output, 16 inputs as rows x 1 x cols
    weight_kind kind;
    int i8;
} gemm_row;

static inline void add_input(layer_case *c, int rows, int cols, bool three)
{
    const int i = c->n_in++;
    c->in[i].rank = three ? 3 : 2;
    c->in[i].dim[0] = rows;
    c->in[i].dim[1] = three ? 1 : cols;
    c->in[i].dim[2] = cols;
}

static inline layer_case gemm_case(const gemm_row *r, char *params)
{
    static const int c_type[] = {-1, 0, 1, 4, 2, 3, 4};
    const bool ca = r->constants & 1, cb = r->constants & 2, cc = r->constants & 4 || r->c == 0,
               ta = r->form & 1, tb = r->form & 2;
    sprintf(params, "0=1.5 1=-0.5 2=%d 3=%d 4=%d 5=%d 6=%d 7=%d 8=%d 9=%d 10=%d 11=%d 14=%d 18=%d", ta, tb,
            ca, cb, cc, r->m, r->n, r->k, c_type[r->c], (r->form & 8) != 0, (r->form & 4) != 0, r->i8);
    layer_case c = {.type = "Gemm",
                    .params = params,
                    .n_out = 1,
                    .tol = r->i8 ? 1e-4 : 1e-5,
                    .reference = gemm_reference};
    int w = 0;
    if (ca) c.weights[w].kind = r->kind, c.weights[w++].n = (size_t)(r->m * r->k);
    else add_input(&c, ta ? r->k : r->m, ta ? r->m : r->k, r->form & 16);
    if (cb) c.weights[w].kind = r->kind, c.weights[w++].n = (size_t)(r->n * r->k);
    else add_input(&c, tb ? r->n : r->k, tb ? r->k : r->n, r->form & 16);
    if (r->c && cc) {
        const int n[] = {0, 1, r->m, r->n, r->m, r->m * r->n, r->n};
        c.weights[w].kind = r->kind == W_I8 ? W_F32 : r->kind, c.weights[w++].n = (size_t)n[r->c];
    } else if (r->c) {
        add_input(&c, r->c == 6 ? 1 : r->c == 1 ? 1 : r->c == 3 ? r->n : r->m, r->c == 4 ? 1 : r->n, false);
        if (r->c < 4) c.in[c.n_in - 1].rank = 1;
    }
    for (int i = 0; i < 2 && r->i8; i++)
        if (i ? cb : ca) {
            c.weights[w].kind = W_RAW, c.weights[w].n = i ? 1 : (size_t)r->m;
            c.weights[w].lo = 50, c.weights[w++].hi = 120;
        }
    return c;
}
