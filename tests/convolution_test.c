// SPDX-License-Identifier: BSD-3-Clause
// convolution_test.c - Convolution against its definition: sizes, padding, orders, precisions, and what it refuses.
#include "conv_reference.h"

static const char type[] = "Convolution";

START_TEST(pointwise)
{
    static const conv_row rows[] = {
        {"0=5 1=1 5=1 6=15", 3, {3, 3, 5}, 15, 5},
        {"0=17 1=1 6=17", 3, {1, 1, 1}, 17, 0},
        {"0=1 1=1 6=33 9=1", 3, {33, 2, 3}, 33, 0},
        {"0=67 1=1 3=2 5=1 6=1139", 3, {17, 5, 5}, 1139, 67},
        {"0=33 1=1 4=1 5=1 6=165 18=0.5", 3, {5, 3, 3}, 165, 33},
        {0},
    };
    conv_check(type, W_F32, rows);
}
END_TEST

START_TEST(windows)
{
    static const conv_row rows[] = {
        {"0=3 1=3 6=27 4=1", 3, {1, 5, 7}, 27, 0},
        {"0=4 1=3 5=1 6=324 2=2 4=2", 3, {9, 5, 6}, 324, 4},
        {"0=19 1=3 6=855 3=2 4=-233", 3, {5, 7, 6}, 855, 0},
        {"0=5 1=2 6=100 3=3 4=-234 18=-1.5", 3, {5, 7, 8}, 100, 0},
        {"0=2 1=5 11=1 6=30 4=2 15=1 14=0 16=2", 3, {3, 3, 6}, 30, 0},
        {"0=33 1=1 11=3 3=1 13=2 12=2 6=99 14=2", 3, {1, 6, 3}, 99, 0},
        {"0=3 1=7 5=1 6=294 4=3 3=2", 3, {2, 9, 9}, 294, 3},
        {0},
    };
    conv_check(type, W_F32, rows);
}
END_TEST

START_TEST(few_channels)  // read as they come, planar or not
{
    static const conv_row rows[] = {
        {"0=7 1=3 5=1 6=189 4=1 3=2", 3, {3, 7, 9}, 189, 7},
        {"0=5 1=3 6=180 4=1 18=0.25", 3, {4, 4, 4}, 180, 0},
        {"0=3 1=2 6=24", 3, {2, 3, 3}, 24, 0},
        {0},
    };
    conv_check(type, W_F32, rows);
    conv_check(type, W_F16, rows);
}
END_TEST

START_TEST(lower_ranks)
{
    static const conv_row rows[] = {
        {"0=5 1=1 5=1 6=85", 1, {17}, 85, 5},      // one pixel
        {"0=3 1=1 6=3 4=1", 1, {1}, 3, 0},
        {"0=4 1=3 11=1 6=12", 1, {9}, 12, 0},      // a row
        {"0=4 1=1 6=4", 1, {9}, 4, 0},
        {"0=3 1=3 5=1 6=27 4=1", 2, {4, 5}, 27, 3},   // an image of one channel
        {0},
    };
    conv_check(type, W_F32, rows);
}
END_TEST

START_TEST(half_weights)
{
    static const conv_row rows[] = {
        {"0=35 1=1 5=1 6=595", 3, {17, 3, 3}, 595, 35},
        {"0=6 1=3 6=270 4=1 9=2 -23310=1,0.25", 3, {5, 4, 5}, 270, 0},
        {0},
    };
    conv_check(type, W_F16, rows);
}
END_TEST

START_TEST(activations)
{
    static const conv_row rows[] = {
        {"0=5 1=1 5=1 6=25 9=1", 3, {5, 2, 3}, 25, 5},
        {"0=5 1=1 5=1 6=25 9=2 -23310=1,-0.5", 3, {5, 2, 3}, 25, 5},
        {"0=5 1=1 5=1 6=25 9=3 -23310=2,-0.25,0.75", 3, {5, 2, 3}, 25, 5},
        {"0=5 1=1 5=1 6=25 9=4", 3, {5, 2, 3}, 25, 5},
        {"0=5 1=1 5=1 6=25 9=5", 3, {5, 2, 3}, 25, 5},
        {"0=17 1=1 5=1 6=85 9=6 10=0.2,0.5", 3, {5, 2, 3}, 85, 17},
        {0},
    };
    conv_check(type, W_F32, rows);
}
END_TEST

