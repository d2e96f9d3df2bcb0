// SPDX-License-Identifier: BSD-3-Clause
// product.c - blocks of a product of matrices. Rule: an element of C is summed in the order of k, whatever the blocks.
#include "product.h"
#include "gemm.h"

enum { DEPTH = 256, FEW = 4 };  // products of a packed block; rows for which packing does not pay

static int least(int a, int b) { return a < b ? a : b; }

size_t ebb_product_scratch(const ebb_kernels *t, int m, int n, int k)
{
    return 2 * (size_t)least(m, EBB_PRODUCT_ROWS) * sizeof(void *) +
           ebb_gemm_bytes(EBB_F32, least(n, EBB_PRODUCT_COLS), 1, least(k, DEPTH)) + ebb_gemm_slack(t, EBB_F32);
}

// Few rows, and the columns of B lie in one piece each.
static void by_dots(const ebb_kernels *k, const ebb_product *p, int row, int rows, int col, int cols)
{
    float *c = p->c + row * p->c_row + col;
    const float *a = p->a + row * p->a_row;
    const ptrdiff_t b = col * p->b_col;
    for (int r = 0; r < rows && !p->add; r++)
        for (int j = 0; j < cols; j++) c[r * p->c_row + j] = 0.f;
    if (p->b_dtype == EBB_F16) {
        k->dot_f16(c, p->c_row, a, p->a_row, rows, (const uint16_t *)p->b + b, p->b_col, cols, (size_t)p->k);
    } else {
        k->dot_f32(c, p->c_row, a, p->a_row, rows, (const float *)p->b + b, p->b_col, cols, (size_t)p->k);
    }
}

// Few rows, and the rows of B lie in one piece each.
static void by_rows(const ebb_kernels *k, const ebb_product *p, int row, int rows, int col, int cols)
{
    const float *b[DEPTH];
    for (int k0 = 0; k0 < p->k || k0 == 0; k0 += DEPTH) {
        const int n = least(p->k - k0, DEPTH);
        for (int i = 0; i < n; i++) b[i] = (const float *)p->b + (k0 + i) * p->b_k + col;
        for (int r = row; r < row + rows; r++)
            k->taps_f32(p->c + r * p->c_row + col, b, p->a + r * p->a_row + k0, n, p->add || k0 > 0, (size_t)cols);
    }
}

static void by_panels(const ebb_kernels *k, void *scratch, const ebb_product *p, int row, int rows, int col, int cols)
{
    const void **a = scratch;
    void **c = (void **)(a + rows), *packed = c + rows;
    const size_t element = ebb_dtype_bytes(p->b_dtype);
    for (int r = 0; r < rows; r++) c[r] = p->c + (row + r) * p->c_row + col;
    for (int k0 = 0; k0 < p->k || k0 == 0; k0 += DEPTH) {
        const int n = least(p->k - k0, DEPTH);
        const ebb_gemm_from from = {.dtype = p->b_dtype, .column = p->b_col, .product = p->b_k,
                                    .data = (const char *)p->b + (col * p->b_col + k0 * p->b_k) * (ptrdiff_t)element};
        const int panels = ebb_gemm_panels(k, cols);
        ebb_gemm_pack(k, p->b_dtype, packed, cols, 1, n, &from, 0, panels);
        for (int r = 0; r < rows; r++) a[r] = p->a + (row + r) * p->a_row + k0 * p->a_k;
        const struct ebb_gemm g = {.a = a, .a_step = p->a_k, .taps = 1, .k = n, .m = rows, .n = cols, .b_taps = 1,
                                   .b = packed, .panel1 = panels, .c = c, .add = p->add || k0 > 0};
        ebb_gemm_run(k, p->b_dtype, &g);
    }
}

void ebb_product_block(const ebb_kernels *k, void *scratch, const ebb_product *p, int row, int rows, int col, int cols)
{
    if (rows <= FEW && p->a_k == 1 && p->b_k == 1) {
        by_dots(k, p, row, rows, col, cols);
    } else if (rows <= FEW && p->a_k == 1 && p->b_col == 1 && p->b_dtype == EBB_F32) {
        by_rows(k, p, row, rows, col, cols);
    } else {
        by_panels(k, scratch, p, row, rows, col, cols);
    }
}

ebb_blocks ebb_product_blocks(const ebb_product *p)
{
    const int across = (p->n - 1) / EBB_PRODUCT_COLS + 1, down = (p->m - 1) / EBB_PRODUCT_ROWS + 1;
    return p->n && p->m ? (ebb_blocks){across, across * down} : (ebb_blocks){1, 0};
}

void ebb_product_at(const ebb_kernels *k, void *scratch, const ebb_product *p, ebb_blocks b, int i)
{
    const int row = i / b.across * EBB_PRODUCT_ROWS, col = i % b.across * EBB_PRODUCT_COLS;
    ebb_product_block(k, scratch, p, row, least(p->m - row, EBB_PRODUCT_ROWS), col, least(p->n - col, EBB_PRODUCT_COLS));
}
