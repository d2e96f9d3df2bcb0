// SPDX-License-Identifier: BSD-3-Clause
// degenerate_test.c - inputs that are all zero, all equal, all masked, one element, or none. Rule: where data
// makes both sides of a division 0, the result is 0, in every table, and never NaN.
#include "shapes.h"
#include <math.h>

typedef struct row {
    layer_case c;  // first, so that fill and reference find the row
    const char *type, *params, *in[4];
    double v[4];  // of every element of each input
    const char *out;
    double want;           // of every element of the output; NAN: the last weights of the case
    double weights[8][3];  // kind, how many, value; ended by zeros
} row;

static void fill(const layer_case *c, int i, tensor *in)
{
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = ((const row *)c)->v[i];
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)in;
    const row *r = (const row *)c;
    int dim[4], last = 0;
    const int rank = read_shape(r->out, dim);
    out[0] = tensor_new(rank, dim);
    while (last + 1 < CASE_WEIGHTS && c->weights[last + 1].kind != W_END) last++;
    for (size_t j = 0; j < tensor_count(&out[0]); j++)
        out[0].v[j] = isnan(r->want) ? w[last].v[j % tensor_count(&w[last])] : r->want;
}

static void check(row r)
{
    r.c = (layer_case){
        .type = r.type, .params = r.params, .n_out = 1, .tol = 1e-5, .fill = fill, .reference = reference};
    for (int i = 0; i < 4 && r.in[i]; i++) add_input(&r.c, r.in[i]);
    for (int k = 0; k < 8 && r.weights[k][0] != W_END; k++) {
        r.c.weights[k].kind = (weight_kind)r.weights[k][0];
        r.c.weights[k].n = (size_t)r.weights[k][1];
        r.c.weights[k].lo = r.c.weights[k].hi = r.weights[k][2];
    }
    layer_check(&r.c);
}

START_TEST(softmax)
{
    check((row){.type = "Softmax", .params = "0=0", .in = {"37"}, .v = {-INFINITY}, .out = "37", .want = 0});
    check((row){
        .type = "Softmax", .params = "0=0 1=1", .in = {"5x37"}, .v = {-INFINITY}, .out = "5x37", .want = 0});
    check((row){
        .type = "Softmax", .params = "0=1 1=1", .in = {"5x37"}, .v = {-INFINITY}, .out = "5x37", .want = 0});
    check((row){
        .type = "Softmax", .params = "0=1 1=1", .in = {"3x4x5"}, .v = {0}, .out = "3x4x5", .want = 0.25});
    check((row){.type = "Softmax", .params = "0=0", .in = {"1"}, .v = {-87654}, .out = "1", .want = 1});
}
END_TEST

START_TEST(attention_with_every_key_masked)
{
    static const char *const params[] = {"5=1", "5=1 18=1"};
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 2; k++) {
            check(
                (row){.type = "SDPA",
                      .params = params[p],
                      .in = {"2x3x8", k ? "2x300x8" : "2x5x8", k ? "2x300x4" : "2x5x4", k ? "3x300" : "3x5"},
                      .v = {0.5, 0.25, 1, -INFINITY},
                      .out = "2x3x4",
                      .want = 0});
            check(
                (row){.type = "SDPA",
                      .params = params[p],
                      .in = {"4x1x8", k ? "2x300x8" : "2x5x8", k ? "2x300x4" : "2x5x4", k ? "1x300" : "1x5"},
                      .v = {0.5, 0.25, 1, -INFINITY},
                      .out = "4x1x4",
                      .want = 0});
        }
    check((row){.type = "SDPA",
                .params = "",
                .in = {"2x3x0", "2x5x0", "2x5x4"},
                .v = {0, 0, 0.5},
                .out = "2x3x4",
                .want = 0.5});
    check((row){.type = "MultiHeadAttention",
                .params = "0=4 1=2 2=16 5=1",
                .in = {"3x4", "3x3"},
                .v = {0.5, -INFINITY},
                .out = "3x4",
                .want = NAN,
                .weights = {{W_F32, 16, 0.5},
                            {W_RAW, 4, 0.25},
                            {W_F32, 16, 0.5},
                            {W_RAW, 4, 0.25},
                            {W_F32, 16, 0.5},
                            {W_RAW, 4, 0.25},
                            {W_F32, 16, 0.5},
                            {W_RAW, 4, 0.75}}});
}
END_TEST

