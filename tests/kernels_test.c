// SPDX-License-Identifier: BSD-3-Clause
// kernels_test.c - the tables are complete and in order; each kernel of the list gives on every table what
// it gives on the scalar one, and writes nothing behind it; vector functions are near double precision on
// each, the same in a lane and in a tail.
#include "cpu.h"
#include "harness.h"
#include "kernels/kernels.h"
#include "order.h"
#include "parts/pack.h"
#include "parts/quant.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(tables_are_complete)
{
    int width = 0;
    for (int t = 0; ebb_cpu_table(t); t++) {
        const ebb_kernels *k = ebb_cpu_table(t);
        ck_assert_str_eq(k->isa, ebb_isa_name(t));
        ck_assert_int_ge(k->width, width);
        width = k->width;
#define KERNEL(name, tolerance, args) ck_assert_msg(k->name != NULL, "%s lacks " #name, k->isa);
#include "kernels/kernel_list.h"
#undef KERNEL
    }
    ck_assert_str_eq(ebb_cpu_table(0)->isa, "scalar");
}
END_TEST

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static double mish(double x) { return x * tanh(softplus(x)); }

static const struct { const char *name; int op; double (*want)(double), lo, hi, error; } functions[] = {
    {"exp", EBB_EXP, exp, -87.3, 88.7, 1.5e-7},          {"exp", EBB_EXP, exp, -1, 1, 1.5e-7},
    {"expm1", EBB_EXPM1, expm1, -20, 20, 2.5e-7},        {"expm1", EBB_EXPM1, expm1, -1e-3, 1e-3, 1.5e-7},
    {"log", EBB_LOG, log, 1e-37, 1e-30, 1.5e-7},         {"log", EBB_LOG, log, 0.5, 2, 1.5e-7},
    {"log", EBB_LOG, log, 1e-3, 1e5, 1.5e-7},            {"tanh", EBB_TANH, tanh, -10, 10, 2e-7},
    {"tanh", EBB_TANH, tanh, -1e-3, 1e-3, 1e-7},         {"erf", EBB_ERF, erf, -5, 5, 2e-7},
    {"sigmoid", EBB_SIGMOID, sigmoid, -87, 30, 2e-7},    {"softplus", EBB_SOFTPLUS, softplus, -80, 80, 3e-7},
    {"mish", EBB_MISH, mish, -80, 80, 4e-7},
};

// Relative to what is wanted; 2e-38 is where numbers lose digits.
START_TEST(functions_are_accurate)
{
    enum { N = 30011 };
    static float x[N], y[N];
    const float p[3] = {0};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int t = 0; ebb_cpu_table(t); t++) {
            for (int i = 0; i < N; i++)
                x[i] = (float)(functions[f].lo + (functions[f].hi - functions[f].lo) * i / (N - 1));
            ebb_cpu_table(t)->unary_f32(functions[f].op, y, x, N, p);
            for (int i = 0; i < N; i++) {
                const double want = functions[f].want(x[i]);
                if (fabs(want) > 2e-38 && !(fabs(y[i] - want) <= functions[f].error * fabs(want)))
                    ck_abort_msg("%s: %s(%.9g) is %.9g, want %.9g: off by %.2g", ebb_cpu_table(t)->isa,
                                 functions[f].name, x[i], y[i], want, fabs(y[i] - want) / fabs(want));
            }
        }
}
END_TEST

