// SPDX-License-Identifier: BSD-3-Clause
// depthwise_test.c - the depthwise kernels of every table against sums in double precision; nothing is written, or
// read, behind a pixel's last channel.
#include "cpu.h"
#include "harness.h"
#include "kernels.h"
#include "order.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 7, TAPS = 3, CHANNELS = 150, PITCH = CHANNELS + 3 };

typedef struct data {
    float x[ROWS + TAPS][CHANNELS], f32[TAPS][CHANNELS], bias[CHANNELS], scale[CHANNELS];
    uint16_t f16[TAPS * CHANNELS + 64];
    int8_t x8[ROWS + TAPS][CHANNELS], i8[TAPS * CHANNELS + 64];
    float packed[TAPS * CHANNELS + 64];
} data;

static void fill(data *d, int n)
{
    unsigned s = 5;
    for (int i = 0; i < ROWS + TAPS; i++)
        for (int c = 0; c < n; c++) {
            s = s * 1664525u + 1013904223u;
            d->x[i][c] = (float)((int)(s >> 24) - 128) / 64;
            d->x8[i][c] = (int8_t)(s >> 16);
        }
    for (int t = 0; t < TAPS; t++)
        for (int c = 0; c < n; c++) {
            s = s * 1664525u + 1013904223u;
            d->f32[t][c] = (float)((int)(s >> 25) - 64) / 64;
            d->packed[t * n + c] = d->f32[t][c];
            d->f16[t * n + c] = ebb_f32_to_f16(d->f32[t][c]);
            d->i8[t * n + c] = (int8_t)(s >> 16);
            d->bias[c] = (float)c / 16 - 2;
            d->scale[c] = 1.f / (float)(1024 + c);
        }
}

static double expected(const data *d, int kind, int n, int i, int c, const int *tap)
{
    double sum = 0;
    for (int t = 0; t < TAPS; t++) {
        const int w = tap ? tap[t] : t;
        sum += kind == 2 ? (double)d->x8[i + t][c] * d->i8[w * n + c] : (double)d->x[i + t][c] * d->f32[w][c];
    }
    return (kind == 2 ? sum * d->scale[c] : sum) + d->bias[c];
}

static void check(const ebb_kernels *k, int kind, int n, int m, int act, bool narrow, const int *tap)
{
    data *d = calloc(1, sizeof *d);
    float *c = malloc(ROWS * PITCH * sizeof *c);
    ck_assert_ptr_nonnull(d);
    ck_assert_ptr_nonnull(c);
    memset(c, 0x55, ROWS * PITCH * sizeof *c);
    fill(d, n);
    const void *a[TAPS * ROWS];
    void *to[ROWS];
    for (int i = 0; i < m; i++) {
        to[i] = narrow ? (void *)((int8_t *)c + i * PITCH) : (void *)(c + i * PITCH);
        for (int t = 0; t < TAPS; t++) a[t * ROWS + i] = kind == 2 ? (void *)d->x8[i + t] : (void *)d->x[i + t];
    }
    const void *const b[] = {d->packed, d->f16, d->i8};
    const struct ebb_gemm g = {.a = a, .a_row = ROWS, .taps = TAPS, .m = m, .n = n, .b = b[kind], .c = to, .bias = d->bias,
                               .scale = d->scale, .act = act, .act_a = 0.5f, .tap = tap, .narrow = narrow,
                               .narrow_scale = 20.f};
    void (*const kernels[])(const struct ebb_gemm *) = {k->depthwise_f32, k->depthwise_f16, k->depthwise_i8};
    kernels[kind](&g);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < PITCH; j++) {
            if (j >= n) {
                ck_assert_mem_eq((char *)to[i] + j * (narrow ? 1 : 4), "UUUU", narrow ? 1 : 4);
                continue;
            }
            double want = expected(d, kind, n, i, j, tap);
            if (act && want < 0) want = act == 1 ? 0 : want / 2;
            const double got = narrow ? ((int8_t *)to[i])[j] : ((float *)to[i])[j];
            if (narrow) want = fmax(-127, fmin(127, want * 20));
            ck_assert_msg(fabs(got - want) <= (narrow ? 0.5001 : 1e-5 * fmax(1, fabs(want))),
                          "%s kind %d n %d: row %d channel %d is %g, not %g", k->isa, kind, n, i, j, got, want);
        }
    free(c);
    free(d);
}

START_TEST(sizes)
{
    static const int n[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 129, 150}, m[] = {0, 1, 3, 4, 7};
    static const int tap[] = {2, 0, 1};
    for (int t = 0; ebb_cpu_table(t); t++)
        for (int kind = 0; kind < 3; kind++)
            for (size_t i = 0; i < sizeof n / sizeof *n; i++)
                for (size_t j = 0; j < sizeof m / sizeof *m; j++)
                    check(ebb_cpu_table(t), kind, n[i], m[j], (int)(i + j) % 3, i % 2, j % 2 ? tap : NULL);
}
END_TEST

int main(void) { return run_tests("depthwise", (const test_entry[]){{"sizes", sizes}, {0}}); }
