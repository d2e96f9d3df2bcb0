// SPDX-License-Identifier: BSD-3-Clause
// matmul.c - MatMul: the product of two blobs, matrix by matrix. Rule: outer axes of size 1 are repeated; a
// row times a matrix, or a matrix times a column, loses that axis.
#include "parts/product.h"

typedef struct matmul {
    int trans_b;
} matmul;

static const ebb_param params[] = {
    EBB_INT(matmul, 0, "transB", trans_b, .doc = "1: B is columns x products"),
    {0},
};

// An operand as a matrix and two outer axes.
typedef struct operand {
    int rows, cols, outer[2];
    ptrdiff_t row, col, step[2];
} operand;

static operand as_matrix(const ebb_desc *d, bool column)
{
    operand o = {.rows = 1, .cols = 1, .outer = {1, 1}};
    const int r = d->rank;
    if (r == 1 && column) {
        o.rows = d->dim[0], o.row = d->stride[0];
    } else {
        o.cols = d->dim[r - 1], o.col = d->stride[r - 1];
        if (r > 1) o.rows = d->dim[r - 2], o.row = d->stride[r - 2];
    }
    for (int i = 0; i < r - 2; i++) {
        o.outer[i + 4 - r] = d->dim[i];
        o.step[i + 4 - r] = d->dim[i] == 1 ? 0 : d->stride[i];
    }
    return o;
}

// B with products down and columns across; a vector is a column.
static operand as_b(const matmul *p, const ebb_desc *d)
{
    operand o = as_matrix(d, true);
    if (p->trans_b && d->rank > 1) {
        const operand t = o;
        o.rows = t.cols, o.row = t.col, o.cols = t.rows, o.col = t.row;
    }
    return o;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *da = &in->in[0], *db = &in->in[1];
    if (da->rank < 1 || db->rank < 1)
        return ebb_fail(e, EBB_E_SHAPE, "the inputs %s and %s are no matrices", EBB_SHAPE(da), EBB_SHAPE(db));
    const operand a = as_matrix(da, false), b = as_b(st, db);
    if (a.cols != b.rows)
        return ebb_fail(e, EBB_E_SHAPE, "%s times %s: rows of %d meet columns of %d (transB %d)", EBB_SHAPE(da),
                        EBB_SHAPE(db), a.cols, b.rows, ((const matmul *)st)->trans_b);
    const int most = da->rank > db->rank ? da->rank : db->rank;
    for (int i = 0; i < 2; i++) {
        if (a.outer[i] != b.outer[i] && a.outer[i] != 1 && b.outer[i] != 1)
            return ebb_fail(e, EBB_E_SHAPE,
                            "%s times %s: outer sizes %d and %d must be equal, or one of them 1", EBB_SHAPE(da),
                            EBB_SHAPE(db), a.outer[i], b.outer[i]);
        if (most - 2 + i >= 2) out->dim[out->rank++] = a.outer[i] == 1 ? b.outer[i] : a.outer[i];
    }
    if (da->rank > 1) out->dim[out->rank++] = a.rows;
    if (db->rank > 1) out->dim[out->rank++] = b.cols;
    if (out->rank == 0) out->dim[out->rank++] = 1;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const operand a = as_matrix(&in->in[0], false), b = as_b(st, &in->in[1]);
    plan->worker_scratch = ebb_product_scratch(in->k, a.rows, b.cols, a.cols);
    plan->macs = (double)ebb_desc_count(&in->out[0]) * a.cols;
    return EBB_OK;
}

typedef struct job {
    const ebb_cpu *c;
    operand a, b;
    ebb_product p;
    ebb_blocks blocks;
    int outer[2];
    ptrdiff_t c_outer[2];
} job;

static void block(void *ctx, size_t i, int worker)
{
    const job *j = ctx;
    ebb_product p = j->p;
    const size_t batch = i / j->blocks.count, inner = (size_t)j->outer[1];
    const ptrdiff_t at[2] = {(ptrdiff_t)(batch / inner), (ptrdiff_t)(batch % inner)};
    for (int o = 0; o < 2; o++) {
        p.a += at[o] * j->a.step[o];
        p.b = (const float *)p.b + at[o] * j->b.step[o];
        p.c += at[o] * j->c_outer[o];
    }
    const ebb_block b = ebb_block_at(&p, &j->blocks, i % j->blocks.count);
    ebb_product_run(j->c->k, ebb_worker_scratch(j->c, worker), &p, &b);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    job j = {.c = c, .a = as_matrix(&c->in[0], false), .b = as_b(st, &c->in[1])};
    const ebb_desc *o = &c->out[0];
    int axis = o->rank - (c->in[1].rank > 1);  // after those that are still to come
    const ptrdiff_t row = c->in[0].rank > 1 ? o->stride[--axis] : 0;
    for (int i = 0; i < 2; i++) j.outer[i] = j.a.outer[i] == 1 ? j.b.outer[i] : j.a.outer[i];
    for (int i = 1; i >= 0 && axis > 0; i--) j.c_outer[i] = o->stride[--axis];
    j.p = (ebb_product){.m = j.a.rows, .n = j.b.cols, .k = j.a.cols, .a = ebb_f32(in[0]), .a_row = j.a.row,
                        .a_k = 1, .b = ebb_blob_data(in[1]), .b_dtype = EBB_F32,
                        .b_col = j.b.col, .b_k = j.b.row, .c = ebb_f32(out[0]), .c_row = row};
    j.blocks = ebb_product_blocks(&j.p);
    const size_t batches = ebb_size_mul((size_t)j.outer[0], (size_t)j.outer[1]);
    ebb_parallel(c, ebb_size_mul(j.blocks.count, batches), block, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_matmul = {
    .size = sizeof(ebb_layer_type),
    .name = "MatMul",
    .doc = "the product of two matrices, or of two rows of them",
    .reads = EBB_PLANAR,
    .in_min = 2,
    .in_max = 2,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(matmul),
    .params = params,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