START_TEST(lanes_and_tails_agree)
{
    static const float v[] = {NAN,    INFINITY, -INFINITY, 0.f,  -0.f,  1e-42f, -1e-42f, 3e38f,
                              -3e38f, 88.8f,    -104.f,    0.3f, -0.7f, 2.5f,   17.f};
    enum { KINDS = sizeof v / sizeof *v, N = 16 * KINDS + 3 };
    static float x[N], y[N], alone;
    const float p[3] = {0.5f, 0.25f, 1.5f};
    for (int i = 0; i < N; i++) x[i] = v[i % KINDS];
    for (int op = EBB_ABS; op <= EBB_SHRINK; op++)
        for (int t = 0; ebb_cpu_table(t); t++) {
            ebb_cpu_table(t)->unary_f32(op, y, x, N, p);
            for (int i = 0; i < N; i++) {
                ebb_cpu_table(t)->unary_f32(op, &alone, &x[i], 1, p);
                if (!(isnan(alone) ? isnan(y[i]) : !memcmp(&alone, &y[i], sizeof alone)))
                    ck_abort_msg("%s, operation %d of %g: %g in place %d, %g alone", ebb_cpu_table(t)->isa,
                                 op, x[i], y[i], i, alone);
                if (isnan(x[i]) && !isnan(y[i])) ck_abort_msg("operation %d hides NaN", op);
            }
        }
}
END_TEST

// What one call of a kernel is given and hands back. Every table gets the same numbers; inputs are as long as
// the kernel may read, so that ASan notices more, and behind each result stand guards.
enum { MOST_BLOCKS = 512, GUARDS = 64, UNTOUCHED = 0x55 };
typedef struct block {
    char *at;
    ebb_dtype type;  // f16 and bf16: compared as they are stored
    size_t n;
    bool result;
} block;
typedef struct job {
    const ebb_kernels *k;
    const char *name;
    double tolerance;
    uint32_t seed;
    int blocks;
    block block[MOST_BLOCKS];
} job;

static int number(job *j, int most)  // -most to most
{
    j->seed = j->seed * 1664525u + 1013904223u;
    return (int)((j->seed >> 8) % (uint32_t)(2 * most + 1)) - most;
}

static void set(job *j, block *b, size_t i)
{
    const float f = (float)number(j, 2048) / 1024;
    switch (b->type) {
    case EBB_F32: ((float *)(void *)b->at)[i] = f; break;
    case EBB_F16: ((uint16_t *)(void *)b->at)[i] = ebb_f32_to_f16(f); break;
    case EBB_BF16: ((uint16_t *)(void *)b->at)[i] = ebb_f32_to_bf16(f); break;
    case EBB_I8: b->at[i] = (char)number(j, 127); break;
    case EBB_I32: ((int32_t *)(void *)b->at)[i] = number(j, 1 << 20); break;
    }
}

static double value(const block *b, size_t i)
{
    switch (b->type) {
    case EBB_F32: return ((const float *)(const void *)b->at)[i];
    case EBB_F16:
    case EBB_BF16: return ((const uint16_t *)(const void *)b->at)[i];
    case EBB_I8: return ((const int8_t *)b->at)[i];
    case EBB_I32: return ((const int32_t *)(const void *)b->at)[i];
    }
    return NAN;
}

static void *numbers(job *j, ebb_dtype type, size_t n, bool result)
{
    ck_assert_int_lt(j->blocks, MOST_BLOCKS);
    block *b = &j->block[j->blocks++];
    const size_t bytes = n * ebb_dtype_bytes(type);
    *b = (block){malloc(bytes + (result ? GUARDS : bytes == 0)), type, n, result};
    ck_assert_ptr_nonnull(b->at);
    if (result) memset(b->at + bytes, UNTOUCHED, GUARDS);
    for (size_t i = 0; i < n; i++) set(j, b, i);
    return b->at;
}
static void *input(job *j, ebb_dtype type, size_t n) { return numbers(j, type, n, false); }
static void *result(job *j, ebb_dtype type, size_t n) { return numbers(j, type, n, true); }
static float *floats(job *j, size_t n) { return input(j, EBB_F32, n); }
static float *float_result(job *j, size_t n) { return result(j, EBB_F32, n); }