// Weights from the file, quantised there or at load.
static void check_int8(const conv_row *r, weight_kind kind, ebb_dtype in, double tol)
{
    layer_case c = conv_case(type, r, kind);
    const int at = 1 + (r->bias != 0), oc = conv_id(&c, 0, 0);
    c.in[0].dtype = in;
    c.tol = tol;
    c.weights[at].kind = c.weights[at + 1].kind = W_RAW;
    c.weights[at].n = (size_t)oc;
    c.weights[at].lo = 64, c.weights[at].hi = 128;
    c.weights[at + 1].n = 1;
    c.weights[at + 1].lo = 96, c.weights[at + 1].hi = 96;
    if (conv_id(&c, 8, 0) > 100) {
        c.weights[at + 2].kind = W_RAW;
        c.weights[at + 2].n = 1;
        c.weights[at + 2].lo = 20, c.weights[at + 2].hi = 20;
    }
    layer_check(&c);
}

START_TEST(int8)
{
    static const conv_row rows[] = {
        {"0=5 1=1 5=1 6=25 8=1", 3, {5, 3, 3}, 25, 5},
        {"0=3 1=3 6=162 4=1 3=2 8=2 9=1", 3, {6, 5, 4}, 162, 0},
        {"0=35 1=3 5=1 6=945 4=-233 8=1 18=0.5", 3, {3, 5, 5}, 945, 35},
        {"0=4 1=3 2=2 5=1 6=612 4=2 8=1 9=2 -23310=1,0.5", 3, {17, 6, 5}, 612, 4},
        {0},
    };
    for (const conv_row *r = rows; r->params; r++) {
        check_int8(r, W_F32, EBB_F32, 2e-5);
        check_int8(r, W_I8, EBB_F32, 2e-5);
        check_int8(r, W_F16, EBB_I8, 2e-5);
        check_int8(r, W_I8, EBB_I8, 2e-5);
    }
}
END_TEST

START_TEST(int8_chains)  // an 8-bit output; where a double and a float round apart is one step of 127
{
    static const conv_row rows[] = {
        {"0=5 1=1 5=1 6=20 8=101", 3, {4, 3, 3}, 20, 5},
        {"0=18 1=3 5=1 6=486 4=1 8=102 9=1", 3, {3, 4, 5}, 486, 18},
        {"0=3 1=2 6=60 8=101 9=4", 3, {5, 4, 5}, 60, 0},
        {0},
    };
    for (const conv_row *r = rows; r->params; r++) {
        check_int8(r, W_F32, EBB_F32, 0);
        check_int8(r, W_F32, EBB_I8, 0);
    }
}
END_TEST

START_TEST(int8_without_scale)  // a weight scale of 0 gives 0
{
    layer_case c = {.type = type, .params = "0=3 1=1 5=1 6=6 8=1", .n_in = 1, .n_out = 1, .tol = 1e-6,
                    .in = {{EBB_F32, 3, {2, 2, 2}, 0, 0}}, .reference = conv_reference,
                    .weights = {{W_I8, 6, 0, 0}, {W_RAW, 3, 0, 0}, {W_RAW, 3, -1e-9, 0}, {W_RAW, 1, 2, 2}}};
    layer_check(&c);
}
END_TEST

static void without_int8(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    layer_case plain = *c;
    plain.params = "0=3 1=1 6=6";
    conv_reference(&plain, in, weights, out);
}

START_TEST(int8_switched_off)  // feature bit 8: the floats of the file are used as they are
{
    const layer_case c = {.type = type, .params = "0=3 1=1 6=6 8=1 31=8", .n_in = 1, .n_out = 1, .tol = 1e-6,
                          .in = {{EBB_F32, 3, {2, 2, 2}, 0, 0}}, .reference = without_int8,
                          .weights = {{W_F32, 6, 0, 0}, {W_RAW, 3, 1, 1}, {W_RAW, 1, 1, 1}}};
    layer_check(&c);
}
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "19=1 5=1 4=1", 3, (int[]){5, 4, 3}, (int[]){19, 5, 3, 2}, 19);
    conv_check_dynamic(type, "0=0 1=0 19=1 4=-234 2=2 9=1", 3, (int[]){2, 5, 4}, (int[]){3, 2, 2, 3}, 0);
}
END_TEST

static void not_finite(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    in->v[0] = NAN;
    in->v[5] = INFINITY;
    in->v[10] = -INFINITY;
}

