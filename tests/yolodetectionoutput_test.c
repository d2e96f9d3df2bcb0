// SPDX-License-Identifier: BSD-3-Clause
// yolodetectionoutput_test.c - both YOLO detection layers against their formulas in double precision.
#include "naive_boxes.h"

static int best_class(const double *v, int classes, int cells)
{
    int best = 0;
    for (int q = 1; q < classes; q++)
        if (v[q * cells] > v[best * cells]) best = q;
    return best;
}

static double score_of(bool v3, double box, const double *v, int classes, int cells)
{
    const double top = v[best_class(v, classes, cells) * cells];
    if (v3) return 1 / (1 + exp(-box) * (1 + exp(-top)));
    double sum = 0;
    for (int q = 0; q < classes; q++) sum += exp(v[q * cells]);
    return naive_sigmoid(box) * exp(top) / sum;
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const bool v3 = c->type[4] == 'v';
    const int classes = (int)case_param(c, 0, 20), boxes = (int)case_param(c, 1, 5);
    double bias[32], mask[32], scale[8];
    case_array(c, 4, bias, 32), case_array(c, 5, mask, 32), case_array(c, 6, scale, 8);
    naive_box *all = calloc(10000, sizeof *all);
    int n = 0;
    for (int i = 0; i < c->n_in; i++)
        for (int p = 0; p < boxes; p++) {
            const int h = in[i].dim[1], w = in[i].dim[2], cells = h * w;
            const int anchor = v3 ? (int)mask[i * boxes + p] : p;
            const double net_w = v3 ? trunc(scale[i] * w) : w, net_h = v3 ? trunc(scale[i] * h) : h;
            for (int at = 0; at < cells; at++) {
                const double *v = in[i].v + p * (classes + 5) * cells + at;
                const double score = score_of(v3, v[4 * cells], v + 5 * cells, classes, cells);
                if (!(score >= case_param(c, 2, 0.01))) continue;
                const double cx = (at % w + naive_sigmoid(v[0])) / w,
                             cy = (at / w + naive_sigmoid(v[cells])) / h;
                const double bw = exp(v[2 * cells]) * bias[2 * anchor] / net_w,
                             bh = exp(v[3 * cells]) * bias[2 * anchor + 1] / net_h;
                all[n++] = (naive_box){best_class(v + 5 * cells, classes, cells) + 1,
                                       score,
                                       cx - bw / 2,
                                       cy - bh / 2,
                                       cx + bw / 2,
                                       cy + bh / 2};
            }
        }
    naive_sort(all, n);
    out[0] = naive_rows(all, naive_suppress(all, n, case_param(c, 3, 0.45)));
    free(all);
}

// Scores that all differ, in any cell and box of any input.
static void fill(const layer_case *c, int i, tensor *in)
{
    const int classes = (int)case_param(c, 0, 20), cells = in->dim[1] * in->dim[2];
    size_t at = (size_t)i * 499;
    for (int ch = 0; ch < in->dim[0]; ch++)
        for (int k = 0; k < cells; k++) {
            double *v = in->v + ch * cells + k;
            const int kind = ch % (classes + 5);
            if (kind == 4) *v = (float)(8 * naive_distinct(at++) - 4);
            if (kind > 4) *v = kind == 5 + (k + ch) % classes ? 1.5 : *v;
        }
}

static void fill_no_numbers(const layer_case *c, int i, tensor *in)
{
    fill(c, i, in);
    for (size_t k = 0; k < tensor_count(in); k += 7)
        if ((int)k / (in->dim[1] * in->dim[2]) % ((int)case_param(c, 0, 20) + 5) == 4) in->v[k] = NAN;
}

static layer_case v3_case(const char *params)
{
    return (layer_case){.type = "Yolov3DetectionOutput", .params = params, .n_in = 2, .n_out = 1, .tol = 2e-5,
                        .reference = reference, .fill = fill,
                        .in = {{.rank = 3, .dim = {16, 5, 3}}, {.rank = 3, .dim = {16, 7, 9}}}};
}

