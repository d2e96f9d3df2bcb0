// SPDX-License-Identifier: BSD-3-Clause
// linear_test.c - products with the rows of a matrix, with every kernel table: f32, f16, 8 bits and packed
// blocks, any number of rows and vectors; and what a quantize_term means.
#include "parts/linear.h"
#include "cpu.h"
#include "kernels/kernels.h"
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 75, COLS = 300, VECTORS = 7 };
static const int widths[] = {1, 3, 5, 15, 16, 17, 33, 64, 300};
enum { WIDTHS = sizeof widths / sizeof *widths };
static float weight[ROWS * COLS], x[VECTORS * COLS], y[VECTORS * (ROWS + 5)];

// Sets number i of a row of packed bytes.
static void put(uint8_t *row, int i, int bits, int v)
{
    for (int b = 0; b < bits; b++)
        if (v >> b & 1) row[(i * bits + b) / 8] |= (uint8_t)(1u << (i * bits + b) % 8);
}

static void check(const char *what, const ebb_kernels *k, const ebb_linear *m, const ebb_vectors *v, int row,
                  int rows)
{
    for (int i = 0; i < VECTORS * (ROWS + 5); i++) y[i] = 3;
    ebb_linear_times(m, k, row, rows, v, y, ROWS + 5);
    for (int j = 0; j < VECTORS; j++)
        for (int r = 0; r < ROWS + 5; r++) {
            double sum = 3;
            for (int i = 0; j < v->n && r < rows && i < m->cols; i++)
                sum += (double)weight[(row + r) * m->cols + i] * x[j * COLS + i];
            ck_assert_msg(fabs(y[j * (ROWS + 5) + r] - sum) <= 1e-3,
                          "%s, %s, %d vectors, rows %d to %d of %d: [%d][%d] is %g, want %g", what, k->isa,
                          v->n, row, row + rows, m->cols, j, r, y[j * (ROWS + 5) + r], sum);
        }
}

static void check_rows(const char *what, const ebb_kernels *k, ebb_linear *m, ebb_vectors *v)
{
    for (v->n = 0; v->n <= VECTORS; v->n += v->n < 4 ? 1 : 3)
        for (int rows = 1; rows <= ROWS; rows += rows < 10 ? 2 : 33) check(what, k, m, v, ROWS - rows, rows);
}

static void inputs(void)
{
    for (int i = 0; i < VECTORS * COLS; i++) x[i] = (float)((i * 31 + 7) % 33 - 16) / 16;
}

START_TEST(floats)
{
    static uint16_t half[ROWS * COLS];
    inputs();
    for (int i = 0; i < ROWS * COLS; i++) {
        const int v = (i * 37 + 11) % 31 - 15;  // n / 16 in f16: the exponent of n
        int e = 0;
        while (v && abs(v) >> (e + 1)) e++;
        weight[i] = (float)v / 16;
        half[i] =
            v == 0 ? 0 : (uint16_t)((v < 0 ? 0x8000 : 0) | (e - 4 + 15) << 10 | (abs(v) << (10 - e) & 1023));
    }
    for (int t = 0; ebb_cpu_table(t); t++)
        for (int w = 0; w < WIDTHS; w++) {
            ebb_linear m = {.rows = ROWS, .cols = widths[w], .w = {.dtype = EBB_F32, .data = weight}};
            ebb_vectors v = {.stride = COLS, .f = x};
            check_rows("f32", ebb_cpu_table(t), &m, &v);
            m.w = (ebb_weights){.dtype = EBB_F16, .data = half};
            check_rows("f16", ebb_cpu_table(t), &m, &v);
        }
}
END_TEST