START_TEST(extremes)
{
    conv_row r = {"0=18 1=1 5=1 6=54 9=1", 3, {3, 3, 2}, 54, 18};
    layer_case c = conv_case(type, &r, W_F32);
    c.fill = not_finite;
    layer_check(&c);
    r = (conv_row){"0=3 1=3 6=81 4=1", 3, {3, 3, 2}, 81, 0};
    c = conv_case(type, &r, W_F32);
    c.fill = not_finite;
    layer_check(&c);
}
END_TEST

static void refuses(const char *params, int c, int h, int w, int weights, ebb_status s, const char *words)
{
    conv_refuses(type, &(conv_row){params, 3, {c, h, w}, weights, 0}, s, words);
}

static void refuses_dynamic(const char *params, int oc, int ic, ebb_status s, const char *words)
{
    const layer_case c = {.type = type, .params = params, .n_in = 2, .n_out = 1,
                          .in = {{EBB_F32, 3, {5, 4, 3}, 0, 0}, {EBB_F32, 4, {oc, ic, 1, 1}, 0, 0}}};
    layer_refuses(&c, s, words);
}

START_TEST(refusals)
{
    refuses("0=3 1=3 6=27", 1, 2, 5, 27, EBB_E_SHAPE,
            "the height of the input, 2 with padding 0 and 0, is smaller");
    refuses("0=3 1=3 6=27", 2, 5, 5, 27, EBB_E_SHAPE, "has 2 channels, the weights are for 1");
    refuses("0=3 1=3 6=28", 1, 5, 5, 28, EBB_E_PARAM, "weight_data_size 28");
    refuses("0=0 1=3 6=27", 1, 5, 5, 27, EBB_E_PARAM, "num_output is 0");
    refuses("0=3 1=0 6=27", 1, 5, 5, 27, EBB_E_PARAM, "kernel");
    refuses("0=3 1=3 6=27 3=0", 1, 5, 5, 27, EBB_E_PARAM, "stride");
    refuses("0=3 1=3 6=27 2=-1", 1, 5, 5, 27, EBB_E_PARAM, "dilation");
    refuses("0=3 1=3 6=27 4=-1", 1, 5, 5, 27, EBB_E_PARAM, "padding");
    refuses("0=3 1=3 6=27 4=-233 15=1", 1, 5, 5, 27, EBB_E_PARAM, "-233 or -234 for all");
    refuses("0=3 1=3 6=27 9=7", 1, 5, 5, 27, EBB_E_PARAM, "activation_type is 7");
    refuses("0=3 1=3 6=27 9=3", 1, 5, 5, 27, EBB_E_PARAM, "needs 2 activation_params");
    refuses("0=3 1=3 6=27 19=1", 1, 5, 5, 27, EBB_E_PARAM, "1 inputs are connected");
    refuses("0=3 1=3 6=27 8=-5", 1, 5, 5, 27, EBB_E_PARAM, "int8_scale_term is -5");
    refuses_dynamic("19=1", 2, 4, EBB_E_SHAPE, "weights of shape 2x4x1x1 do not fit 5 channels");
    refuses_dynamic("19=1 8=1", 2, 5, EBB_E_UNSUPPORTED, "int8_scale_term 1");
    const conv_row r = {"0=3 1=3 6=27", 3, {1, 5, 5}, 27, 0};
    const layer_case c = conv_case(type, &r, W_I8);
    layer_refuses(&c, EBB_E_FORMAT, "there are no scales");
    conv_refuses(type, &(conv_row){"0=3 1=3 6=27", 4, {3, 3, 3, 3}, 27, 0}, EBB_E_SHAPE,
                 "rank 4, at most 3 fits");
}
END_TEST

int main(void)
{
    return run_tests("convolution", (const test_entry[]){{"pointwise", pointwise},
                                                         {"windows", windows},
                                                         {"few_channels", few_channels},
                                                         {"lower_ranks", lower_ranks},
                                                         {"half_weights", half_weights},
                                                         {"activations", activations},
                                                         {"int8", int8},
                                                         {"int8_chains", int8_chains},
                                                         {"int8_without_scale", int8_without_scale},
                                                         {"int8_switched_off", int8_switched_off},
                                                         {"dynamic_weights", dynamic_weights},
                                                         {"extremes", extremes},
                                                         {"refusals", refusals},
                                                         {0}});
}
