// SPDX-License-Identifier: BSD-3-Clause
// pack_test.c - the product kernels of every table against sums in double precision, with guards around the results.
#include "cpu.h"
#include "parts/pack.h"
#include "parts/quant.h"
#include "harness.h"
#include "order.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct product {
    ebb_dtype dtype;
    int m, n, k, taps;
    int a_step, c_gap;  // elements between products; between rows of c
    bool list, bias, add, narrow;
    int act;
} product;

static uint32_t seed;
static int number(int lo, int hi)
{
    seed = seed * 1664525u + 1013904223u;
    return lo + (int)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

static double activate(double x, int act, double a, double b)
{
    switch (act) {
    case 1: return x < 0 ? 0 : x;
    case 2: return x < 0 ? a * x : x;
    case 3: return x < a ? a : x > b ? b : x;
    case 4: return 1 / (1 + exp(-x));
    case 5: return x * tanh(log1p(exp(x)));
    case 6: return x * fmin(1, fmax(0, a * x + b));
    default: return x;
    }
}

static void *make(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
    ck_assert_ptr_nonnull(p);
    memset(p, 0x55, (bytes + 127) & ~(size_t)63);
    return p;
}

// Rows of A are shared between taps, as in a convolution, and stand in no order.
typedef struct operands {
    int rows, per_tap, all_taps;
    float *a_f32;
    int8_t *a_i8;
    const void **table;
    int *tap;
    void *b, *packed;
    double *b_value;  // [column][tap][product]
    float *bias, *scale;
    float *c;
    void **c_rows;
} operands;

static void fill_b(const product *p, operands *o)
{
    const size_t n = (size_t)p->n * (size_t)(o->all_taps * p->k);
    o->b = make(n * sizeof(float) + 64);
    o->b_value = malloc(n * sizeof(double) + 8);
    for (size_t i = 0; i < n; i++) {
        const int v = p->dtype == EBB_I8 ? number(-127, 127) : number(-64, 64);
        o->b_value[i] = p->dtype == EBB_I8 ? v : v / 64.0;
        if (p->dtype == EBB_I8) ((int8_t *)o->b)[i] = (int8_t)v;
        if (p->dtype == EBB_F32) ((float *)o->b)[i] = (float)v / 64;
        if (p->dtype == EBB_F16) ((uint16_t *)o->b)[i] = ebb_f32_to_f16((float)v / 64);
    }
}

static operands set_up(const ebb_kernels *k, const product *p)
{
    operands o = {.rows = p->m + 2, .per_tap = p->m + 3, .all_taps = p->taps + (p->list ? 2 : 0)};
    const size_t row = (size_t)(p->k * p->a_step + 1), n = (size_t)o.rows * row;
    o.a_f32 = make(n * sizeof(float));
    o.a_i8 = make(n);
    for (size_t i = 0; i < n; i++) {
        o.a_f32[i] = (float)number(-64, 64) / 64;
        o.a_i8[i] = (int8_t)number(-127, 127);
    }
    o.table = malloc(sizeof *o.table * (size_t)(o.per_tap * p->taps + 1));
    o.tap = malloc(sizeof *o.tap * (size_t)(p->taps + 1));
    for (int t = 0; t < p->taps; t++) {
        o.tap[t] = o.all_taps - 1 - t;
        for (int i = 0; i < p->m; i++) {
            const size_t at = (size_t)((i * 7 + t) % o.rows) * row;
            o.table[t * o.per_tap + i] = p->dtype == EBB_I8 ? (void *)(o.a_i8 + at) : (void *)(o.a_f32 + at);
        }
    }
    fill_b(p, &o);
    const size_t packed = ebb_gemm_bytes(p->dtype, p->n, o.all_taps, p->k) + ebb_gemm_slack(k, p->dtype);
    o.packed = make(packed);
    memset((char *)o.packed, 0, packed);
    const int panels = ebb_gemm_panels(k, p->n);
    for (int i = panels; i > 0; i--)
        ebb_gemm_pack(k, p->dtype, o.packed, p->n, o.all_taps, p->k,
                      &(ebb_gemm_from){p->dtype, o.b, (ptrdiff_t)o.all_taps * p->k, p->k, 1, NULL, NULL},
                      i - 1, i);
    ck_assert_mem_eq((char *)o.packed + packed, "UUUUUUUU", 8);
    o.bias = malloc(sizeof(float) * (size_t)(p->n + 1));
    o.scale = malloc(sizeof(float) * (size_t)(p->n + 1));
    for (int i = 0; i < p->n; i++) {
        o.bias[i] = (float)number(-64, 64) / 32;
        o.scale[i] = (float)number(1, 64) / 65536;
    }
    o.c = make(sizeof(float) * (size_t)(p->m * (p->n + p->c_gap)));
    o.c_rows = malloc(sizeof *o.c_rows * (size_t)(p->m + 1));
    return o;
}

static void tear_down(operands *o)
{
    free(o->a_f32), free(o->a_i8), free(o->table), free(o->tap), free(o->b), free(o->packed),
        free(o->b_value);
    free(o->bias), free(o->scale), free(o->c), free(o->c_rows);
}

static double expected(const product *p, const operands *o, int i, int j, double start)
{
    double sum = 0;
    for (int t = 0; t < p->taps; t++) {
        const int bt = p->list ? o->tap[t] : t;
        for (int x = 0; x < p->k; x++) {
            const void *a = o->table[t * o->per_tap + i];
            const double v = p->dtype == EBB_I8 ? ((const int8_t *)a)[x] : ((const float *)a)[x * p->a_step];
            sum += v * o->b_value[((size_t)j * (size_t)o->all_taps + (size_t)bt) * (size_t)p->k + (size_t)x];
        }
    }
    if (p->dtype == EBB_I8) sum *= o->scale[j];
    return activate(sum + (p->add ? start : p->bias ? o->bias[j] : 0), p->act, 0.25, 0.5);
}

static void compare(const ebb_kernels *k, const product *p, const operands *o, const void *before)
{
    const int ld = p->n + p->c_gap;
    for (int i = 0; i < p->m; i++) {
        for (int j = 0; j < ld; j++) {
            const size_t at = (size_t)i * (size_t)ld + (size_t)j;
            if (j >= p->n) {
                ck_assert_mem_eq((const char *)o->c + at * (p->narrow ? 1 : 4), "UUUU", p->narrow ? 1 : 4);
                continue;
            }
            const double want = expected(p, o, i, j, ((const float *)before)[at]);
            if (p->narrow) {
                const double q = fmax(-127, fmin(127, want * 50)), got = ((const int8_t *)o->c)[at];
                ck_assert_msg(fabs(got - q) <= 0.5001, "%s: %d,%d is %g, not %g", k->isa, i, j, got, q);
            } else {
                ck_assert_msg(fabs(o->c[at] - want) <= 2e-5 * fmax(1, fabs(want)),
                              "%s: m %d n %d k %d taps %d: %d,%d is %g, not %g", k->isa, p->m, p->n, p->k,
                              p->taps, i, j, o->c[at], want);
            }
        }
    }
}

static void check(const ebb_kernels *k, const product *p)
{
    operands o = set_up(k, p);
    const int ld = p->n + p->c_gap;
    const size_t bytes = sizeof(float) * (size_t)(p->m * ld) + 4;
    for (int i = 0; i < p->m; i++) o.c_rows[i] = (char *)o.c + (size_t)(i * ld) * (p->narrow ? 1 : 4);
    if (p->add)
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j < p->n; j++) o.c[i * ld + j] = (float)number(-64, 64) / 64;
    void *before = malloc(bytes);
    memcpy(before, o.c, bytes);
    struct ebb_gemm g = {.a = o.table,
                         .a_row = o.per_tap,
                         .a_step = p->a_step,
                         .taps = p->taps,
                         .k = p->k,
                         .m = p->m,
                         .n = p->n,
                         .b = o.packed,
                         .b_taps = o.all_taps,
                         .c = o.c_rows,
                         .add = p->add,
                         .act = p->act,
                         .act_a = 0.25f,
                         .act_b = 0.5f,
                         .narrow = p->narrow,
                         .narrow_scale = 50.f,
                         .scale = o.scale};
    if (p->list) g.tap = o.tap;
    if (p->bias) g.bias = o.bias;
    for (int i = ebb_gemm_panels(k, p->n); i > 0; i--) {
        g.panel0 = i - 1;
        g.panel1 = i;
        ebb_gemm_run(k, p->dtype, &g);
    }
    compare(k, p, &o, before);
    free(before);
    tear_down(&o);
}