static void near(const job *j, const char *than, size_t n, size_t i, double got, double want)
{
    const double room = j->tolerance * fmax(1, fabs(want));
    if (isnan(want) ? isnan(got) : got == want || fabs(got - want) <= room) return;
    ck_abort_msg("%s, %s: of %zu, %zu is %.9g, not %.9g as %s has it", j->name, j->k->isa, n, i, got, want,
                 than);
}

// What y[i] is in double precision.
#define EXPECT(j, y, n, want)                                                                                \
    for (size_t i = 0; i < (n); i++) near(j, "double precision", n, i, (y)[i], want)

static double product(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * b[i];
    return sum;
}

// What stands in y before a kernel changes it.
static const float *before(job *j, const float *y, size_t n)
{
    return memcpy(floats(j, n), y, n * sizeof *y);
}

// Seven vectors and eleven rows: every height and width of a tile.
enum { VECTORS = 7, FACTORS = 11 };
static size_t reach(int rows, size_t n) { return (size_t)(rows - 1) * (n + 1) + n; }

static void test_dot_f32(job *j, size_t n)
{
    const float *x = floats(j, reach(VECTORS, n)), *w = floats(j, reach(FACTORS, n));
    float *y = float_result(j, VECTORS * FACTORS);
    memset(y, 0, VECTORS * FACTORS * sizeof *y);
    const ptrdiff_t step = (ptrdiff_t)n + 1;
    j->k->dot_f32(y, FACTORS, x, step, VECTORS, w, step, FACTORS, n);
    EXPECT(j, y, VECTORS * FACTORS, product(x + i / FACTORS * (n + 1), w + i % FACTORS * (n + 1), n));
}

static void test_dot_f16(job *j, size_t n)
{
    const float *x = floats(j, reach(VECTORS, n));
    const uint16_t *w = input(j, EBB_F16, reach(FACTORS, n));
    const ptrdiff_t step = (ptrdiff_t)n + 1;
    float *wide = floats(j, reach(FACTORS, n)), *y = float_result(j, VECTORS * FACTORS);
    for (size_t i = 0; i < reach(FACTORS, n); i++) wide[i] = ebb_f16_to_f32(w[i]);
    memset(y, 0, VECTORS * FACTORS * sizeof *y);
    j->k->dot_f16(y, FACTORS, x, step, VECTORS, w, step, FACTORS, n);
    EXPECT(j, y, VECTORS * FACTORS, product(x + i / FACTORS * (n + 1), wide + i % FACTORS * (n + 1), n));
}

static void test_dot_i8(job *j, size_t n)
{
    const int8_t *x = input(j, EBB_I8, reach(VECTORS, n)), *w = input(j, EBB_I8, reach(FACTORS, n));
    const ptrdiff_t step = (ptrdiff_t)n + 1;
    j->k->dot_i8(result(j, EBB_I32, VECTORS * FACTORS), FACTORS, x, step, VECTORS, w, step, FACTORS, n);
}

// Number i of those that stand in `bits` each.
static float packed_number(const uint8_t *q, size_t i, int bits)
{
    int v = 0;
    for (size_t b = 0; b < (size_t)bits; b++) {
        const size_t at = i * (size_t)bits + b;
        v |= (q[at / 8] >> at % 8 & 1) << b;
    }
    return (float)(v >> (bits - 1) ? v - (1 << bits) : v);
}

static void test_dequantize_blocks_f32(job *j, size_t n)
{
    enum { BLOCK = 20 };
    const float *factor = floats(j, n / BLOCK + 1), *x = floats(j, n);
    for (int bits = 4; bits <= 8; bits += 2)
        for (int scaled = 0; scaled < 2; scaled++) {
            const uint8_t *q = input(j, EBB_I8, (n * (size_t)bits + 7) / 8);
            float *y = float_result(j, n);
            j->k->dequantize_blocks_f32(y, q, n, bits, factor, BLOCK, scaled ? x : NULL);
            EXPECT(j, y, n, packed_number(q, i, bits) * factor[i / BLOCK] * (scaled ? x[i] : 1.f));
        }
}

