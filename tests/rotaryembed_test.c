// SPDX-License-Identifier: BSD-3-Clause
// rotaryembed_test.c - RotaryEmbed: both ways to pair, half and whole tables, tables with more positions than
// needed.
#include "harness.h"

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int r = in->rank, n = in->dim[r - 1], h = in->dim[r - 2], half = n / 2,
              cols = in[1].dim[in[1].rank - 1];
    out[0] = tensor_new(r, in->dim);
    for (size_t line = 0; line < tensor_count(in) / (size_t)(n ? n : 1); line++)
        for (int i = 0; i < half; i++) {
            const bool near = case_param(c, 0, 0) != 0;
            const int a = near ? 2 * i : i, b = near ? 2 * i + 1 : half + i, row = (int)line % h * cols;
            const double x = in->v[line * (size_t)n + (size_t)a], y = in->v[line * (size_t)n + (size_t)b];
            const double *cs = in[1].v + row + i, *sn = in[2].v + row + i;
            const int more = cols == n && !near ? half : 0;
            out[0].v[line * (size_t)n + (size_t)a] = x * cs[0] - y * sn[0];
            out[0].v[line * (size_t)n + (size_t)b] = x * sn[more] + y * cs[more];
        }
}

static layer_case make(const char *params, int heads, int h, int w, int rows, int cols)
{
    return (layer_case){.type = "RotaryEmbed",
                        .params = params,
                        .n_in = 3,
                        .n_out = 1,
                        .tol = 1e-6,
                        .reference = reference,
                        .in = {{.rank = 3, .dim = {heads, h, w}},
                               {.rank = 2, .dim = {rows, cols}},
                               {.rank = 2, .dim = {rows, cols}}}};
}

START_TEST(pairs)
{
    static const struct { const char *params; int heads, h, w, rows, cols; } rows[] = {
        {"0=0", 3, 5, 34, 5, 17}, {"0=1", 3, 5, 34, 5, 17}, {"0=0", 1, 1, 2, 1, 1}, {"0=1", 2, 3, 2, 3, 1},
        {"0=0", 2, 3, 66, 9, 33}, {"0=0", 2, 3, 34, 3, 34}, {"0=1", 17, 1, 8, 2, 4}, {"0=0", 2, 0, 4, 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c =
            make(rows[i].params, rows[i].heads, rows[i].h, rows[i].w, rows[i].rows, rows[i].cols);
        layer_check(&c);
    }
}
END_TEST

START_TEST(ranks)
{
    layer_case c = make("0=0", 5, 6, 0, 5, 3);
    c.in[0].rank = 2;
    layer_check(&c);
    c = make("0=0", 2, 5, 6, 0, 0);
    for (int i = 1; i < 3; i++) {
        c.in[i].rank = 3;
        c.in[i].dim[0] = 1, c.in[i].dim[1] = 5, c.in[i].dim[2] = 3;
    }
    layer_check(&c);
}
END_TEST

START_TEST(refusals)
{
    layer_case c = make("0=0", 2, 5, 7, 5, 3);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "2x5x7, must be heads x positions x an even width");
    c.in[0].dim[2] = 8;
    layer_refuses(&c, EBB_E_SHAPE, "cos is 5x3 and sin 5x3, the input 2x5x8 needs 5x4");
    c.params = "0=1";
    c.in[1].dim[1] = c.in[2].dim[1] = 8;
    layer_refuses(&c, EBB_E_SHAPE, "needs 5x4");
    static const struct {
        int input, rank, dim[4];
        const char *words;
    } t[] = {{0, 1, {8}, "the input is 8, must be heads"},
             {0, 4, {1, 2, 5, 8}, "the input is 1x2x5x8, must be heads"},
             {1, 1, {4}, "cos is 4 and sin 5x4"},
             {1, 2, {4, 4}, "cos is 4x4 and sin 5x4"},
             {1, 3, {2, 5, 4}, "cos is 2x5x4 and sin 5x4"},
             {2, 2, {5, 3}, "cos is 5x4 and sin 5x3"},
             {2, 2, {5, 8}, "cos is 5x4 and sin 5x8"},
             {1, 2, {5, 8}, "cos is 5x8 and sin 5x4"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        layer_case b = make("0=0", 2, 5, 8, 5, 4);
        b.reference = NULL;
        b.in[t[i].input].rank = t[i].rank;
        for (int k = 0; k < 4; k++) b.in[t[i].input].dim[k] = t[i].dim[k];
        layer_refuses(&b, EBB_E_SHAPE, t[i].words);
    }
}
END_TEST

int main(void)
{
    return run_tests("rotaryembed",
                     (const test_entry[]){{"pairs", pairs}, {"ranks", ranks}, {"refusals", refusals}, {0}});
}