START_TEST(norms_without_eps)
{
    static const double equal[] = {0, 0.5, -3};
    for (int i = 0; i < 3; i++) {
        const double v = equal[i];
        check((row){.type = "LayerNorm", .params = "0=37 1=0 2=0", .in = {"5x37"}, .v = {v}, .out = "5x37"});
        check((row){.type = "LayerNorm", .params = "0=1 1=0 2=0", .in = {"5x1"}, .v = {v}, .out = "5x1"});
        check((row){
            .type = "GroupNorm", .params = "0=2 1=4 2=0 3=0", .in = {"4x3x5"}, .v = {v}, .out = "4x3x5"});
        check((row){
            .type = "InstanceNorm", .params = "0=4 1=0 2=0", .in = {"4x3x5"}, .v = {v}, .out = "4x3x5"});
        check((row){
            .type = "InstanceNorm", .params = "0=4 1=0 2=0", .in = {"4x1x1"}, .v = {v}, .out = "4x1x1"});
        check((row){.type = "MVN", .params = "0=1 1=0 2=0", .in = {"4x3x5"}, .v = {v}, .out = "4x3x5"});
        check((row){.type = "MVN", .params = "0=1 1=1 2=0", .in = {"4x3x5"}, .v = {v}, .out = "4x3x5"});
        check((row){
            .type = "BatchNorm",
            .params = "0=4 1=0",
            .in = {"4x3x5"},
            .v = {v},
            .out = "4x3x5",
            .want = 0.25,
            .weights = {{W_RAW, 4, 1}, {W_RAW, 4, v ? v : 1e-30}, {W_RAW, 4, 1e-30}, {W_RAW, 4, 0.25}}});
    }
    check((row){.type = "RMSNorm", .params = "0=37 1=0 2=0", .in = {"5x37"}, .out = "5x37"});
    static const char *const modes[] = {"0=0 2=0 3=1 9=0", "0=1 2=0 3=1 9=1", "0=0 2=0 3=1 9=2",
                                        "0=1 4=0 2=0 3=1"};
    for (int m = 0; m < 4; m++)
        check((row){.type = "Normalize",
                    .params = modes[m],
                    .in = {"4x3x5"},
                    .out = "4x3x5",
                    .weights = {{W_RAW, 1, 2}}});
    check((row){.type = "LRN", .params = "0=0 1=5 2=1 3=0.75 4=0", .in = {"17x3x5"}, .out = "17x3x5"});
    check((row){.type = "LRN", .params = "0=1 1=3 2=1 3=0.75 4=0", .in = {"17x3x5"}, .out = "17x3x5"});
}
END_TEST

START_TEST(means_of_nothing)
{
    check((row){.type = "StatisticsPooling", .params = "0=1", .in = {"3x0x4"}, .out = "6"});
    check((row){.type = "Reduction", .params = "0=3 1=0 3=1 5=1", .in = {"3x0"}, .out = "3"});
    check((row){.type = "Reduction", .params = "0=3 1=1", .in = {"0"}, .out = "1"});
    // Windows that lie in the padding alone.
    check((row){.type = "Pooling", .params = "0=1 1=2 2=2 3=2", .in = {"5x3x3"}, .out = "5x4x4"});
    check((row){
        .type = "ROIAlign", .params = "0=2 1=2 4=1", .in = {"3x4x4", "4"}, .v = {0.5, 1}, .out = "3x2x2"});
    check((row){
        .type = "ROIPooling", .params = "0=2 1=2", .in = {"3x4x4", "4"}, .v = {0.5, -9}, .out = "3x2x2"});
    check((row){.type = "PSROIPooling",
                .params = "0=2 1=2 2=1.0 3=1",
                .in = {"4x4x4", "1x1x4"},
                .v = {0.5, 99},
                .out = "1x2x2"});
}
END_TEST

START_TEST(frames_that_no_window_reaches)
{
    check((row){.type = "InverseSpectrogram", .params = "0=8 1=1 2=8 4=1 5=0", .in = {"8x3x2"}, .out = "24"});
    check(
        (row){.type = "InverseSpectrogram", .params = "0=8 1=1 2=12 3=4 5=0", .in = {"8x3x2"}, .out = "32"});
    check((row){
        .type = "Spectrogram", .params = "0=8 1=1 2=2 3=1 4=1 7=2", .in = {"16"}, .v = {1}, .out = "5x9"});
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("degenerate", (const test_entry[]){T(softmax),
                                                        T(attention_with_every_key_masked),
                                                        T(norms_without_eps),
                                                        T(means_of_nothing),
                                                        T(frames_that_no_window_reaches),
                                                        {0}});
}
