// SPDX-License-Identifier: BSD-3-Clause
// depthwise_test.c - the depthwise kernels of every table against sums in double precision; nothing is written, or
// read, behind a pixel's last channel.
#include "cpu.h"
#include "harness.h"
#include "kernels/kernels.h"
#include "order.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 13, TAPS = 15, CHANNELS = 150, PITCH = CHANNELS + 3 };

typedef struct data {
    float x[ROWS * TAPS][CHANNELS], f32[TAPS][CHANNELS], bias[CHANNELS], scale[CHANNELS];
    uint16_t f16[TAPS * CHANNELS + 64];
    int8_t x8[ROWS * TAPS][CHANNELS], i8[TAPS * CHANNELS + 64];
    float packed[TAPS * CHANNELS + 64];
} data;

static void fill(data *d, int n)
{
    unsigned s = 5;
    for (int i = 0; i < ROWS * TAPS; i++)
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

// How the pixels lie: runs of `run` side by side, the first shorter; windows of `slide` columns (0: anywhere).
typedef struct pattern {
    int slide, run0, run;
} pattern;

// The pixel that tap t of row i reads: neighbours of a run share columns, rows of taps do not.
static int pixel(const pattern *p, int i, int t)
{
    if (!p->slide) return i + t;
    const int r = i < p->run0 ? 0 : 1 + (i - p->run0) / p->run, at = i < p->run0 ? i : (i - p->run0) % p->run;
    return (t / p->slide * 3 + r % 3) * 20 % (ROWS * TAPS - 40) + at + t % p->slide;
}

static double expected(const data *d, int kind, int n, int i, int c, const int *tap, const pattern *p)
{
    double sum = 0;
    for (int t = 0; t < TAPS; t++) {
        const int w = tap ? tap[t] : t, x = pixel(p, i, t);
        sum += kind == 2 ? (double)d->x8[x][c] * d->i8[w * n + c] : (double)d->x[x][c] * d->f32[w][c];
    }
    return (kind == 2 ? sum * d->scale[c] : sum) + d->bias[c];
}

static void check(const ebb_kernels *k, int kind, int n, int m, int act, bool narrow, const int *tap,
                  pattern p)
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
        for (int t = 0; t < TAPS; t++)
            a[t * ROWS + i] = kind == 2 ? (void *)d->x8[pixel(&p, i, t)] : (void *)d->x[pixel(&p, i, t)];
    }
    const void *const b[] = {d->packed, d->f16, d->i8};
    const struct ebb_gemm g = {.a = a,
                               .a_row = ROWS,
                               .taps = TAPS,
                               .m = m,
                               .n = n,
                               .b = b[kind],
                               .c = to,
                               .bias = d->bias,
                               .scale = d->scale,
                               .act = act,
                               .act_a = 0.5f,
                               .tap = tap,
                               .narrow = narrow,
                               .narrow_scale = 20.f,
                               .slide = p.slide,
                               .run0 = p.run0,
                               .run = p.run};
    void (*const kernels[])(const struct ebb_gemm *) = {k->depthwise_f32, k->depthwise_f16, k->depthwise_i8};
    kernels[kind](&g);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < PITCH; j++) {
            if (j >= n) {
                ck_assert_mem_eq((char *)to[i] + j * (narrow ? 1 : 4), "UUUU", narrow ? 1 : 4);
                continue;
            }
            double want = expected(d, kind, n, i, j, tap, &p);
            if (act && want < 0) want = act == 1 ? 0 : want / 2;
            const double got = narrow ? ((int8_t *)to[i])[j] : ((float *)to[i])[j];
            if (narrow) want = fmax(-127, fmin(127, want * 20));
            ck_assert_msg(fabs(got - want) <= (narrow ? 0.501 : 2e-5 * fmax(1, fabs(want))),
                          "%s kind %d n %d m %d slide %d: row %d channel %d is %g, not %g", k->isa, kind, n,
                          m, p.slide, i, j, got, want);
        }
    free(c);
    free(d);
}

static const int channels[] = {1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 129, 150};
enum { N_CHANNELS = sizeof channels / sizeof *channels };

START_TEST(sizes)
{
    static const int tap[TAPS] = {2, 0, 1, 5, 4, 3, 14, 13, 12, 6, 7, 8, 9, 10, 11}, m[] = {0, 1, 3, 4, 7};
    for (int t = 0; ebb_cpu_table(t); t++)
        for (int kind = 0; kind < 3; kind++)
            for (int i = 0; i < N_CHANNELS; i++)
                for (int j = 0; j < 5; j++)
                    check(ebb_cpu_table(t), kind, channels[i], m[j], (i + j) % 3, i % 2, j % 2 ? tap : NULL,
                          (pattern){0});
}
END_TEST

START_TEST(shared_columns)
{
    static const pattern p[] = {{3, 13, 13}, {3, 2, 5}, {3, 4, 4}, {5, 7, 6},
                                {5, 1, 3},   {3, 1, 1}, {5, 12, 9}};
    for (int t = 0; ebb_cpu_table(t); t++)
        for (int kind = 0; kind < 3; kind++)
            for (int i = 0; i < N_CHANNELS; i++)
                for (int j = 0; j < 7; j++)
                    check(ebb_cpu_table(t), kind, channels[i], 13 - j % 3, (i + j) % 3, i % 2, NULL, p[j]);
}
END_TEST

int main(void)
{
    return run_tests("depthwise",
                     (const test_entry[]){{"sizes", sizes}, {"shared_columns", shared_columns}, {0}});
}
