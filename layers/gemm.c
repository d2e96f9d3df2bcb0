// SPDX-License-Identifier: BSD-3-Clause
// gemm.c - Gemm: alpha * (A B + beta * C), each of them an input or a constant. Rule: transposes are
// strides; a transposed output is the product of the transposed operands in the other order.
#include "gemm.h"
#include "kernels/kernels.h"
#include "parts/product.h"

#define INT(key, fld, nm, ...) \
    EBB_INT(ebb_gemm_layer, key, nm, fld, __VA_ARGS__)
static const ebb_param params[] = {
    EBB_FLOAT(ebb_gemm_layer, 0, "alpha", alpha, .def = 1),
    EBB_FLOAT(ebb_gemm_layer, 1, "beta", beta, .def = 1),
    INT(2, trans_a, "transA", .doc = "1: A is K x M"),
    INT(3, trans_b, "transB", .doc = "1: B is N x K"),
    INT(4, constant_a, "constantA", .doc = "1: A comes from the file"),
    INT(5, constant_b, "constantB", .doc = "1: B comes from the file"),
    INT(6, constant_c, "constantC", .doc = "1: C comes from the file, or there is none"),
    INT(7, constant_m, "constantM", .max = INT32_MAX),
    INT(8, constant_n, "constantN", .max = INT32_MAX),
    INT(9, constant_k, "constantK", .max = INT32_MAX),
    INT(10, broadcast_c, "constant_broadcast_type_C",
        .doc = "of a constant C: -1 none, 0 one, 1 M, 2 Mx1, 3 MxN, 4 1xN"),
    INT(11, output_n1m, "output_N1M", .doc = "1: the output is M x 1 x N"),
    INT(12, output_elempack, "output_elempack", .doc = "not used"),
    INT(13, output_elemtype, "output_elemtype", .doc = "not used"),
    INT(14, output_transpose, "output_transpose", .doc = "1: the output is N x M"),
    INT(18, quantize_term, "quantize_term", .doc = "8-bit products, or B packed in blocks of 4, 6 or 8 bits"),
    INT(20, tile_m, "constant_TILE_M", .doc = "not used"),
    INT(21, tile_n, "constant_TILE_N", .doc = "not used"),
    INT(22, tile_k, "constant_TILE_K", .doc = "not used"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    ebb_gemm_layer *p = st;
    EBB_TRY(ebb_weight_quant_of(&p->quant, p->quantize_term, e));
    const int least = !p->constant_a + !p->constant_b, most = least + !p->constant_c;
    if (in->n_in < least || in->n_in > most)
        return ebb_fail(e, EBB_E_PARAM,
                        "constantA %d, constantB %d and constantC %d leave %d to %d inputs, there are %d",
                        p->constant_a, p->constant_b, p->constant_c, least, most, in->n_in);
    if ((p->constant_a && p->constant_m < 1) || (p->constant_b && p->constant_n < 1) ||
        ((p->constant_a || p->constant_b) && p->constant_k < 1))
        return ebb_fail(e, EBB_E_PARAM, "constants need sizes: constantM is %d, constantN %d, constantK %d",
                        p->constant_m, p->constant_n, p->constant_k);
    if (p->constant_c && (p->broadcast_c < -1 || p->broadcast_c > 4))
        return ebb_fail(e, EBB_E_PARAM, "constant_broadcast_type_C is %d, must be -1 to 4", p->broadcast_c);
    if (p->quant.bits && (p->constant_a || !p->constant_b || p->trans_a || !p->trans_b || p->output_n1m ||
                          p->output_transpose))
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "quantize_term %d wants B constant and transposed, A neither, and a plain output",
                        p->quantize_term);
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- load

// left: the kernels read it as f32.
static ebb_status load_floats(const ebb_load *l, size_t n, bool left, ebb_weights *w, ebb_error *e)
{
    EBB_TRY(ebb_load_weights(l, n, EBB_TAGGED, w, e));
    if (w->dtype == EBB_I8)
        return ebb_fail(e, EBB_E_FORMAT,
                        "a constant is stored as 8-bit numbers, but quantize_term does not say so");
    if (w->dtype == EBB_F32 || !left) return ebb_load_keep(l, w, e);
    void *wide;
    EBB_TRY(ebb_load_alloc(l, ebb_size_mul(n, sizeof(float)), &wide, e));
    ebb_weights_to_f32(w, wide);
    *w = (ebb_weights){.dtype = EBB_F32, .n = n, .data = wide};
    return EBB_OK;
}

static ebb_status load_c(ebb_gemm_layer *p, const ebb_load *l, ebb_error *e)
{
    if (!p->constant_c || p->broadcast_c == -1) return EBB_OK;
    const size_t m = (size_t)p->constant_m, n = (size_t)p->constant_n;
    const size_t size[] = {1, m, m, ebb_size_mul(m, n), n};
    return load_floats(l, size[p->broadcast_c], true, &p->c, e);
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    ebb_gemm_layer *p = st;
    const size_t m = (size_t)p->constant_m, n = (size_t)p->constant_n, k = (size_t)p->constant_k;
    if (p->quant.bits) {
        EBB_TRY(ebb_linear_load_packed(&p->packed, l, p->constant_n, p->constant_k, &p->quant, e));
        EBB_TRY(load_c(p, l, e));
        EBB_TRY(ebb_linear_load_block_scales(&p->packed, l, e));
        return ebb_linear_load_input_scales(&p->packed, l, e);
    }
    if (p->quant.eight) {
        if (p->constant_a) EBB_TRY(ebb_load_weights(l, ebb_size_mul(m, k), EBB_TAGGED, &p->a, e));
        if (p->constant_b) EBB_TRY(ebb_load_weights(l, ebb_size_mul(n, k), EBB_TAGGED, &p->b, e));
        EBB_TRY(load_c(p, l, e));
        return ebb_gemm_i8_load(p, l, e);
    }
    if (p->constant_a) EBB_TRY(load_floats(l, ebb_size_mul(m, k), !p->output_transpose, &p->a, e));
    if (p->constant_b) EBB_TRY(load_floats(l, ebb_size_mul(n, k), p->output_transpose, &p->b, e));
    return load_c(p, l, e);
}

// ------------------------------------------------------------------------------------------- shape

// Rows of a matrix, also as rows x 1 x cols; false when it is none.
static bool as_matrix(const ebb_desc *d, bool transposed, ebb_gemm_operand *o)
{
    if (d->rank < 1 || d->rank > 3 || (d->rank == 3 && d->dim[1] != 1)) return false;
    *o = (ebb_gemm_operand){.dtype = EBB_F32,
                            .rows = d->rank > 1 ? d->dim[0] : 1,
                            .cols = d->dim[d->rank - 1],
                            .row = d->rank > 1 ? d->stride[0] : 0,
                            .col = 1};
    if (transposed)
        *o = (ebb_gemm_operand){
            .dtype = EBB_F32, .rows = o->cols, .cols = o->rows, .row = o->col, .col = o->row};
    return true;
}

static ebb_gemm_operand constant(const ebb_weights *w, int rows, int cols, bool transposed)
{
    return transposed ? (ebb_gemm_operand){w->data, w->dtype, rows, cols, 1, rows}
                      : (ebb_gemm_operand){w->data, w->dtype, rows, cols, cols, 1};
}

// Where C stands for each element of the output; the last rule that fits decides.
static bool broadcast(const ebb_desc *d, int m, int n, ebb_gemm_operand *c)
{
    const ptrdiff_t row = d->rank == 2 ? d->stride[0] : 0;
    bool fits = false;
    *c = (ebb_gemm_operand){.dtype = EBB_F32, .rows = m, .cols = n};
    if (d->rank == 1 && d->dim[0] == 1) c->row = 0, c->col = 0, fits = true;
    if (d->rank == 1 && d->dim[0] == m) c->row = 1, c->col = 0, fits = true;
    if (d->rank == 1 && d->dim[0] == n) c->row = 0, c->col = 1, fits = true;
    if (d->rank == 2 && d->dim[1] == 1 && d->dim[0] == m) c->row = row, c->col = 0, fits = true;
    if (d->rank == 2 && d->dim[1] == n && d->dim[0] == m) c->row = row, c->col = 1, fits = true;
    if (d->rank == 2 && d->dim[1] == n && d->dim[0] == 1) c->row = 0, c->col = 1, fits = true;
    return fits;
}

static ebb_gemm_operand constant_c(const ebb_gemm_layer *p, int m, int n)
{
    static const ptrdiff_t col[] = {0, 0, 0, 1, 1};
    const ptrdiff_t row[] = {0, 1, 1, n, 0};
    return (ebb_gemm_operand){p->c.data, EBB_F32, m, n, row[p->broadcast_c], col[p->broadcast_c]};
}

// Finds the operands among the inputs.
static ebb_status operands(const ebb_gemm_layer *p, const ebb_desc *in, int n_in, ebb_gemm_job *j,
                           ebb_error *e)
{
    int *at = j->at, next = 0;
    ebb_gemm_operand *const to[] = {&j->a, &j->b};
    at[0] = p->constant_a ? -1 : next++;
    at[1] = p->constant_b ? -1 : next++;
    at[2] = next < n_in ? next : -1;
    for (int i = 0; i < 2; i++)
        if (at[i] >= 0 && !as_matrix(&in[at[i]], i ? p->trans_b : p->trans_a, to[i]))
            return ebb_fail(e, EBB_E_SHAPE, "%s is %s, must be a matrix", i ? "B" : "A",
                            EBB_SHAPE(&in[at[i]]));
    if (p->constant_a) j->a = constant(&p->a, p->constant_m, p->constant_k, p->trans_a);
    if (p->constant_b) j->b = constant(&p->b, p->constant_k, p->constant_n, p->trans_b);
    j->m = j->a.rows;
    j->n = j->b.cols;
    j->k = j->a.cols;
    if (j->a.cols != j->b.rows)
        return ebb_fail(e, EBB_E_SHAPE, "A is %dx%d and B %dx%d: the inner sizes differ", j->a.rows,
                        j->a.cols, j->b.rows, j->b.cols);
    if (at[2] >= 0 && !broadcast(&in[at[2]], j->m, j->n, &j->add))
        return ebb_fail(e, EBB_E_SHAPE, "C is %s, which does not fit an output of %dx%d",
                        EBB_SHAPE(&in[at[2]]), j->m, j->n);
    if (p->c.data) {
        const size_t want = p->broadcast_c == 3   ? ebb_size_mul((size_t)j->m, (size_t)j->n)
                            : p->broadcast_c == 4 ? (size_t)j->n
                            : p->broadcast_c      ? (size_t)j->m
                                                  : 1;
        if (p->c.n != want)
            return ebb_fail(e, EBB_E_SHAPE, "the constant C has %zu values, an output of %dx%d wants %zu",
                            p->c.n, j->m, j->n, want);
        j->add = constant_c(p, j->m, j->n);
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_gemm_layer *p = st;
    ebb_gemm_job j = {0};
    EBB_TRY(operands(p, in->in, in->n_in, &j, e));
    out->dim[out->rank++] = p->output_transpose ? j.n : j.m;
    if (p->output_n1m) out->dim[out->rank++] = 1;
    out->dim[out->rank++] = p->output_transpose ? j.m : j.n;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    const ebb_gemm_layer *p = st;
    ebb_gemm_job j = {0};
    EBB_TRY(operands(p, in->in, in->n_in, &j, e));
    plan->macs = (double)j.m * j.n * j.k;
    if (p->quant.bits) {
        plan->algorithm = "dot packed";
    } else if (p->quant.eight) {
        plan->scratch = ebb_gemm_i8_scratch(p, j.m, j.n, j.k);
        plan->algorithm = "dot i8";
    } else {
        const bool turned = p->output_transpose != 0;
        plan->worker_scratch = ebb_product_scratch(in->k, turned ? j.n : j.m, turned ? j.m : j.n, j.k);
        plan->algorithm = "packed blocks";
    }
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- run

typedef struct blocks {
    const ebb_gemm_job *j;
    ebb_product p;
    ebb_blocks b;
    int piece;  // rows of packed weights
} blocks;

static void float_block(void *ctx, size_t i, int worker)
{
    const blocks *b = ctx;
    const ebb_gemm_job *j = b->j;
    const ebb_block at = ebb_block_at(&b->p, &b->b, i);
    for (int r = 0; r < at.rows && b->p.add; r++) ebb_gemm_begin(j, at.row + r, at.col, at.cols);
    ebb_product_run(j->c->k, ebb_worker_scratch(j->c, worker), &b->p, &at);
    for (int r = 0; r < at.rows; r++) ebb_gemm_end(j, at.row + r, at.col, at.cols);
}

static void run_floats(const ebb_gemm_job *j)
{
    blocks b = {.j = j};
    b.p = (ebb_product){.m = j->m,
                        .n = j->n,
                        .k = j->k,
                        .a = j->a.data,
                        .a_row = j->a.row,
                        .a_k = j->a.col,
                        .b = j->b.data,
                        .b_dtype = j->b.dtype,
                        .b_col = j->b.col,
                        .b_k = j->b.row,
                        .c = j->out,
                        .c_row = j->out_row,
                        .add = j->add.data != NULL};
    b.b = ebb_product_blocks(&b.p);
    ebb_parallel(j->c, b.b.count, float_block, &b);
}

static void packed_rows(void *ctx, size_t i, int worker)
{
    (void)worker;
    const blocks *b = ctx;
    const ebb_gemm_job *j = b->j;
    const int col = (int)i * b->piece, n = j->n - col < b->piece ? j->n - col : b->piece;
    const ebb_vectors x = {.n = j->m, .stride = j->a.row, .f = j->a.data};
    for (int row = 0; row < j->m; row++) ebb_gemm_begin(j, row, col, n);
    ebb_linear_times(&j->p->packed, j->c->k, col, n, &x, j->out + col, j->out_row);
    for (int row = 0; row < j->m; row++) ebb_gemm_end(j, row, col, n);
}

static void run_packed(const ebb_gemm_job *j)
{
    blocks b = {.j = j, .piece = ebb_linear_piece(&j->p->packed)};
    ebb_parallel(j->c, (j->n + b.piece - 1) / b.piece, packed_rows, &b);
}

// The transposed product: B' A' makes the rows of a transposed output.
static void turn(ebb_gemm_job *j)
{
    const ebb_gemm_operand a = j->a, b = j->b, c = j->add;
    const int m = j->m;
    j->m = j->n;
    j->n = m;
    j->a = (ebb_gemm_operand){b.data, b.dtype, b.cols, b.rows, b.col, b.row};
    j->b = (ebb_gemm_operand){a.data, a.dtype, a.cols, a.rows, a.col, a.row};
    j->add = (ebb_gemm_operand){c.data, c.dtype, c.cols, c.rows, c.col, c.row};
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    const ebb_gemm_layer *p = st;
    ebb_gemm_job j = {.p = p, .c = c, .out = ebb_f32(out[0]), .out_row = c->out[0].stride[0]};
    EBB_TRY(operands(p, c->in, c->n_in, &j, e));  // again: strides may have changed since the plan
    if (j.at[0] >= 0) j.a.data = ebb_blob_data(in[j.at[0]]);
    if (j.at[1] >= 0) j.b.data = ebb_blob_data(in[j.at[1]]);
    if (j.at[2] >= 0) j.add.data = ebb_blob_data(in[j.at[2]]);
    if (p->output_transpose && !p->quant.eight) turn(&j);
    if (p->quant.bits) {
        run_packed(&j);
    } else if (p->quant.eight) {
        ebb_gemm_i8_run(&j);
    } else {
        run_floats(&j);
    }
    return EBB_OK;
}

const ebb_layer_type ebb_layer_gemm = {
    .size = sizeof(ebb_layer_type), .name = "Gemm", .doc = "alpha * (A B + beta * C)",
    .reads = EBB_PLANAR, .in_min = 0, .in_max = 3, .out_min = 1, .out_max = 1,
    .state_size = sizeof(ebb_gemm_layer), .params = params,
    .init = init, .load = load, .shape = shape, .plan = plan, .cpu = cpu,
};
