// SPDX-License-Identifier: BSD-3-Clause
// gemm_test.c - Gemm in floats and with packed weights: transposes, constants, every C, every output.
#include "gemm_ref.h"
#include <math.h>

START_TEST(inputs)
{
    static const gemm_row rows[] = {
        {1, 1, 1, 0, 0, 0, 0, 0},  {5, 7, 3, 0, 0, 0, 0, 0},  {5, 7, 3, 1, 0, 1, 0, 0},
        {5, 7, 3, 2, 0, 2, 0, 0},  {5, 7, 3, 3, 0, 3, 0, 0},  {5, 7, 3, 4, 0, 4, 0, 0},
        {5, 7, 3, 13, 0, 5, 0, 0}, {5, 7, 3, 14, 0, 6, 0, 0}, {17, 33, 9, 27, 0, 5, 0, 0},
        {6, 1, 5, 16, 0, 4, 0, 0}, {1, 9, 33, 2, 0, 3, 0, 0}, {0, 3, 4, 0, 0, 0, 0, 0},
        {3, 4, 0, 0, 0, 5, 0, 0}};
    char params[160];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = gemm_case(&rows[i], params);
        layer_check(&c);
    }
}
END_TEST

START_TEST(constants)
{
    static const gemm_row rows[] = {{5, 7, 3, 0, 1, 0, W_F32, 0},   {5, 7, 3, 2, 2, 6, W_F32, 0},
                                    {5, 7, 3, 0, 2, 4, W_F16, 0},   {5, 7, 3, 5, 1, 5, W_F16, 0},
                                    {5, 7, 3, 6, 6, 3, W_F16, 0},   {5, 7, 3, 1, 7, 5, W_F32, 0},
                                    {5, 7, 3, 10, 7, 2, W_F16, 0},  {5, 7, 3, 4, 3, 1, W_F32, 0},
                                    {3, 70, 40, 2, 6, 3, W_F16, 0}, {5, 7, 3, 0, 5, 4, W_F32, 0}};
    char params[160];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = gemm_case(&rows[i], params);
        layer_check(&c);
    }
}
END_TEST

// Number i of a packed row: the bits stand low first.
static int packed(const double *bytes, int i, int bits)
{
    int v = 0;
    for (int b = 0; b < bits; b++) v |= ((int)bytes[(i * bits + b) / 8] >> ((i * bits + b) % 8) & 1) << b;
    return v >= 1 << (bits - 1) ? v - (1 << bits) : v;
}

static void packed_reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    const int term = (int)case_param(c, 18, 0), bits = term / 100, block = 32 << term % 10,
              N = (int)case_param(c, 8, 0);
    const int K = (int)case_param(c, 9, 0), M = in->dim[0], line = (K * bits + 7) / 8,
              blocks = (K + block - 1) / block;
    const tensor *scale = &w[2], *input = term / 10 % 10 ? &w[3] : NULL;
    out[0] = tensor_new(2, (const int[]){M, N});
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = case_param(c, 1, 1) * w[1].v[j];
            for (int k = 0; k < K; k++) {
                const double x = in->v[i * K + k] * (input ? input->v[k] : 1);
                sum += x * packed(w[0].v + j * line, k, bits) / scale->v[j * blocks + k / block];
            }
            out[0].v[i * N + j] = case_param(c, 0, 1) * sum;
        }
}

START_TEST(packed_weights)
{
    static const int terms[] = {400, 401, 412, 600, 611, 800, 812};
    char params[128];
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        for (int k = 5; k < 300; k += 131) {
            const int bits = terms[i] / 100, block = 32 << terms[i] % 10, n = 17,
                      blocks = (k + block - 1) / block;
            snprintf(params, sizeof params, "0=0.5 1=2.0 3=1 5=1 6=1 8=%d 9=%d 10=4 18=%d", n, k, terms[i]);
            layer_case c = {.type = "Gemm",
                            .params = params,
                            .n_in = 1,
                            .n_out = 1,
                            .tol = 1e-4,
                            .reference = packed_reference,
                            .in = {{.rank = 2, .dim = {k == 5 ? 6 : 1, k}}},
                            .weights = {{W_I8, (size_t)(n * ((k * bits + 7) / 8)), 0, 0},
                                        {W_F32, (size_t)n, 0, 0},
                                        {W_RAW, (size_t)(n * blocks), 8, 64}}};
            if (terms[i] / 10 % 10)
                c.weights[3].kind = W_RAW, c.weights[3].n = (size_t)k, c.weights[3].lo = 0.5,
                c.weights[3].hi = 2;
            layer_check(&c);
        }
}
END_TEST

