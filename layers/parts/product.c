// SPDX-License-Identifier: BSD-3-Clause
// product.c - blocks of a product of matrices. Rule: how a block is computed depends on the product, not on
// the block.
#include "product.h"
#include "pack.h"
#include <string.h>

enum { DEPTH = 256, COLS = 64 };  // of a packed block
enum { FEW = 4, WIDE = 1024 };    // rows for which packing does not pay; columns of their blocks

static int least(int a, int b) { return a < b ? a : b; }

size_t ebb_product_scratch(const ebb_kernels *t, int m, int n, int k)
{
    // fits: blocks are small
    return 2 * (size_t)least(m, EBB_PRODUCT_ROWS) * sizeof(void *) +
           ebb_gemm_bytes(EBB_F32, least(n, COLS), 1, least(k, DEPTH)) + ebb_gemm_slack(t, EBB_F32);
}

static bool few(const ebb_product *p) { return p->m <= FEW && p->a_k == 1; }
// Few rows, and the columns of B lie in one piece each; or its rows do.
static bool by_dots(const ebb_product *p) { return few(p) && p->b_k == 1; }
static bool by_rows(const ebb_product *p) { return few(p) && p->b_col == 1 && p->b_dtype == EBB_F32; }

static void run_dots(const ebb_kernels *k, const ebb_product *p, const ebb_block *b)
{
    float *c = p->c + b->row * p->c_row + b->col;
    const float *a = p->a + b->row * p->a_row;
    const ptrdiff_t at = b->col * p->b_col;
    for (int r = 0; r < b->rows && !p->add; r++) memset(c + r * p->c_row, 0, (size_t)b->cols * sizeof *c);
    if (p->b_dtype == EBB_F16) {
        k->dot_f16(c, p->c_row, a, p->a_row, b->rows, (const uint16_t *)p->b + at, p->b_col, b->cols,
                   (size_t)p->k);
    } else {
        k->dot_f32(c, p->c_row, a, p->a_row, b->rows, (const float *)p->b + at, p->b_col, b->cols,
                   (size_t)p->k);
    }
}

// A few rows of B are read along their length, for all rows of A.
static void run_rows(const ebb_kernels *k, const ebb_product *p, const ebb_block *b)
{
    enum { AT_ONCE = 16 };
    const float *rows[AT_ONCE];
    for (int k0 = 0; k0 < p->k || k0 == 0; k0 += AT_ONCE) {
        const int n = least(p->k - k0, AT_ONCE);
        for (int i = 0; i < n; i++) rows[i] = (const float *)p->b + (k0 + i) * p->b_k + b->col;
        for (int r = b->row; r < b->row + b->rows; r++)
            k->weighted_sum_f32(p->c + r * p->c_row + b->col, rows, p->a + r * p->a_row + k0, n,
                                p->add || k0 > 0, (size_t)b->cols);
    }
}

static void run_panels(const ebb_kernels *k, void *scratch, const ebb_product *p, const ebb_block *b)
{
    const void **a = scratch;
    void **c = (void **)(a + b->rows), *packed = c + b->rows;
    const ptrdiff_t element = (ptrdiff_t)ebb_dtype_bytes(p->b_dtype);
    const int panels = ebb_gemm_panels(k, b->cols);
    for (int r = 0; r < b->rows; r++) c[r] = p->c + (b->row + r) * p->c_row + b->col;
    for (int k0 = 0; k0 < p->k || k0 == 0; k0 += DEPTH) {
        const int n = least(p->k - k0, DEPTH);
        const ebb_gemm_from from = {.dtype = p->b_dtype, .column = p->b_col, .product = p->b_k,
                                    .data = (const char *)p->b + (b->col * p->b_col + k0 * p->b_k) * element};
        ebb_gemm_pack(k, p->b_dtype, packed, b->cols, 1, n, &from, 0, panels);
        for (int r = 0; r < b->rows; r++) a[r] = p->a + (b->row + r) * p->a_row + k0 * p->a_k;
        const struct ebb_gemm g = {.a = a,
                                   .a_step = p->a_k,
                                   .taps = 1,
                                   .k = n,
                                   .m = b->rows,
                                   .n = b->cols,
                                   .b_taps = 1,
                                   .b = packed,
                                   .panel1 = panels,
                                   .c = c,
                                   .add = p->add || k0 > 0};
        ebb_gemm_run(k, p->b_dtype, &g);
    }
}

void ebb_product_run(const ebb_kernels *k, void *scratch, const ebb_product *p, const ebb_block *b)
{
    if (by_dots(p)) {
        run_dots(k, p, b);
    } else if (by_rows(p)) {
        run_rows(k, p, b);
    } else {
        run_panels(k, scratch, p, b);
    }
}

ebb_blocks ebb_product_blocks(const ebb_product *p)
{
    ebb_blocks b = {.rows = EBB_PRODUCT_ROWS, .cols = by_rows(p) && !by_dots(p) ? WIDE : COLS, .across = 1};
    if (p->m == 0 || p->n == 0) return b;
    b.across = (p->n - 1) / b.cols + 1;
    b.count = ebb_size_mul((size_t)b.across, (size_t)((p->m - 1) / b.rows) + 1);
    return b;
}

ebb_block ebb_block_at(const ebb_product *p, const ebb_blocks *b, size_t i)
{
    const size_t across = (size_t)b->across;
    const int row = (int)(i / across) * b->rows, col = (int)(i % across) * b->cols;
    return (ebb_block){row, least(p->m - row, b->rows), col, least(p->n - col, b->cols)};
}