START_TEST(v3)
{
    static const char *const params[] = {
        "0=3 1=2 2=0.3 -23304=8,10.0,14.0,23.0,27.0,37.0,58.0,81.0,82.0 -23305=4,2.0,3.0,0.0,1.0 "
        "-23306=2,33.6,16.8",
        "0=3 1=2 2=0.5 3=0.1 4=10.0,14.0,23.0,27.0,37.0,58.0,81.0,82.0 5=2.0,3.0,0.0,1.0 6=8.0,16.0",
        "0=3 1=2 2=0.0 3=0.9 -23304=8,10.0,14.0,23.0,27.0,37.0,58.0,81.0,82.0 -23305=4,2.0,3.0,0.0,1.0 "
        "-23306=2,33.6,16.8",
        "0=3 1=2 2=1.5 -23304=4,10.0,14.0,23.0,27.0 -23305=4,0.0,1.0,1.0,0.0 -23306=2,33.6,16.8",
    };
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        layer_case c = v3_case(params[i]);
        layer_check(&c);
        if (i == 0) c.fill = fill_no_numbers, layer_check(&c);
    }
    layer_case empty = v3_case(params[0]);
    empty.in[0].dim[1] = empty.in[1].dim[2] = 0;
    layer_check(&empty);
}
END_TEST

START_TEST(v2)
{
    static const char *const params[] = {"0=4 1=2 2=0.2 -23304=4,1.08,1.19,3.42,4.41",
                                         "0=4 1=2 3=0.2 -23304=4,1.08,1.19,3.42,4.41"};
    for (int i = 0; i < 2; i++)
        for (int n_in = 1; n_in <= 2; n_in++)
            layer_check(
                &(layer_case){.type = "YoloDetectionOutput",
                              .params = params[i],
                              .n_in = n_in,
                              .n_out = 1,
                              .tol = 2e-5,
                              .reference = reference,
                              .fill = fill,
                              .in = {{.rank = 3, .dim = {18, 5, 7}}, {.rank = 3, .dim = {18, 1, 3}}}});
}
END_TEST

// Files of an old converter hold the mask as the bits of floats, written as whole numbers.
static void reference_of_bits(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    layer_case plain = *c;
    plain.params =
        "0=3 1=2 2=0.3 -23304=8,10.0,14.0,23.0,27.0,37.0,58.0,81.0,82.0 -23305=4,2,3,0,1 -23306=2,33.6,16.8";
    reference(&plain, in, weights, out);
}

START_TEST(mask_as_bits)
{
    layer_case c = v3_case("0=3 1=2 2=0.3 -23304=8,10.0,14.0,23.0,27.0,37.0,58.0,81.0,82.0 "
                           "-23305=4,1073741824,1077936128,0,1065353216 -23306=2,33.6,16.8");
    c.reference = reference_of_bits;
    layer_check(&c);
}
END_TEST

// There is no right answer to compute.
static layer_case refused_case(const char *params)
{
    layer_case c = v3_case(params);
    c.reference = NULL;
    return c;
}

START_TEST(mistakes_are_explained)
{
    layer_case c = refused_case("0=3 1=2 -23304=4,1.0,2.0,3.0,4.0 -23305=4,0.0,1.0,2.0,0.0 -23306=2,32.0,16.0");
    layer_refuses(&c, EBB_E_PARAM, "box 0 of input 1 has no anchor");
    c = refused_case("0=3 1=2 -23304=4,1.0,2.0,3.0,4.0 -23305=2,0.0,1.0 -23306=2,32.0,16.0");
    layer_refuses(&c, EBB_E_PARAM, "mask 2");
    c = refused_case("0=3 1=2 -23304=4,1.0,2.0,3.0,4.0 -23305=4,0.0,nan,1.0,0.0 -23306=2,32.0,16.0");
    layer_refuses(&c, EBB_E_PARAM, "box 1 of input 0 has no anchor");
    c = refused_case("0=3 1=2 -23304=4,1.0,2.0,3.0,4.0 -23305=4,0.0,1.0,1.0,0.0 -23306=1,32.0");
    layer_refuses(&c, EBB_E_PARAM, "anchors_scale has 1 values for 2 inputs");
    c = refused_case("0=4 1=2 -23304=4,1.0,2.0,3.0,4.0 -23305=4,0.0,1.0,1.0,0.0 -23306=2,32.0,16.0");
    layer_refuses(&c, EBB_E_SHAPE, "input 0 is 16x5x3; 2 boxes of 5 + 4 channels expected");
    layer_refuses(&(layer_case){.type = "YoloDetectionOutput",
                                .params = "0=3 1=2 -23304=3,1.0,2.0,3.0",
                                .n_in = 1,
                                .n_out = 1,
                                .in = {{.rank = 3, .dim = {16, 5, 3}}}},
                  EBB_E_PARAM, "box 1 of input 0 has no anchor");
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"v3", v3}, {"v2", v2}, {"mask_as_bits", mask_as_bits}, {"mistakes_are_explained",
         mistakes_are_explained}, {0}};
    return run_tests("yolodetectionoutput", tests);
}
