// KERNEL(name, tolerance, arguments): every kernel, one line each. The one place to add a kernel: it becomes a field
// of ebb_kernels, a function per instruction set that <stem>.kern.c defines with EBB_K(name), and a call of
// test_name in tests/kernels_test.c. Results of two tables differ by at most tolerance * max(1, |result|): 0 for
// what is moved, compared or an integer, more for sums, functions and what may be fused.
// y[j * sy + r] += x[j] . w[r] for nx vectors x and nw rows w of n elements
KERNEL(dot_f32, 2e-5, (float *y, ptrdiff_t sy, const float *x, ptrdiff_t sx, int nx, const float *w, ptrdiff_t sw, int nw, size_t n))
KERNEL(dot_f16, 2e-5, (float *y, ptrdiff_t sy, const float *x, ptrdiff_t sx, int nx, const uint16_t *w, ptrdiff_t sw, int nw, size_t n))
KERNEL(dot_i8, 0, (int32_t *y, ptrdiff_t sy, const int8_t *x, ptrdiff_t sx, int nx, const int8_t *w, ptrdiff_t sw, int nw, size_t n))
KERNEL(dequantize_blocks_f32, 0, (float *y, const uint8_t *q, size_t n, int bits, const float *factor, int block, const float *input))
KERNEL(quantize_i8, 0, (int8_t *y, const float *x, size_t n, const float *scale, int each))  // one scale, or one each
KERNEL(dequantize_f32, 1e-6, (float *y, const int32_t *x, size_t n, const float *scale, const float *bias, int each))
KERNEL(absmax_f32, 0, (float *max, const float *x, size_t n))  // *max = max(*max, |x|); NaN is passed over
KERNEL(activate_f32, 1e-6, (float *y, size_t n, int type, float a, float b))
// One row of scores against a block of keys: see attention.kern.c
KERNEL(softmax_block_f32, 1e-5, (float *s, const float *mask, float scale, size_t n, float *max, float *sum, float *y, size_t nv))
// One step of n recurrent units: gate g of unit q is gates[g * pitch + q]
KERNEL(lstm_f32, 1e-6, (float *h, float *cell, const float *gates, ptrdiff_t pitch, size_t n))
KERNEL(gru_f32, 1e-6, (float *h, const float *old, const float *gates, ptrdiff_t pitch, const float *nh, size_t n))
KERNEL(rotary_f32, 1e-6, (float *y, const float *x, const float *cos, const float *sin, size_t n, int apart, int second))
KERNEL(weighted_sum_f32, 1e-6, (float *y, const float *const *x, const float *w, int taps, int add, size_t n))
KERNEL(relu_f32, 0, (float *y, const float *x, size_t n, float slope))
KERNEL(binary_f32, 1e-6, (int op, float *y, const float *a, ptrdiff_t step_a, const float *b, ptrdiff_t step_b, size_t n))
KERNEL(unary_f32, 1e-6, (int op, float *y, const float *x, size_t n, const float *p))
KERNEL(pool_max_f32, 0, (float *y, const float *x, const ptrdiff_t step[3], const int count[3], size_t n))
KERNEL(pool_mean_f32, 1e-6, (float *y, const float *x, const ptrdiff_t step[3], const int count[3], float area, size_t n))
KERNEL(softmax_row_f32, 1e-6, (float *y, const float *x, size_t n))
KERNEL(softmax_columns_f32, 1e-6, (float *y, ptrdiff_t step_y, const float *x, ptrdiff_t step_x, size_t n, size_t m))
// m rows of A times n columns of B, gathered and packed as struct ebb_gemm says
KERNEL(gemm_f32, 2e-5, (const struct ebb_gemm *g))
KERNEL(gemm_f16, 2e-5, (const struct ebb_gemm *g))
KERNEL(gemm_i8, 1e-6, (const struct ebb_gemm *g))
KERNEL(reduce_f32, 1e-5, (int op, float *acc, const float *x, size_t n, ptrdiff_t step_n, size_t m, ptrdiff_t step_m, const float *centre))
KERNEL(affine_f32, 1e-6, (float *y, ptrdiff_t step_y, const float *x, ptrdiff_t step_x, size_t rows, size_t n, const ebb_affine *a))
KERNEL(lrn_window_f32, 1e-6, (float *sum, const float *squares, size_t n, size_t size))
KERNEL(lrn_scale_f32, 1e-6, (float *y, const float *x, const float *sum, size_t n, float bias, float alpha, float beta))
KERNEL(axpby_f32, 1e-6, (float *y, const float *a, float ka, const float *b, float kb, size_t n))
// the same sums for each column by itself: one product per tap
KERNEL(depthwise_f32, 2e-5, (const struct ebb_gemm *g))
KERNEL(depthwise_f16, 2e-5, (const struct ebb_gemm *g))
KERNEL(depthwise_i8, 1e-6, (const struct ebb_gemm *g))
KERNEL(widen_f16, 0, (float *y, const uint16_t *x, size_t n))
KERNEL(widen_bf16, 0, (float *y, const uint16_t *x, size_t n))
KERNEL(narrow_f16, 0, (uint16_t *y, const float *x, size_t n))
KERNEL(narrow_bf16, 0, (uint16_t *y, const float *x, size_t n))
KERNEL(gather_f32, 0, (float *to, const float *from, ptrdiff_t step, size_t n))  // to[i] = from[i * step]
