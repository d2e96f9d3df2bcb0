// SPDX-License-Identifier: BSD-3-Clause
// channelwise_test.c - Scale, Bias, BatchNorm, PReLU on all ranks; a scale that comes as an input; NaN.
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t channel_of(const tensor *t, size_t i) { return i / (tensor_count(t) / (size_t)t->dim[0]); }

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < tensor_count(&in[0]); i++) {
        const double x = in[0].v[i];
        const size_t q = channel_of(&in[0], i);
        if (!strcmp(c->type, "Bias")) {
            out[0].v[i] = x + w[0].v[q];
        } else if (!strcmp(c->type, "PReLU")) {
            out[0].v[i] = x < 0 ? x * w[0].v[case_param(c, 0, 0) == 1 ? 0 : q] : x;
        } else if (!strcmp(c->type, "BatchNorm")) {
            const double deviation = sqrt(w[2].v[q] + case_param(c, 1, 0));
            out[0].v[i] = (x - w[1].v[q]) / (deviation == 0 ? 1e-4 : deviation) * w[0].v[q] + w[3].v[q];
        } else {
            out[0].v[i] = x * (c->n_in > 1 ? in[1].v[q] : w[0].v[q]) + (case_param(c, 1, 0) ? w[1].v[q] : 0);
        }
    }
    if (c->n_out > 1) {
        out[1] = tensor_new(1, in[1].dim);
        memcpy(out[1].v, in[1].v, tensor_count(&in[1]) * sizeof *in[1].v);
    }
}

static const struct {
    int rank, dim[4];
} shapes[] = {{1, {17}},       {2, {17, 5}},   {3, {17, 3, 5}}, {4, {17, 2, 3, 2}},
              {3, {1, 3, 33}}, {3, {3, 1, 1}}, {3, {3, 0, 2}}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static layer_case make(const char *type, char *params, const char *rest, int shape, int weights)
{
    layer_case c = {.type = type,
                    .params = params,
                    .n_in = 1,
                    .n_out = 1,
                    .tol = 1e-6,
                    .reference = reference,
                    .in = {{.rank = shapes[shape].rank, .lo = -2, .hi = 2}}};
    memcpy(c.in[0].dim, shapes[shape].dim, sizeof c.in[0].dim);
    snprintf(params, 64, "0=%d %s", shapes[shape].dim[0], rest);
    for (int i = 0; i < weights; i++) {
        c.weights[i].kind = W_RAW;
        c.weights[i].n = (size_t)shapes[shape].dim[0];
    }
    return c;
}

START_TEST(constants_by_channel)
{
    char params[64];
    for (int s = 0; s < SHAPES; s++) {
        layer_case c = make("Bias", params, "", s, 1);
        layer_check(&c);
        c = make("Scale", params, "", s, 1);
        layer_check(&c);
        c = make("Scale", params, "1=1", s, 2);
        layer_check(&c);
        c = make("PReLU", params, "", s, 1);
        layer_check(&c);
        c = make("BatchNorm", params, "1=0.01", s, 4);
        c.weights[2].lo = 0.125, c.weights[2].hi = 2;
        layer_check(&c);
    }
}
END_TEST

START_TEST(one_slope_for_all)
{
    for (int s = 0; s < SHAPES; s++) {
        char params[64];
        layer_case c = make("PReLU", params, "", s, 1);
        c.params = "0=1", c.weights[0].n = 1;
        layer_check(&c);
    }
}
END_TEST

START_TEST(scale_from_an_input)
{
    for (int s = 0; s < SHAPES; s++)
        for (int outputs = 1; outputs <= 2; outputs++) {
            char params[64];
            layer_case c = make("Scale", params, "", s, 0);
            c.params = "0=-233", c.n_in = 2, c.n_out = outputs, c.in[1].rank = 1,
            c.in[1].dim[0] = shapes[s].dim[0];
            layer_check(&c);
        }
}
END_TEST

static void extremes(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    static const double v[] = {NAN, INFINITY, -INFINITY, 1};
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = v[j % 4];
}

START_TEST(no_variance_nan_and_infinity)
{
    char params[64];
    layer_case c = make("BatchNorm", params, "", 2, 4);
    c.weights[2].lo = c.weights[2].hi = 1e-30;  // 0 after rounding to its step
    c.tol = 1e-5;
    layer_check(&c);
    c = make("PReLU", params, "", 1, 1);
    c.fill = extremes, c.weights[0].lo = 0.25, c.weights[0].hi = 1;
    layer_check(&c);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    char params[64];
    static const char *const types[] = {"Bias", "Scale", "PReLU", "BatchNorm"};
    for (int i = 0; i < 4; i++) {
        layer_case c = make(types[i], params, "", 2, i == 3 ? 4 : 1);
        c.reference = NULL, c.in[0].dim[0] = 16;
        layer_refuses(&c, EBB_E_SHAPE, "the input has 16 channels, there are constants for 17");
        c.params = "0=0";
        layer_refuses(&c, EBB_E_PARAM, i == 1 ? "scale_data_size is 0" : "");
    }
    layer_case c = make("Scale", params, "", 2, 0);
    c.reference = NULL, c.params = "0=-233", c.n_in = 2, c.in[1].rank = 1, c.in[1].dim[0] = 3;
    layer_refuses(&c, EBB_E_SHAPE, "the scale is 3, for the input 17x3x5");
    c.n_in = 1;
    layer_refuses(&c, EBB_E_PARAM, "takes 2 inputs");
    c.params = "0=-5";
    layer_refuses(&c, EBB_E_PARAM, "scale_data_size is -5");
}
END_TEST

int main(void)
{
    return run_tests("channelwise", (const test_entry[]){{"constants", constants_by_channel},
                                                         {"one_slope", one_slope_for_all},
                                                         {"scale_from_input", scale_from_an_input},
                                                         {"extremes", no_variance_nan_and_infinity},
                                                         {"errors", errors_say_what_is_wrong},
                                                         {0}});
}