START_TEST(eight_bits)
{
    static int8_t q[ROWS * COLS], qx[VECTORS * COLS];
    float factor[ROWS], own[VECTORS];
    for (int each = 0; each < 2; each++)
        for (int w = 0; w < WIDTHS; w++) {
            const int cols = widths[w];
            for (int j = 0; j < VECTORS; j++) own[j] = (float)(each ? j + 1 : 1) / 64;
            for (int r = 0; r < ROWS; r++) factor[r] = (float)(r + 1) / 4096;
            for (int i = 0; i < VECTORS * COLS; i++) {
                qx[i] = (int8_t)((i * 31 + 7) % 255 - 127);
                x[i] = (float)qx[i] * own[i / COLS];
            }
            for (int i = 0; i < ROWS * cols; i++) {
                q[i] = (int8_t)((i * 37 + 11) % 255 - 127);
                weight[i] = (float)q[i] * factor[i / cols];
            }
            ebb_linear m = {.rows = ROWS, .cols = cols, .w = {.dtype = EBB_I8, .data = q}, .factor = factor};
            ebb_vectors v = {.stride = COLS, .q = qx, .factor = own, .each = each};
            for (int t = 0; ebb_cpu_table(t); t++) check_rows("i8", ebb_cpu_table(t), &m, &v);
        }
}
END_TEST

START_TEST(packed_blocks)
{
    static uint8_t bytes[ROWS * COLS];
    static float factor[ROWS * COLS], input[COLS];
    inputs();
    for (int i = 0; i < COLS; i++) input[i] = (float)(i % 5 + 1) / 4;
    for (int form = 0; form < 18; form++) {
        const int bits = 4 + form % 3 * 2, block = 32 << form / 3 % 3,
                  cols = form % 4 == 0   ? COLS
                         : form % 4 == 1 ? 33
                                         : 131 + form;
        const int blocks = (cols + block - 1) / block, line = (cols * bits + 7) / 8, most = 1 << (bits - 1);
        memset(bytes, 0, sizeof bytes);
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < cols; i++) {
                const int v = (r * 41 + i * 7) % (2 * most) - most;
                put(bytes + r * line, i, bits, v);
                factor[r * blocks + i / block] = (float)(1 + (r + i / block) % 3) / (float)(8 * most);
                weight[r * cols + i] = (float)v * factor[r * blocks + i / block] * (form < 9 ? 1 : input[i]);
            }
        ebb_linear m = {.rows = ROWS, .cols = cols, .w = {.dtype = EBB_I8, .data = bytes}, .factor = factor,
                        .pack = {.bits = bits, .block = block}, .input = form < 9 ? NULL : input};
        ebb_vectors v = {.stride = COLS, .f = x};
        for (int t = 0; ebb_cpu_table(t); t++) check_rows("packed", ebb_cpu_table(t), &m, &v);
    }
}
END_TEST

START_TEST(quantize_terms)
{
    ebb_weight_quant q;
    ebb_error e;
    ck_assert(ebb_weight_quant_of(&q, 0, &e) == EBB_OK && !q.eight && q.bits == 0);
    ck_assert(ebb_weight_quant_of(&q, 2, &e) == EBB_OK && q.eight && q.bits == 0);
    ck_assert(ebb_weight_quant_of(&q, 400, &e) == EBB_OK && !q.eight && q.bits == 4 && q.block == 32 &&
              !q.input);
    ck_assert(ebb_weight_quant_of(&q, 611, &e) == EBB_OK && q.bits == 6 && q.block == 64 && q.input);
    ck_assert(ebb_weight_quant_of(&q, 812, &e) == EBB_OK && q.bits == 8 && q.block == 128 && q.input);
    const int unknown[] = {4, 5, 6, 403, 420, 500, 900, 1812};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        ck_assert_int_eq(ebb_weight_quant_of(&q, unknown[i], &e), EBB_E_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(e.msg, "is unknown"));
    }
}
END_TEST

int main(void)
{
    return run_tests("matrix", (const test_entry[]){{"floats", floats},
                                                    {"eight bits", eight_bits},
                                                    {"packed", packed_blocks},
                                                    {"terms", quantize_terms},
                                                    {0}});
}