static void all_tables(const product *p)
{
    for (int i = 0; ebb_cpu_table(i); i++) check(ebb_cpu_table(i), p);
}

static const ebb_dtype dtypes[] = {EBB_F32, EBB_F16, EBB_I8};

START_TEST(sizes)
{
    static const int m[] = {0, 1, 2, 3, 4, 5, 6, 7, 13}, n[] = {1, 3, 5, 16, 17, 33, 65, 128, 130},
                     k[] = {0, 1, 2, 3, 17};
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 9; a++)
            for (int b = 0; b < 9; b++)
                for (int c = 0; c < 5; c++)
                    all_tables(&(product){.dtype = dtypes[d],
                                          .m = m[a],
                                          .n = n[b],
                                          .k = k[c],
                                          .taps = 1 + (a + b) % 3,
                                          .a_step = 1,
                                          .bias = b % 2,
                                          .c_gap = 3});
}
END_TEST

START_TEST(options)
{
    for (int d = 0; d < 3; d++)
        for (int act = 0; act <= 6; act++)
            for (int bits = 0; bits < 8; bits++)
                all_tables(&(product){.dtype = dtypes[d],
                                      .m = 11,
                                      .n = 37 + 16 * act,
                                      .k = 7,
                                      .taps = 4,
                                      .a_step = 1,
                                      .c_gap = 5,
                                      .act = act,
                                      .list = bits & 1,
                                      .bias = bits & 2,
                                      .narrow = bits & 4});
}
END_TEST

