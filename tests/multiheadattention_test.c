// SPDX-License-Identifier: BSD-3-Clause
// multiheadattention_test.c - MultiHeadAttention: self and cross attention, masks, caches, f16, 8-bit and
// packed weights.
#include "attention_ref.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

enum { EMBED = 12 };
typedef struct widths {
    int q, k, v;
} widths;

static widths widths_of(const layer_case *c)
{
    return (widths){(int)case_param(c, 2, 0) / EMBED, (int)case_param(c, 3, EMBED),
                    (int)case_param(c, 4, EMBED)};
}

// Number i of row r of weights that are numbers, or packed in 8 bits.
static double weight(const layer_case *c, const tensor *w, int which, int r, int i, int cols)
{
    const int term = (int)case_param(c, 18, 0);
    const double v = w[2 * which].v[r * cols + i];
    if (term < 400) return v;
    const int block = 32 << term % 10, blocks = (cols + block - 1) / block;
    return v / w[8 + which].v[r * blocks + i / block] * (term / 10 % 10 ? w[12 + which].v[i] : 1);
}

// y[r * rows] = W x + b for n vectors; each: an 8-bit scale for each vector, or one for all.
static double *project(const layer_case *c, const tensor *w, int which, int rows, int cols, const double *x,
                       int n, bool each)
{
    const bool i8 = case_param(c, 18, 0) != 0 && case_param(c, 18, 0) < 400;
    double *y = calloc((size_t)rows * (size_t)n + 1, sizeof *y);
    for (int j = 0; j < n; j++)
        for (int r = 0; r < rows; r++) {
            const double s = each ? own_scale(x + j * cols, cols, 1) : own_scale(x, n * cols, 1);
            double sum = 0;
            for (int i = 0; i < cols; i++)
                sum += (i8 ? eight(x[j * cols + i], s) : x[j * cols + i]) * weight(c, w, which, r, i, cols);
            if (i8) sum /= s * w[8 + which].v[which == 3 ? 0 : r];
            y[j * rows + r] = sum + w[2 * which + 1].v[r];
        }
    return y;
}

static tensor turned(const double *past, int n_past, const double *now, int n)
{
    tensor t = tensor_new(2, (const int[]){EMBED, n_past + n});
    for (int r = 0; r < EMBED; r++) {
        for (int i = 0; i < n_past; i++) tensor_at(&t, r, i) = past[r * n_past + i];
        for (int i = 0; i < n; i++) tensor_at(&t, r, n_past + i) = now[i * EMBED + r];
    }
    return t;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const bool masked = case_param(c, 5, 0) != 0, cached = case_param(c, 7, 0) != 0;
    const int given = c->n_in - masked - 2 * cached, H = (int)case_param(c, 1, 1), d = EMBED / H,
              i8 = (int)case_param(c, 18, 0);
    const widths dim = widths_of(c);
    const tensor *q = in, *k = &in[given > 1], *v = &in[given - 1], *mask = masked ? &in[given] : NULL;
    const tensor *past = cached ? &in[given + masked] : NULL;
    const int rows = q->dim[0], n_past = past ? past->dim[1] : 0, n = given > 1 && n_past ? 0 : k->dim[0],
              keys = n_past + n;
    double *pq = project(c, w, 0, EMBED, dim.q, q->v, rows, false),
           *pk = project(c, w, 1, EMBED, dim.k, k->v, n, false);
    double *pv = project(c, w, 2, EMBED, dim.v, v->v, n, false),
           *mixed = calloc((size_t)(rows * EMBED) + 1, sizeof *mixed);
    tensor tk = turned(past ? past->v : NULL, n_past, pk, n),
           tv = turned(past ? past[1].v : NULL, n_past, pv, n);
    const double scale = case_param(c, 6, 1 / sqrt(d));
    for (int h = 0; h < H; h++) {
        const head_ref hq = {pq + h * d, EMBED, 1}, hk = {tk.v + h * d * keys, 1, keys},
                       hv = {tv.v + h * d * keys, 1, keys};
        const head_ref o = {mixed + h * d, EMBED, 1};
        attend_ref(rows, keys, d, d, &hq, &hk, &hv,
                   mask ? mask->v + (mask->rank == 3 ? h * rows * keys : 0) : NULL, scale, i8 && i8 < 400,
                   &o);
    }
    double *y = project(c, w, 3, dim.q, EMBED, mixed, rows, true);
    out[0] = tensor_new(2, (const int[]){rows, dim.q});
    memcpy(out[0].v, y, tensor_count(out) * sizeof *y);
    if (cached) out[1] = tk, out[2] = tv;
    else free(tk.v), free(tv.v);
    free(pq), free(pk), free(pv), free(mixed), free(y);
}

typedef struct row {
    const char *more;
    int given, heads, rows, keys, q, k, v, past, mask, term;  // past -1: no cache
    weight_kind kind;
} row;

