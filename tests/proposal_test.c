// SPDX-License-Identifier: BSD-3-Clause
// proposal_test.c - Proposal against its formulas in double precision.
#include "naive_boxes.h"

enum { ANCHORS = 9 };
static const double image[3] = {60, 90, 0.5};  // height, width, scale

static naive_box region(const layer_case *c, const tensor *in, int q, int y, int x)
{
    static const double ratio[] = {0.5, 1, 2}, scale[] = {8, 16, 32};
    const double base = case_param(c, 1, 16), stride = case_param(c, 0, 16);
    const double w = round(base / sqrt(ratio[q / 3])), h = round(w * ratio[q / 3]), s = scale[q % 3];
    const double cx = base / 2 + x * stride + w * s * tensor_at(&in[1], 4 * q, y, x);
    const double cy = base / 2 + y * stride + h * s * tensor_at(&in[1], 4 * q + 1, y, x);
    const double bw = w * s * exp(tensor_at(&in[1], 4 * q + 2, y, x)),
                 bh = h * s * exp(tensor_at(&in[1], 4 * q + 3, y, x));
    return (naive_box){.score = tensor_at(&in[0], q + ANCHORS, y, x),
                       .x0 = fmax(fmin(cx - bw / 2, image[1] - 1), 0),
                       .y0 = fmax(fmin(cy - bh / 2, image[0] - 1), 0),
                       .x1 = fmax(fmin(cx + bw / 2, image[1] - 1), 0),
                       .y1 = fmax(fmin(cy + bh / 2, image[0] - 1), 0)};
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const double top = case_param(c, 2, 6000), keep = case_param(c, 3, 300),
                 least = case_param(c, 5, 16) * image[2];
    naive_box *all = calloc(10000, sizeof *all);
    int n = 0;
    for (int q = 0; q < ANCHORS; q++)
        for (int y = 0; y < in[0].dim[1]; y++)
            for (int x = 0; x < in[0].dim[2]; x++) {
                const naive_box b = region(c, in, q, y, x);
                if (b.x1 - b.x0 + 1 >= least && b.y1 - b.y0 + 1 >= least && !isnan(b.score)) all[n++] = b;
            }
    naive_sort(all, n);
    if (top > 0 && n > top) n = (int)top;
    n = naive_suppress(all, n, case_param(c, 4, 0.7));
    if (n > keep) n = (int)keep;
    for (int k = 0; k < c->n_out; k++) out[k] = tensor_new(3, (const int[]){n, 1, k ? 1 : 4});
    for (int i = 0; i < n; i++) {
        memcpy(out[0].v + 4 * i, &all[i].x0, 4 * sizeof(double));
        if (c->n_out > 1) out[1].v[i] = all[i].score;
    }
    free(all);
}

static void fill(const layer_case *c, int i, tensor *in)
{
    (void)c;
    for (size_t k = 0; k < tensor_count(in); k++) {
        if (i == 0) in->v[k] = k % 41 == 5 ? NAN : (float)naive_distinct(k);
        if (i == 1) in->v[k] = (k * 89 % 127) / 32. - 2;
        if (i == 2) in->v[k] = image[k % 3];
    }
}

START_TEST(regions)
{
    static const char *const params[] = {"",       "0=8 1=4 3=7", "1=3 2=10 4=0.3 5=1", "1=2 2=0 4=0.5 5=30",
                                         "5=1000", "3=0"};
    for (size_t p = 0; p < sizeof params / sizeof *params; p++)
        for (int n_out = 1; n_out <= 2; n_out++)
            layer_check(&(layer_case){.type = "Proposal",
                                      .params = params[p],
                                      .n_in = 3,
                                      .n_out = n_out,
                                      .tol = 2e-5,
                                      .reference = reference,
                                      .fill = fill,
                                      .in = {{.rank = 3, .dim = {18, 3, 5}},
                                             {.rank = 3, .dim = {36, 3, 5}},
                                             {.rank = 1, .dim = {3}}}});
}
END_TEST

START_TEST(mistakes_are_explained)
{
    const layer_case like = {.type = "Proposal", .params = "", .n_in = 3, .n_out = 1,
                             .in = {{.rank = 3, .dim = {18, 3, 5}}, {.rank = 3,
                             .dim = {36, 3, 5}}, {.rank = 1, .dim = {3}}}};
    layer_case c = like;
    c.in[0].dim[0] = 17;
    layer_refuses(&c, EBB_E_SHAPE, "are 17x3x5, 36x3x5 and 3; 18 x h x w");
    c = like, c.in[1].dim[2] = 4;
    layer_refuses(&c, EBB_E_SHAPE, "36x3x4");
    c = like, c.in[0].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "are 18x3, 36x3x5 and 3");
    c = like, c.in[1].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "are 18x3x5, 36x3 and 3");
    c = like, c.in[1].dim[0] = 35;
    layer_refuses(&c, EBB_E_SHAPE, "are 18x3x5, 35x3x5 and 3");
    c = like, c.in[1].dim[1] = 4;
    layer_refuses(&c, EBB_E_SHAPE, "are 18x3x5, 36x4x5 and 3");
    c = like, c.in[2].dim[0] = 2;
    layer_refuses(&c, EBB_E_SHAPE, "and 2; 18");
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"regions", regions}, {"mistakes_are_explained", mistakes_are_explained}, {0}};
    return run_tests("proposal", tests);
}