START_TEST(steps)  // A that is transposed, and sums that go on from an earlier one
{
    for (int d = 0; d < 2; d++)
        for (int step = 1; step < 4; step++)
            for (int act = 0; act < 3; act++)
                all_tables(&(product){.dtype = dtypes[d],
                                      .m = 8,
                                      .n = 50,
                                      .k = 9,
                                      .taps = 2,
                                      .a_step = step,
                                      .act = act,
                                      .add = true,
                                      .c_gap = 1});
}
END_TEST

START_TEST(quantized_weights)
{
    static const float w[] = {0.5f, -0.5f, 1.5f, 2.49999976f, 1e9f, -1e9f, 0.49999997f, 0.f};
    static const int8_t want[] = {1, -1, 2, 2, 127, -127, 0, 0};
    for (int i = 0; i < 8; i++) ck_assert_int_eq(ebb_quantize(w[i], 1.f), want[i]);
    const ebb_kernels *k = ebb_cpu_table(0);
    const float scale[] = {1.f, 2.f};
    int8_t packed[64] = {0};
    const ebb_gemm_from from = {EBB_F32, w, 4, 4, 1, NULL, scale};
    ebb_gemm_pack(k, EBB_I8, packed, 2, 1, 3, &from, 0, ebb_gemm_panels(k, 2));
    static const int8_t rows[] = {1, -1, 127, -127, 2, 0, 1, 0};  // pairs of products, a pair for each column
    ck_assert_mem_eq(packed, rows, sizeof rows);
}
END_TEST

START_TEST(listed_taps)
{
    static const float w[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const ptrdiff_t taps[] = {6, 0};
    const ebb_gemm_from from = {EBB_F32, w, 1, 0, 2, taps, NULL};
    float row[2];
    ebb_gemm_pack_row(EBB_F32, row, 2, 0, &from);
    ck_assert_mem_eq(row, ((float[]){7, 8}), sizeof row);
    float packed[8];
    const ebb_kernels *k = ebb_cpu_table(0);
    ebb_gemm_pack(k, EBB_F32, packed, 2, 2, 1, &from, 0, ebb_gemm_panels(k, 2));
    ck_assert_mem_eq(packed, ((float[]){7, 8, 1, 2}), 16);
}
END_TEST

START_TEST(packed_size)
{
    ck_assert_uint_eq(ebb_gemm_bytes(EBB_F32, 3, 9, 64), 3 * 9 * 64 * 4);
    ck_assert_uint_eq(ebb_gemm_bytes(EBB_F16, 255, 1, 33), 255 * 33 * 2);
    ck_assert_uint_eq(ebb_gemm_bytes(EBB_I8, 17, 9, 3), 17 * 9 * 4);
    ck_assert_uint_eq(ebb_gemm_bytes(EBB_F32, 1 << 30, 1 << 30, 1 << 30), SIZE_MAX);
}
END_TEST

int main(void)
{
    return run_tests("gemm", (const test_entry[]){{"sizes", sizes}, {"options", options}, {"steps", steps},
                                                  {"quantized_weights", quantized_weights},
                                                  {"listed_taps", listed_taps},
                                                  {"packed_size", packed_size}, {0}});
}
