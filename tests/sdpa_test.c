// SPDX-License-Identifier: BSD-3-Clause
// sdpa_test.c - SDPA: masks, grouped heads, scales, caches that grow, 8 bits, against attention in double
// precision.
#include "attention_ref.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

// past followed by now, along the rows.
static tensor joined(const tensor *past, const tensor *now)
{
    const int g = now->dim[0], a = past ? past->dim[1] : 0, b = now->dim[1], w = now->dim[2];
    tensor t = tensor_new(3, (const int[]){g, a + b, w});
    for (int h = 0; h < g; h++) {
        for (int i = 0; i < a * w; i++) t.v[h * (a + b) * w + i] = past->v[h * a * w + i];
        for (int i = 0; i < b * w; i++) t.v[(h * (a + b) + a) * w + i] = now->v[h * b * w + i];
    }
    return t;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const bool masked = case_param(c, 5, 0) != 0, cached = case_param(c, 7, 0) != 0;
    const tensor *past = cached ? &in[masked ? 4 : 3] : NULL, *mask = masked ? &in[3] : NULL;
    tensor k = joined(past, &in[1]), v = joined(past ? past + 1 : NULL, &in[2]);
    const int H = in->dim[0], G = k.dim[0], rows = in->dim[1], keys = k.dim[1], d = in->dim[2], dv = v.dim[2];
    const double scale = case_param(c, 6, 0) == 0 ? 1 / sqrt(d ? d : 1) : case_param(c, 6, 0);
    out[0] = tensor_new(3, (const int[]){H, rows, dv});
    for (int h = 0; h < H; h++) {
        const int g = h / (H / G);
        const head_ref hq = {in->v + h * rows * d, d, 1}, hk = {k.v + g * keys * d, d, 1},
                       hv = {v.v + g * keys * dv, dv, 1};
        const head_ref o = {out[0].v + h * rows * dv, dv, 1};
        const double *m = mask ? mask->v + (mask->rank == 3 && mask->dim[0] > 1 ? h * rows * keys : 0) : NULL;
        attend_ref(rows, keys, d, dv, &hq, &hk, &hv, m, scale, case_param(c, 18, 0) != 0, &o);
    }
    if (cached) out[1] = k, out[2] = v;
    else free(k.v), free(v.v);
}

typedef struct row {
    const char *params;
    int heads, groups, rows, keys, d, dv, past, mask;  // past -1: no cache; mask: 0 none, 2 or 3 its rank
} row;

static layer_case make(const row *r)
{
    layer_case c = {.type = "SDPA",
                    .params = r->params,
                    .n_in = 3,
                    .n_out = 1,
                    .tol = 1e-5,
                    .reference = reference,
                    .in = {{.rank = 3, .dim = {r->heads, r->rows, r->d}, .lo = -3, .hi = 3},
                           {.rank = 3, .dim = {r->groups, r->keys, r->d}, .lo = -3, .hi = 3},
                           {.rank = 3, .dim = {r->groups, r->keys, r->dv}}}};
    if (strstr(r->params, "18=")) c.tol = 1e-2;  // a probability on the edge between two steps
    const int all = r->keys + (r->past > 0 ? r->past : 0);
    if (r->mask) {
        const int i = c.n_in++;
        c.in[i].rank = r->mask;
        memcpy(c.in[i].dim,
               r->mask == 3 ? (const int[4]){r->heads, r->rows, all} : (const int[4]){r->rows, all},
               sizeof c.in[i].dim);
    }
    for (int j = 0; r->past >= 0 && j < 2; j++) {
        const int i = c.n_in++;
        c.in[i].rank = 3;
        memcpy(c.in[i].dim, (const int[4]){r->groups, r->past, j ? r->dv : r->d}, sizeof c.in[i].dim);
        c.n_out = 3;
    }
    return c;
}

static void check(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const layer_case c = make(&rows[i]);
        layer_check(&c);
    }
}