static void test_quantize_i8(job *j, size_t n)
{
    const float *x = floats(j, n), *scales = floats(j, n), scale = 80.f;
    int8_t *one = result(j, EBB_I8, n), *each = result(j, EBB_I8, n);
    j->k->quantize_i8(one, x, n, &scale, 0);
    j->k->quantize_i8(each, x, n, scales, 1);
    EXPECT(j, one, n, ebb_quantize(x[i], scale));
    EXPECT(j, each, n, ebb_quantize(x[i], scales[i]));
}

static void test_dequantize_f32(job *j, size_t n)
{
    const int32_t *x = input(j, EBB_I32, n);
    const float *scale = floats(j, n + 1), *bias = floats(j, n + 1);
    for (int each = 0; each < 2; each++) {
        float *y = float_result(j, n);
        j->k->dequantize_f32(y, x, n, scale, bias, each);
        EXPECT(j, y, n, (double)x[i] * scale[each ? i : 0] + bias[each ? i : 0]);
    }
}

// Not fmax: gcc 12 for AArch64 ends with an internal error where it is the sum of a loop.
static double larger(double a, double b) { return a > b ? a : b; }

static void test_absmax_f32(job *j, size_t n)
{
    const float *x = floats(j, n);
    float *most = float_result(j, 1);
    double want = *most;
    for (size_t i = 0; i < n; i++) want = larger(want, fabsf(x[i]));
    j->k->absmax_f32(most, x, n);
    EXPECT(j, most, 1, want);
}

static void test_activate_f32(job *j, size_t n)
{
    for (int type = 0; type <= 6; type++) j->k->activate_f32(float_result(j, n), n, type, 0.25f, 0.5f);
}

static void softmax_block(job *j, size_t n, const float *mask, float top, float total)
{
    float *s = float_result(j, n), *most = float_result(j, 1), *sum = float_result(j, 1);
    float *y = float_result(j, n + 2);
    const float *score = before(j, s, n), *old = before(j, y, n + 2);
    double want = *most = top, want_sum = 0;
    *sum = total;
    for (size_t i = 0; i < n; i++) want = larger(want, score[i] * 0.75 + (mask ? mask[i] : 0));
    for (size_t i = 0; i < n; i++) want_sum += exp(score[i] * 0.75 + (mask ? mask[i] : 0) - want);
    const double factor = want > top ? exp(top - want) : 1;
    j->k->softmax_block_f32(s, mask, 0.75f, n, most, sum, y, n + 2);
    EXPECT(j, most, 1, want);
    EXPECT(j, sum, 1, want_sum + total * factor);
    EXPECT(j, y, n + 2, old[i] * factor);
}

static void test_softmax_block_f32(job *j, size_t n)
{
    softmax_block(j, n, NULL, -INFINITY, 0);
    softmax_block(j, n, floats(j, n), -INFINITY, 0);
    softmax_block(j, n, floats(j, n), 0.5f, 1.5f);
    softmax_block(j, n, NULL, 5.f, 1.5f);
}

static void test_lstm_f32(job *j, size_t n)
{
    const float *gates = floats(j, reach(4, n));
    float *h = float_result(j, n), *cell = float_result(j, n);
    const float *old = before(j, cell, n), *f = gates + n + 1, *o = f + n + 1, *g = o + n + 1;
    j->k->lstm_f32(h, cell, gates, (ptrdiff_t)n + 1, n);
    EXPECT(j, cell, n, sigmoid(f[i]) * old[i] + sigmoid(gates[i]) * tanh(g[i]));
    EXPECT(j, h, n, sigmoid(o[i]) * tanh(cell[i]));
}