static int add_weight(layer_case *c, int at, weight_kind kind, int n, double lo, double hi)
{
    c->weights[at].kind = kind;
    c->weights[at].n = (size_t)n;
    c->weights[at].lo = lo;
    c->weights[at].hi = hi;
    return at + 1;
}

static void add_input(layer_case *c, int rank, const int *dim)
{
    c->in[c->n_in].rank = rank;
    memcpy(c->in[c->n_in++].dim, dim, (size_t)rank * sizeof *dim);
}

static layer_case make(const row *r, char *params)
{
    const int n[] = {r->q, r->k, r->v, EMBED},
              all = r->past > 0 && r->given > 1 ? r->past : r->keys + (r->past > 0 ? r->past : 0);
    sprintf(params, "0=%d 1=%d 2=%d 3=%d 4=%d 5=%d 7=%d 18=%d %s", EMBED, r->heads, EMBED * r->q, r->k, r->v,
            r->mask != 0, r->past >= 0, r->term, r->more);
    layer_case c = {.type = "MultiHeadAttention",
                    .params = params,
                    .n_out = r->past >= 0 ? 3 : 1,
                    .reference = reference,
                    .tol = r->term && r->term < 400 ? 2e-2 : 1e-4};
    for (int i = 0; i < r->given; i++)
        add_input(&c, 2, (const int[]){i ? r->keys : r->rows, n[i == 1 && r->given == 2 ? 1 : i]});
    if (r->mask)
        add_input(&c, r->mask,
                  r->mask == 3 ? (const int[]){r->heads, r->rows, all} : (const int[]){r->rows, all});
    for (int i = 0; r->past >= 0 && i < 2; i++) add_input(&c, 2, (const int[]){EMBED, r->past});
    int at = 0;
    const bool i8 = r->kind == W_I8;
    for (int i = 0; i < 4; i++) {
        at = add_weight(&c, at, r->kind, (i == 3 ? r->q : EMBED) * n[i], i8 ? -127 : -0.5, i8 ? 127 : 0.5);
        at = add_weight(&c, at, W_RAW, i == 3 ? r->q : EMBED, -1, 1);
    }
    const int block = 32 << r->term % 10;
    for (int i = 0; r->term && i < 4; i++)
        at = r->term < 400 ? add_weight(&c, at, W_RAW, i == 3 ? 1 : EMBED, 200, 400)
                           : add_weight(&c, at, W_RAW, (i == 3 ? r->q : EMBED) * ((n[i] + block - 1) / block),
                                        200, 400);
    for (int i = 0; r->term >= 400 && r->term / 10 % 10 && i < 4; i++)
        at = add_weight(&c, at, W_RAW, n[i], 0.5, 2);
    return c;
}

static void check(const row *rows, size_t n)
{
    char params[160];
    for (size_t i = 0; i < n; i++) {
        const layer_case c = make(&rows[i], params);
        layer_check(&c);
    }
}