START_TEST(plain)
{
    static const row rows[] = {{"", 1, 1, 1, 1, 1, 1, -1, 0},          {"", 3, 3, 5, 7, 8, 8, -1, 0},
                               {"6=0.25", 6, 2, 17, 33, 5, 3, -1, 0},  {"6=-0.4", 4, 1, 1, 9, 16, 33, -1, 0},
                               {"5=1", 3, 3, 5, 7, 8, 4, -1, 2},       {"5=1", 4, 2, 3, 5, 4, 4, -1, 3},
                               {"", 2, 1, 3, 260, 3, 5, -1, 0},        {"", 3, 3, 0, 7, 8, 8, -1, 0},
                               {"", 8, 2, 1, 131, 17, 17, -1, 0},
                               {"", 2, 1, 2, 3, 0, 4, -1, 0}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

START_TEST(caches)
{
    static const row rows[] = {{"7=1", 4, 2, 3, 3, 5, 4, 9, 0},
                               {"7=1", 4, 2, 1, 1, 5, 4, 65, 0},
                               {"7=1", 2, 2, 4, 4, 3, 3, 0, 0},
                               {"5=1 7=1", 3, 3, 2, 5, 4, 7, 3, 2}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

// The first step of a decoder: a vector of 0 for each cache.
START_TEST(no_past)
{
    static const row rows[] = {{"7=1", 4, 2, 3, 3, 5, 4, 0, 0}, {"5=1 7=1", 3, 3, 2, 5, 4, 7, 0, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        layer_case c = make(&rows[i]);
        for (int k = c.n_in - 2; k < c.n_in; k++) c.in[k].rank = 1, memset(c.in[k].dim, 0, sizeof c.in[k].dim);
        layer_check(&c);
        c.reference = NULL;
        c.in[c.n_in - 1].dim[0] = 3;
        layer_refuses(&c, EBB_E_SHAPE, "the past values are 3, which does not continue");
    }
}
END_TEST

START_TEST(eight_bits)
{
    static const row rows[] = {{"18=2", 3, 3, 5, 7, 8, 8, -1, 0}, {"18=2 5=1", 4, 2, 3, 17, 33, 5, -1, 3},
                               {"18=2 7=1 6=0.5", 4, 1, 1, 2, 9, 17, 5, 0}};
    check(rows, sizeof rows / sizeof *rows);
}
END_TEST

static void mask_out(const layer_case *c, int i, tensor *in)
{
    (void)c;
    for (size_t j = 0; i == 3 && j < tensor_count(in); j++)
        in->v[j] = j < (size_t)in->dim[1] || j % 3 == 0 ? -INFINITY : 0;  // the first row has no key at all
}

static void no_key(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    reference(c, in, w, out);
    for (int h = 0; h < out->dim[0]; h++)
        for (int i = 0; i < out->dim[2]; i++) tensor_at(out, h, 0, i) = 0;
}

START_TEST(minus_infinity_hides_keys)
{
    static const row r = {"5=1", 2, 2, 3, 200, 4, 5, -1, 2};
    layer_case c = make(&r);
    c.fill = mask_out;
    c.reference = no_key;
    layer_check(&c);
}
END_TEST

// A mask of rank 3 with one head is every head's.
START_TEST(one_mask_for_all_heads)
{
    static const row r = {"5=1", 4, 2, 3, 5, 4, 4, -1, 3};
    layer_case c = make(&r);
    c.in[3].dim[0] = 1;
    layer_check(&c);
}
END_TEST

// Input i of a layer that fits is made rank x dims.
static void refuses_input(const row *r, int i, int rank, const int *dim, const char *words)
{
    layer_case c = make(r);
    c.reference = NULL;
    c.in[i].rank = rank;
    memcpy(c.in[i].dim, dim, (size_t)rank * sizeof *dim);
    layer_refuses(&c, EBB_E_SHAPE, words);
}

START_TEST(each_input_must_fit)
{
    static const row bare = {"", 4, 2, 5, 7, 8, 6, -1, 0}, masked = {"5=1", 4, 2, 5, 7, 8, 6, -1, 2},
                     cached = {"7=1", 4, 2, 1, 3, 8, 6, 5, 0}, empty = {"7=1", 1, 1, 1, 1, 0, 0, 0, 0};
    static const struct {
        const row *r;
        int input, rank, dim[4];
        const char *words;
    } t[] = {{&bare, 0, 2, {5, 8}, "q 5x8, k 2x7x8 and v 2x7x6 do not fit"},
             {&bare, 1, 2, {7, 8}, "k 7x8 and v"},
             {&bare, 2, 2, {7, 6}, "v 7x6 do not fit"},
             {&bare, 1, 3, {2, 7, 9}, "k 2x7x9 and"},
             {&bare, 2, 3, {1, 7, 6}, "v 1x7x6 do not fit"},
             {&bare, 2, 3, {2, 8, 6}, "v 2x8x6 do not fit"},
             {&masked, 3, 1, {7}, "the mask is 7, must be 5x7 or 4x5x7"},
             {&masked, 3, 4, {1, 4, 5, 7}, "the mask is 1x4x5x7, must"},
             {&masked, 3, 2, {6, 7}, "the mask is 6x7, must"},
             {&masked, 3, 3, {2, 5, 7}, "the mask is 2x5x7, must"},
             {&cached, 3, 3, {2, 5, 7}, "the past keys are 2x5x7, which does not continue to 2x3x8"},
             {&cached, 3, 3, {1, 5, 8}, "the past keys are 1x5x8, which"},
             {&cached, 4, 2, {5, 6}, "the past values are 5x6, which"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        refuses_input(t[i].r, t[i].input, t[i].rank, t[i].dim, t[i].words);
    layer_case c = make(&empty);
    c.reference = NULL;
    c.in[3].dim[1] = c.in[4].dim[1] = INT32_MAX;
    layer_refuses(&c, EBB_E_SHAPE, "there are 2147483648 keys to attend to");
    c = make(&bare);
    c.reference = NULL;
    c.n_out = 2;
    layer_refuses(&c, EBB_E_PARAM, "want 3 inputs and 1 outputs, there are 3 and 2");
    c = make(&bare);
    c.reference = NULL;
    c.in[1].dim[0] = c.in[2].dim[0] = 0;
    layer_refuses(&c, EBB_E_SHAPE, "k 0x7x8 and v 0x7x6 do not fit");
}
END_TEST

START_TEST(refusals)
{
    static const row r = {"", 3, 2, 5, 7, 8, 8, -1, 0};
    layer_case c = make(&r);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "q 3x5x8, k 2x7x8 and v 2x7x8 do not fit");
    c.params = "5=1";
    layer_refuses(&c, EBB_E_PARAM,
                  "attn_mask 1 and kv_cache 0 want 4 inputs and 1 outputs, there are 3 and 1");
    c.in[0].dim[0] = 2;
    c.n_in = 4;
    c.in[3].rank = 2;
    c.in[3].dim[0] = 5;
    c.in[3].dim[1] = 6;
    layer_refuses(&c, EBB_E_SHAPE, "the mask is 5x6, must be 5x7 or 2x5x7");
    c.params = "";
    c.n_in = 3;
    c.in[1].dim[1] = c.in[2].dim[1] = 0;
    layer_refuses(&c, EBB_E_SHAPE, "there are 0 keys");
    const row cached = {"7=1", 2, 2, 1, 1, 4, 4, 5, 0};
    c = make(&cached);
    c.reference = NULL;
    c.in[4].dim[1] = 6;
    layer_refuses(&c, EBB_E_SHAPE, "the past values are 2x6x4, which does not continue to 2x1x4");
}
END_TEST

int main(void)
{
    return run_tests("sdpa", (const test_entry[]){{"plain", plain},
                                                  {"caches", caches},
                                                  {"no past", no_past},
                                                  {"eight bits", eight_bits},
                                                  {"hidden keys", minus_infinity_hides_keys},
                                                  {"one_mask_for_all_heads", one_mask_for_all_heads},
                                                  {"each_input_must_fit", each_input_must_fit},
                                                  {"refusals", refusals},
                                                  {0}});
}