static void test_gru_f32(job *j, size_t n)
{
    const float *gates = floats(j, reach(3, n)), *old = floats(j, n), *nh = floats(j, n);
    const float *u = gates + n + 1, *fresh = u + n + 1;
    float *h = float_result(j, n);
    j->k->gru_f32(h, old, gates, (ptrdiff_t)n + 1, nh, n);
    EXPECT(j, h, n,
           sigmoid(u[i]) * old[i] + (1 - sigmoid(u[i])) * tanh(fresh[i] + sigmoid(gates[i]) * nh[i]));
}

static void test_rotary_f32(job *j, size_t n)
{
    const float *x = floats(j, 2 * n), *c = floats(j, 2 * n), *s = floats(j, 2 * n);
    const int half = (int)n;
    j->k->rotary_f32(float_result(j, 2 * n), x, c, s, n, 0, 0);
    j->k->rotary_f32(float_result(j, 2 * n), x, c, s, n, half, half);
    float *y = float_result(j, 2 * n);
    j->k->rotary_f32(y, x, c, s, n, half, 0);
    if (n) EXPECT(j, y, n, (double)x[i] * c[i] - (double)x[i + n] * s[i]);
}

static void test_weighted_sum_f32(job *j, size_t n)
{
    const float *x[] = {floats(j, n), floats(j, n), floats(j, n)}, *w = floats(j, 3);
    float *y = float_result(j, n);
    j->k->weighted_sum_f32(float_result(j, n), x, w, 3, 1, n);
    j->k->weighted_sum_f32(y, x, w, 3, 0, n);
    EXPECT(j, y, n, (double)x[0][i] * w[0] + (double)x[1][i] * w[1] + (double)x[2][i] * w[2]);
}

static void test_relu_f32(job *j, size_t n)
{
    const float *x = floats(j, n);
    float *y = float_result(j, n);
    j->k->relu_f32(y, x, n, 0.25f);
    EXPECT(j, y, n, x[i] < 0 ? 0.25 * x[i] : x[i]);
}

static void test_binary_f32(job *j, size_t n)
{
    n *= 3;  // more than is gathered at a time
    for (int op = EBB_ADD; op <= EBB_PRELU; op++)
        for (int steps = 0; steps < 9; steps++) {
            const int a = steps / 3, b = steps % 3;
            const float *x = floats(j, n * (size_t)a + 1), *z = floats(j, n * (size_t)b + 1);
            float *y = float_result(j, n);
            j->k->binary_f32(op, y, x, a, z, b, n);
            if (op == EBB_SUB) EXPECT(j, y, n, (double)x[i * (size_t)a] - z[i * (size_t)b]);
        }
}

static void test_unary_f32(job *j, size_t n)
{
    const float p[] = {0.5f, 0.25f, 1.5f};
    for (int op = EBB_ABS; op <= EBB_SHRINK; op++)
        j->k->unary_f32(op, float_result(j, n), floats(j, n), n, p);
}

// What reduce_f32 makes of acc and n elements that are `step` apart.
static double collected(int op, double acc, const float *x, size_t n, size_t step, double centre)
{
    for (; n; n--, x += step) switch (op) {
        case EBB_SUM: acc += *x; break;
        case EBB_SUM_ABS: acc += fabsf(*x); break;
        case EBB_SUM_SQUARE: acc += (double)*x * *x; break;
        case EBB_PRODUCT: acc *= *x; break;
        case EBB_LARGEST: acc = fmax(acc, *x); break;
        case EBB_SMALLEST: acc = fmin(acc, *x); break;
        case EBB_SUM_EXP: acc += exp(*x - centre); break;
        case EBB_SUM_SQUARE_OFF: acc += (*x - centre) * (*x - centre); break;
        }
    return acc;
}

// A window of 2 x 2 x 3 pixels of n channels.
enum { WINDOW = 12 };
static const float *window(job *j, size_t n, ptrdiff_t step[3])
{
    const ptrdiff_t pixel = (ptrdiff_t)n + 1;
    step[0] = 6 * pixel, step[1] = 3 * pixel, step[2] = pixel;
    return floats(j, reach(WINDOW, n));
}