START_TEST(floats)
{
    static const row rows[] = {
        {"", 1, 3, 5, 5, 12, 12, 12, -1, 0, 0, W_F32},     {"", 2, 4, 7, 3, 5, 9, 9, -1, 0, 0, W_F32},
        {"6=0.7", 3, 1, 1, 17, 17, 5, 33, -1, 0, 0, W_F32}, {"", 3, 3, 4, 5, 12, 6, 7, -1, 2, 0, W_F16},
        {"", 1, 2, 3, 3, 8, 8, 8, -1, 3, 0, W_F32},        {"", 2, 2, 0, 3, 8, 8, 8, -1, 0, 0, W_F32}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(caches)
{
    static const row rows[] = {
        {"", 1, 3, 2, 2, 12, 12, 12, 5, 0, 0, W_F32}, {"", 1, 4, 1, 1, 9, 9, 9, 64, 2, 0, W_F16},
        {"", 3, 2, 3, 4, 5, 6, 7, 9, 2, 0, W_F32},    {"", 2, 2, 3, 4, 5, 6, 6, 0, 0, 0, W_F32},
        {"", 1, 3, 2, 2, 12, 12, 12, 0, 0, 0, W_F32}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

// The first step of a decoder: a vector of 0 for each cache.
START_TEST(no_past)
{
    static const row rows[] = {{"", 1, 3, 2, 2, 12, 12, 12, 0, 0, 0, W_F32},
                               {"", 3, 2, 3, 4, 5, 6, 7, 0, 2, 0, W_F32}};
    char params[160];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layer_case c = make(&rows[i], params);
        for (int k = c.n_in - 2; k < c.n_in; k++) c.in[k].rank = 1, memset(c.in[k].dim, 0, sizeof c.in[k].dim);
        layer_check(&c);
    }
}
END_TEST

START_TEST(eight_bits)
{
    static const row rows[] = {
        {"", 1, 3, 5, 5, 12, 12, 12, -1, 0, 2, W_I8}, {"", 3, 4, 3, 7, 5, 9, 17, -1, 2, 2, W_I8},
        {"", 1, 2, 1, 1, 8, 8, 8, 7, 0, 2, W_I8},     {"", 3, 2, 3, 4, 5, 6, 7, 9, 0, 2, W_I8}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(packed_weights)
{
    static const row rows[] = {{"", 1, 3, 5, 5, 40, 40, 40, -1, 0, 800, W_I8},
                               {"", 3, 4, 3, 7, 5, 70, 17, -1, 2, 811, W_I8},
                               {"", 1, 2, 1, 1, 8, 8, 8, 7, 0, 812, W_I8}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(refusals)
{
    char params[160];
    const row r = {"", 3, 3, 4, 5, 12, 6, 7, 9, 2, 0, W_F32};
    layer_case c = make(&r, params);
    c.reference = NULL;
    c.in[1].dim[1] = 5;
    layer_refuses(&c, EBB_E_SHAPE, "k is 5x5, must be positions x 6");
    c.in[1].dim[1] = 6;
    c.in[3].dim[1] = 8;
    layer_refuses(&c, EBB_E_SHAPE, "the mask is 4x8, must be 4x9 or 3x4x9");
    c.in[3].dim[1] = 9;
    c.in[5].dim[0] = 11;
    layer_refuses(&c, EBB_E_SHAPE, "the past values are 11x9, must be 12 x positions");
    c.n_in = 3;
    layer_refuses(&c, EBB_E_PARAM, "attn_mask 1 and kv_cache 1 want 1 to 3 inputs and 3 more");
    const row odd = {"", 1, 5, 4, 5, 12, 12, 12, -1, 0, 0, W_F32};
    c = make(&odd, params);
    layer_refuses(&c, EBB_E_PARAM, "embed_dim 12, num_heads 5");
    c.reference = NULL;
    static const char *const unfit[] = {"0=0", "0=12 1=0", "0=12 2=144 3=0", "0=12 2=144 4=0", "0=12 2=0",
                                        "0=12 2=145"};
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        c.params = unfit[i];
        layer_refuses(&c, EBB_E_PARAM, "do not fit together");
    }
    c.params = "0=12 1=3 2=144";
    c.n_in = 4;
    layer_refuses(&c, EBB_E_PARAM, "want 1 to 3 inputs and 0 more, and 1 outputs; there are 4 and 1");
    c.n_in = 1, c.n_out = 2;
    layer_refuses(&c, EBB_E_PARAM, "and 1 outputs; there are 1 and 2");
    c.params = "0=12 1=3 2=144 7=1";
    layer_refuses(&c, EBB_E_PARAM, "and 3 outputs; there are 1 and 2");
}
END_TEST

// Input i of a layer that fits is made rank x dims.
START_TEST(each_input_must_fit)
{
    static const row masked = {"", 3, 3, 4, 5, 12, 6, 7, -1, 2, 0, W_F32},
                     cached = {"", 1, 3, 4, 4, 12, 12, 12, 5, 0, 0, W_F32};
    static const struct {
        const row *r;
        int input, rank, dim[4];
        const char *words;
    } t[] = {{&masked, 0, 1, {12}, "q is 12, must be positions x 12"},
             {&masked, 2, 2, {6, 7}, "there are 5 keys and 6 values"},
             {&masked, 1, 2, {0, 6}, "there are 0 keys and 5 values"},
             {&masked, 3, 1, {5}, "the mask is 5, must be 4x5 or 3x4x5"},
             {&masked, 3, 4, {1, 3, 4, 5}, "the mask is 1x3x4x5, must"},
             {&masked, 3, 2, {3, 5}, "the mask is 3x5, must"},
             {&masked, 3, 3, {2, 4, 5}, "the mask is 2x4x5, must"},
             {&cached, 1, 3, {1, 12, 5}, "the past keys are 1x12x5, must be 12 x positions"},
             {&cached, 1, 2, {11, 5}, "the past keys are 11x5, must"},
             {&cached, 2, 2, {12, 4}, "the past values are 12x4, must"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char params[160];
        layer_case c = make(t[i].r, params);
        c.reference = NULL;
        c.in[t[i].input].rank = t[i].rank;
        memcpy(c.in[t[i].input].dim, t[i].dim, sizeof t[i].dim);
        layer_refuses(&c, EBB_E_SHAPE, t[i].words);
    }
}
END_TEST

int main(void)
{
    return run_tests("multiheadattention", (const test_entry[]){{"floats", floats},
                                                                {"caches", caches},
                                                                {"no past", no_past},
                                                                {"eight bits", eight_bits},
                                                                {"packed", packed_weights},
                                                                {"each_input_must_fit", each_input_must_fit}, {"refusals", refusals},
                                                                {0}});
}