START_TEST(refusals)
{
    char params[160];
    const gemm_row r = {5, 7, 3, 0, 0, 5, 0, 0};
    layer_case c = gemm_case(&r, params);
    c.reference = NULL;
    c.in[1].dim[0] = 4;
    layer_refuses(&c, EBB_E_SHAPE, "A is 5x3 and B 4x7: the inner sizes differ");
    c.in[1].dim[0] = 3;
    c.in[2].dim[0] = 6;
    layer_refuses(&c, EBB_E_SHAPE, "C is 6x7, which does not fit an output of 5x7");
    c.in[2].dim[0] = 5;
    c.in[1].rank = 4;
    layer_refuses(&c, EBB_E_SHAPE, "B is 3x7x7x0, must be a matrix");
    c.in[1].rank = 3, c.in[1].dim[2] = 7;
    layer_refuses(&c, EBB_E_SHAPE, "B is 3x7x7, must be a matrix");
    c.in[1].rank = 2;
    c.in[0].rank = 4;
    layer_refuses(&c, EBB_E_SHAPE, "A is 5x3x3x0, must be a matrix");
    c.params = "5=1 8=7 9=0";
    layer_refuses(&c, EBB_E_PARAM, "inputs");
    c.n_in = 1;
    layer_refuses(&c, EBB_E_PARAM, "constantN 7, constantK 0");
    c.params = "5=1 6=1 8=7 9=3 10=5";
    layer_refuses(&c, EBB_E_PARAM, "constant_broadcast_type_C is 5");
    c.params = "5=1 6=1 8=7 9=3 18=400";
    layer_refuses(&c, EBB_E_UNSUPPORTED, "quantize_term 400 wants B constant and transposed");
    static const char *const mixed[] = {"4=1 7=5 9=3 18=400", "5=1 8=7 9=3 18=400",
                                        "2=1 3=1 5=1 8=7 9=3 18=400",
                                        "3=1 5=1 8=7 9=3 11=1 18=400", "3=1 5=1 8=7 9=3 14=1 18=400"};
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++) {
        c.params = mixed[i];
        layer_refuses(&c, EBB_E_UNSUPPORTED, "quantize_term 400 wants B constant and transposed");
    }
    c.params = "4=1 7=0 9=3";
    layer_refuses(&c, EBB_E_PARAM, "constantM is 0");
    c.params = "5=1 8=0 9=3";
    layer_refuses(&c, EBB_E_PARAM, "constantN 0, constantK 3");
    c.params = "5=1 6=1 8=7 9=3 10=-2";
    layer_refuses(&c, EBB_E_PARAM, "constant_broadcast_type_C is -2, must be -1 to 4");
    c.params = "";
    layer_refuses(&c, EBB_E_PARAM, "leave 2 to 3 inputs, there are 1");
    c.params = "5=1 6=1 8=7 9=3 10=1 7=4";
    c.weights[0].kind = W_F32, c.weights[0].n = 21;
    c.weights[1].kind = W_F32, c.weights[1].n = 4;
    c.in[0].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "the constant C has 4 values, an output of 5x7 wants 5");
    c.params = "5=1 6=1 8=7 9=3 10=-1";
    c.weights[0].kind = W_I8;
    c.weights[1].kind = W_END;
    layer_refuses(&c, EBB_E_FORMAT, "stored as 8-bit numbers, but quantize_term does not say so");
    c.params = "18=777";
    c.n_in = 2;
    layer_refuses(&c, EBB_E_UNSUPPORTED, "quantize_term 777 is unknown");
}
END_TEST

int main(void)
{
    return run_tests("gemm_layer", (const test_entry[]){{"inputs", inputs},
                                                        {"constants", constants},
                                                        {"packed", packed_weights},
                                                        {"refusals", refusals},
                                                        {0}});
}
