// SPDX-License-Identifier: BSD-3-Clause
// detectionoutput_test.c - DetectionOutput against its formulas in double precision.
#include "naive_boxes.h"

enum { BY_CLASS = -233 };

static naive_box decode(const layer_case *c, const tensor *in, int prior, int priors)
{
    static const double usual[] = {0.1, 0.1, 0.2, 0.2};
    const bool by_class = case_param(c, 0, 0) == BY_CLASS;
    const double *d = in[0].v + prior * 4, *q = in[2].v + prior * 4, *var = in[2].v + priors * 4 + prior * 4;
    double v[4];
    for (int i = 0; i < 4; i++) v[i] = by_class ? case_param(c, 5 + i, usual[i]) : var[i];
    const double w = exp(v[2] * d[2]) * (q[2] - q[0]), h = exp(v[3] * d[3]) * (q[3] - q[1]);
    const double cx = v[0] * d[0] * (q[2] - q[0]) + (q[0] + q[2]) / 2,
                 cy = v[1] * d[1] * (q[3] - q[1]) + (q[1] + q[3]) / 2;
    return (naive_box){.x0 = cx - w / 2, .y0 = cy - h / 2, .x1 = cx + w / 2, .y1 = cy + h / 2};
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const bool by_class = case_param(c, 0, 0) == BY_CLASS;
    const int priors = by_class ? in[2].dim[0] : in[2].dim[1] / 4;
    const int classes = by_class ? in[1].dim[0] : (int)case_param(c, 0, 0);
    const double sure = case_param(c, 4, 0.5), top = case_param(c, 2, 300), keep = case_param(c, 3, 100);
    naive_box *all = calloc((size_t)(priors * classes) + 1, sizeof *all);
    int n = 0;
    for (int k = 1; k < classes; k++) {
        naive_box *b = all + n;
        int found = 0;
        for (int i = 0; i < priors; i++) {
            const double background = in[1].v[by_class ? i : i * classes];
            const double score = in[1].v[by_class ? k * priors + i : i * classes + k];
            if (background >= 1 - (double)(float)sure || !(score > (float)sure)) continue;
            b[found] = decode(c, in, i, priors);
            b[found].label = k;
            b[found++].score = score;
        }
        naive_sort(b, found);
        if (top >= 0 && found > top) found = (int)top;
        n += naive_suppress(b, found, case_param(c, 1, 0.05));
    }
    naive_sort(all, n);
    if (keep >= 0 && n > keep) n = (int)keep;
    out[0] = naive_rows(all, n);
    free(all);
}

// Scores that all differ, priors with two corners in order.
static void fill(const layer_case *c, int i, tensor *in)
{
    (void)c;
    const size_t n = tensor_count(in);
    if (i == 1)
        for (size_t k = 0; k < n; k++) in->v[k] = (float)naive_distinct(k);
    if (i == 2)
        for (size_t k = 0; k + 3 < n; k += 4) {
            const bool variances = in->dim[0] == 2 && k >= n / 2;
            for (size_t j = 0; j < 4; j++)
                in->v[k + j] = variances ? 0.125 * (double)(1 + (k / 4 + j) % 3) : in->v[k + j] * 0.25;
            if (!variances) in->v[k + 2] = in->v[k] + 0.5, in->v[k + 3] = in->v[k + 1] + 0.375;
        }
}

static void fill_no_numbers(const layer_case *c, int i, tensor *in)
{
    fill(c, i, in);
    if (i == 1)
        for (size_t k = 0; k < tensor_count(in); k += 5) in->v[k] = NAN;
}

START_TEST(ssd)
{
    static const char *const params[] = {
        "0=3 4=0.25", "0=3 1=0.45 2=400 3=200 4=0.1", "0=3 1=0.45 2=3 3=4 4=0.3", "0=3 1=1.0 2=-1 3=-1 4=0.2",
        "0=3 4=2.0", "0=3 3=0 4=0.1", "0=3 2=0 4=0.1",
    };
    for (int priors = 1; priors <= 33; priors += 8)
        for (size_t p = 0; p < sizeof params / sizeof *params; p++)
            layer_check(&(layer_case){.type = "DetectionOutput",
                                      .params = params[p],
                                      .n_in = 3,
                                      .n_out = 1,
                                      .tol = 2e-6,
                                      .reference = reference,
                                      .fill = p % 2 ? fill_no_numbers : fill,
                                      .in = {{.rank = 1, .dim = {priors * 4}},
                                             {.rank = 1, .dim = {priors * 3}},
                                             {.rank = 2, .dim = {2, priors * 4}}}});
    // Only background, no priors, and offsets and scores that are still maps.
    layer_check(&(layer_case){
        .type = "DetectionOutput",
        .params = "0=1",
        .n_in = 3,
        .n_out = 1,
        .reference = reference,
        .in = {{.rank = 1, .dim = {20}}, {.rank = 1, .dim = {5}}, {.rank = 2, .dim = {2, 20}}}});
    layer_check(
        &(layer_case){.type = "DetectionOutput",
                      .params = "0=4",
                      .n_in = 3,
                      .n_out = 1,
                      .reference = reference,
                      .in = {{.rank = 1, .dim = {0}}, {.rank = 1, .dim = {0}}, {.rank = 2, .dim = {2, 0}}}});
    layer_check(&(layer_case){
        .type = "DetectionOutput",
        .params = "0=3 4=0.25",
        .n_in = 3,
        .n_out = 1,
        .tol = 2e-6,
        .reference = reference,
        .fill = fill,
        .in = {{.rank = 2, .dim = {6, 4}}, {.rank = 2, .dim = {6, 3}}, {.rank = 2, .dim = {2, 24}}}});
}
END_TEST

START_TEST(scores_by_class)
{
    static const char *const params[] = {"0=-233 4=0.25", "0=-233 1=0.45 4=0.1 5=0.2 6=0.3 7=0.4 8=0.5"};
    for (int p = 0; p < 2; p++)
        layer_check(&(layer_case){
            .type = "DetectionOutput",
            .params = params[p],
            .n_in = 3,
            .n_out = 1,
            .tol = 2e-6,
            .reference = reference,
            .fill = fill,
            .in = {{.rank = 1, .dim = {17 * 4}}, {.rank = 2, .dim = {4, 17}}, {.rank = 2, .dim = {17, 4}}}});
}
END_TEST

START_TEST(mistakes_are_explained)
{
    const layer_case like = {.type = "DetectionOutput", .params = "0=3", .n_in = 3, .n_out = 1,
                             .in = {{.rank = 1, .dim = {20}}, {.rank = 1, .dim = {15}}, {.rank = 2,
                             .dim = {2, 20}}}};
    layer_case c = like;
    c.params = "0=0";
    layer_refuses(&c, EBB_E_PARAM, "num_class is 0");
    c = like, c.in[2].dim[0] = 1;
    layer_refuses(&c, EBB_E_SHAPE, "priors are 1x20; 2 rows");
    c = like, c.in[1].dim[0] = 14;
    layer_refuses(&c, EBB_E_SHAPE, "20 offsets and 15 scores, not 20 and 14");
    c = like, c.in[0].dim[0] = 16;
    layer_refuses(&c, EBB_E_SHAPE, "not 16 and 15");
    c = like, c.params = "0=-233";
    layer_refuses(&c, EBB_E_SHAPE, "n x 4 expected");
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"ssd", ssd}, {"scores_by_class", scores_by_class}, {"mistakes_are_explained",
         mistakes_are_explained}, {0}};
    return run_tests("detectionoutput", tests);
}
