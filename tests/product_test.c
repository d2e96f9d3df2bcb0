// SPDX-License-Identifier: BSD-3-Clause
// product_test.c - blocks of products with every kernel table: all orders of A and B, f32 and f16, few and
// many rows.
#include "parts/product.h"
#include "cpu.h"
#include "kernels/kernels.h"
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 * 80 };
static float a[MOST], b[MOST], c[200 * 100];
static uint16_t half[MOST];

// Multiples of 1/16 are the same in f16: the high bits of a float, with a smaller exponent.
static uint16_t to_half(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == 0 ? 0 : (uint16_t)((bits >> 16 & 0x8000u) | (((bits >> 13) & 0x3ffffu) - 0x1c000u));
}

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        a[i] = (float)((i * 37 + 11) % 33 - 16) / 16;
        b[i] = (float)((i * 53 + 5) % 31 - 15) / 16;
        half[i] = to_half(b[i]);
    }
}

static void check(const ebb_kernels *k, int m, int n, int depth, int form)
{
    const bool turned_a = form & 1, turned_b = form & 2, wide = form & 4, add = form & 8;
    ebb_product p = {.m = m,
                     .n = n,
                     .k = depth,
                     .a = a,
                     .a_row = turned_a ? 1 : depth,
                     .a_k = turned_a ? m : 1,
                     .b = wide ? (const void *)half : b,
                     .b_dtype = wide ? EBB_F16 : EBB_F32,
                     .b_col = turned_b ? depth : 1,
                     .b_k = turned_b ? 1 : n,
                     .c = c,
                     .c_row = n + 3,
                     .add = add};
    void *scratch = aligned_alloc(64, (ebb_product_scratch(k, m, n, depth) + 63) / 64 * 64);
    for (int i = 0; i < m * (n + 3); i++) c[i] = 7;
    const ebb_blocks blocks = ebb_product_blocks(&p);
    for (size_t i = 0; i < blocks.count; i++) {
        const ebb_block at = ebb_block_at(&p, &blocks, i);
        ebb_product_run(k, scratch, &p, &at);
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = add ? 7 : 0;
            for (int x = 0; x < depth; x++) sum += a[i * p.a_row + x * p.a_k] * b[x * p.b_k + j * p.b_col];
            ck_assert_msg(fabs(c[i * p.c_row + j] - sum) < 1e-4,
                          "%s %dx%dx%d form %d: [%d][%d] is %g, want %g", k->isa, m, n, depth, form, i, j,
                          c[i * p.c_row + j], sum);
        }
        for (int j = n; j < n + 3; j++) ck_assert_float_eq(c[i * p.c_row + j], 7);
    }
    free(scratch);
}

START_TEST(all_orders)
{
    static const int size[][3] = {{1, 1, 1},   {1, 70, 33},  {3, 17, 5}, {4, 65, 256}, {5, 64, 257},
                                  {17, 3, 40}, {197, 33, 9}, {2, 5, 0},  {0, 5, 3},    {6, 0, 3}};
    fill();
    for (int t = 0; ebb_cpu_table(t); t++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++)
            for (int form = 0; form < 16; form++)
                check(ebb_cpu_table(t), size[s][0], size[s][1], size[s][2], form);
}
END_TEST

int main(void) { return run_tests("product", (const test_entry[]){{"orders", all_orders}, {0}}); }