static void test_pool_max_f32(job *j, size_t n)
{
    ptrdiff_t step[3];
    const float *x = window(j, n, step);
    float *y = float_result(j, n);
    j->k->pool_max_f32(y, x, step, (const int[]){2, 2, 3}, n);
    EXPECT(j, y, n, collected(EBB_LARGEST, -INFINITY, x + i, WINDOW, n + 1, 0));
}

static void test_pool_mean_f32(job *j, size_t n)
{
    ptrdiff_t step[3];
    const float *x = window(j, n, step);
    float *y = float_result(j, n);
    j->k->pool_mean_f32(y, x, step, (const int[]){2, 2, 3}, WINDOW, n);
    EXPECT(j, y, n, collected(EBB_SUM, 0, x + i, WINDOW, n + 1, 0) / WINDOW);
}

static void test_softmax_row_f32(job *j, size_t n)
{
    float *y = float_result(j, n);
    const float *x = floats(j, n);
    if (n == 0) return;  // a line has an element
    j->k->softmax_row_f32(y, x, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += exp(x[i]);
    EXPECT(j, y, n, exp(x[i]) / sum);
}

static void test_softmax_columns_f32(job *j, size_t n)
{
    const float *x = floats(j, reach(3, n));
    float *y = float_result(j, 3 * n);
    j->k->softmax_columns_f32(y, (ptrdiff_t)n, x, (ptrdiff_t)n + 1, 3, n);
    EXPECT(j, y, 3 * n, exp(x[i / n * (n + 1) + i % n]) / collected(EBB_SUM_EXP, 0, x + i % n, 3, n + 1, 0));
}

// n columns of two taps of five products, or of one where each column stands by itself; seven rows.
enum { HEIGHT = 7, TAPS = 2, DEEP = 5 };
typedef void product_kernel(const struct ebb_gemm *g);

static struct ebb_gemm operands(job *j, ebb_dtype type, int n, int k, const void **a, void **c)
{
    const size_t wide = k == 1 ? (size_t)n : DEEP + 1;  // 8-bit rows are read in pairs
    for (int i = 0; i < HEIGHT * TAPS; i++) a[i] = input(j, type == EBB_I8 ? EBB_I8 : EBB_F32, wide);
    for (int i = 0; i < HEIGHT; i++) c[i] = float_result(j, (size_t)n);
    float *scale = floats(j, (size_t)n);
    for (int i = 0; i < n; i++) scale[i] /= 4096;
    return (struct ebb_gemm){.a = a, .a_row = HEIGHT, .a_step = 1, .taps = TAPS, .k = k, .m = HEIGHT, .n = n,
                             .b_taps = TAPS, .c = c, .bias = floats(j, (size_t)n), .scale = scale};
}

static void gemm(job *j, ebb_dtype type, int n, product_kernel *run)
{
    const void *a[HEIGHT * TAPS];
    void *c[HEIGHT];
    struct ebb_gemm g = operands(j, type, n, DEEP, a, c);
    const void *b = input(j, type, (size_t)(n * TAPS * DEEP));
    char *packed = calloc(1, ebb_gemm_bytes(type, n, TAPS, DEEP) + ebb_gemm_slack(j->k, type));
    g.b = packed, g.panel1 = ebb_gemm_panels(j->k, n);
    const ebb_gemm_from from = {.dtype = type, .data = b, .column = TAPS * DEEP, .tap = DEEP, .product = 1};
    ebb_gemm_pack(j->k, type, packed, n, TAPS, DEEP, &from, 0, g.panel1);
    run(&g);
    free(packed);
}

static void depthwise(job *j, ebb_dtype type, int n, product_kernel *run)
{
    const void *a[HEIGHT * TAPS];
    void *c[HEIGHT];
    struct ebb_gemm g = operands(j, type, n, 1, a, c);
    g.b = input(j, type, (size_t)(n * TAPS + 64));  // vectors of factors are read whole
    if (n) run(&g);
}

static void test_gemm_f32(job *j, size_t n) { gemm(j, EBB_F32, (int)n, j->k->gemm_f32); }
static void test_gemm_f16(job *j, size_t n) { gemm(j, EBB_F16, (int)n, j->k->gemm_f16); }
static void test_gemm_i8(job *j, size_t n) { gemm(j, EBB_I8, (int)n, j->k->gemm_i8); }
static void test_depthwise_f32(job *j, size_t n) { depthwise(j, EBB_F32, (int)n, j->k->depthwise_f32); }
static void test_depthwise_f16(job *j, size_t n) { depthwise(j, EBB_F16, (int)n, j->k->depthwise_f16); }
static void test_depthwise_i8(job *j, size_t n) { depthwise(j, EBB_I8, (int)n, j->k->depthwise_i8); }

static void reduce(job *j, int op, size_t n, size_t step_n, size_t m, size_t step_m, bool centred)
{
    const float *x = floats(j, n * step_n + m * step_m + 1), *centre = centred ? floats(j, m) : NULL;
    float *acc = float_result(j, m);
    const float *old = before(j, acc, m);
    j->k->reduce_f32(op, acc, x, n, (ptrdiff_t)step_n, m, (ptrdiff_t)step_m, centre);
    EXPECT(j, acc, m, collected(op, old[i], x + i * step_m, n, step_n, centre ? centre[i] : 0));
}

static void test_reduce_f32(job *j, size_t n)
{
    for (int op = EBB_SUM; op <= EBB_SUM_SQUARE_OFF; op++) {
        reduce(j, op, n, 1, 3, n + 1, true);  // rows
        reduce(j, op, 6, n + 1, n, 1, true);  // columns
        reduce(j, op, n, 2, 3, 2 * n + 1, false);
    }
}

static double affine(const ebb_affine *a, double x, size_t i)
{
    const size_t each = a->step ? i : 0, g = a->gamma_step ? i : 0;
    return (x - a->mean[each]) * (a->scale ? a->scale[each] : 1) * a->gamma[g] + (a->beta ? a->beta[g] : 0);
}

static void test_affine_f32(job *j, size_t n)
{
    const float *x = floats(j, reach(3, n)), *p = floats(j, n + 1), *q = floats(j, n + 1);
    for (int form = 0; form < 4; form++) {
        const ebb_affine a = {.mean = p, .scale = form ? q : NULL, .gamma = q, .beta = form ? p : NULL,
                              .step = form & 1, .gamma_step = form >> 1};
        float *y = float_result(j, 3 * n);
        j->k->affine_f32(y, (ptrdiff_t)n, x, (ptrdiff_t)n + 1, 3, n, &a);
        EXPECT(j, y, 3 * n, affine(&a, x[i / n * (n + 1) + i % n], i % n));
    }
}

static void test_lrn_window_f32(job *j, size_t n)
{
    const float *squares = floats(j, n + 4);
    float *y = float_result(j, n);
    j->k->lrn_window_f32(y, squares, n, 5);
    EXPECT(j, y, n, product(squares + i, (const float[]){1, 1, 1, 1, 1}, 5));
}

static void test_lrn_scale_f32(job *j, size_t n)
{
    const float *x = floats(j, n), *sum = floats(j, n);
    float *y = float_result(j, n);
    j->k->lrn_scale_f32(y, x, sum, n, 3.f, 0.5f, 0.75f);
    EXPECT(j, y, n, x[i] * pow(3 + 0.5 * sum[i], -0.75));
}

static void test_axpby_f32(job *j, size_t n)
{
    const float *a = floats(j, n), *b = floats(j, n);
    float *y = float_result(j, n);
    j->k->axpby_f32(y, a, 0.7f, b, -1.3f, n);
    EXPECT(j, y, n, 0.7f * (double)a[i] + -1.3f * (double)b[i]);
}

static void test_widen_f16(job *j, size_t n)
{
    const uint16_t *x = input(j, EBB_F16, n);
    float *y = float_result(j, n);
    j->k->widen_f16(y, x, n);
    EXPECT(j, y, n, ebb_f16_to_f32(x[i]));
}

static void test_widen_bf16(job *j, size_t n)
{
    const uint16_t *x = input(j, EBB_BF16, n);
    float *y = float_result(j, n);
    j->k->widen_bf16(y, x, n);
    EXPECT(j, y, n, ebb_bf16_to_f32(x[i]));
}

static void test_narrow_f16(job *j, size_t n)
{
    const float *x = floats(j, n);
    uint16_t *y = result(j, EBB_F16, n);
    j->k->narrow_f16(y, x, n);
    EXPECT(j, y, n, ebb_f32_to_f16(x[i]));
}

static void test_narrow_bf16(job *j, size_t n)
{
    const float *x = floats(j, n);
    uint16_t *y = result(j, EBB_BF16, n);
    j->k->narrow_bf16(y, x, n);
    EXPECT(j, y, n, ebb_f32_to_bf16(x[i]));
}

static void test_gather_f32(job *j, size_t n)
{
    for (ptrdiff_t step = 0; step < 4; step++) {
        const float *x = floats(j, n * (size_t)step + 1);
        float *y = float_result(j, n);
        j->k->gather_f32(y, x, step, n);
        EXPECT(j, y, n, x[(ptrdiff_t)i * step]);
    }
}

// A kernel of the list without a test does not compile.
static const struct { const char *name; double tolerance; void (*run)(job *, size_t n); } kernels[] = {
#define KERNEL(name, tolerance, args) {#name, tolerance, test_##name},
#include "kernels/kernel_list.h"
#undef KERNEL
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void run(job *j, int kernel, const ebb_kernels *k, size_t n)
{
    *j = (job){.k = k, .name = kernels[kernel].name, .tolerance = kernels[kernel].tolerance, .seed = 7};
    kernels[kernel].run(j, n);
}

static void compare(const job *j, const job *scalar, size_t n)
{
    static const char guards[GUARDS] = {[0 ... GUARDS - 1] = UNTOUCHED};
    int results = 0;
    ck_assert_int_eq(j->blocks, scalar->blocks);
    for (int b = 0; b < j->blocks; b++) {
        const block *got = &j->block[b], *want = &scalar->block[b];
        if (!got->result) continue;
        results++;
        for (size_t i = 0; i < got->n; i++) near(j, "the first table", n, i, value(got, i), value(want, i));
        ck_assert_msg(!memcmp(got->at + got->n * ebb_dtype_bytes(got->type), guards, GUARDS),
                      "%s, %s: of %zu, writes behind its result", j->name, j->k->isa, n);
    }
    ck_assert_msg(results, "%s: nothing is compared", j->name);
}

static void tear_down(job *j)
{
    for (int b = 0; b < j->blocks; b++) free(j->block[b].at);
}

static void all_tables(int kernel, size_t n)
{
    static job scalar, other;
    run(&scalar, kernel, ebb_cpu_table(0), n);
    for (int t = 0; ebb_cpu_table(t); t++) {
        run(&other, kernel, ebb_cpu_table(t), n);
        compare(&other, &scalar, n);
        tear_down(&other);
    }
    tear_down(&scalar);
}

START_TEST(tables_agree)
{
    static const size_t sizes[] = {0, 1, 3, 5, 15, 16, 17, 33, 100};
    for (int kernel = 0; kernel < KERNELS; kernel++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) all_tables(kernel, sizes[s]);
}
END_TEST

int main(void)
{
    return run_tests("kernels", (const test_entry[]){{"complete", tables_are_complete},
                                                     {"accurate", functions_are_accurate},
                                                     {"lanes_and_tails", lanes_and_tails_agree},
                                                     {"tables_agree", tables_agree},
                                                     {0}});
}
