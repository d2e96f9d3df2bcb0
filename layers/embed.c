// SPDX-License-Identifier: BSD-3-Clause
// embed.c - Embed: row `index` of a table for each index. Rule: an index outside the table gives its first or
// last row.
#include "ebb_layer.h"
#include <string.h>

typedef struct embed {
    int num_output, input_dim, bias_term, weight_data_size, int8_scale_term;
    ebb_weights table, bias;
    float factor;  // what one step of an 8-bit table is worth
} embed;

static const ebb_param params[] = {
    EBB_INT(embed, 0, "num_output", num_output),
    EBB_INT(embed, 1, "input_dim", input_dim, .doc = "rows of the table"),
    EBB_INT(embed, 2, "bias_term", bias_term),
    EBB_INT(embed, 3, "weight_data_size", weight_data_size, .doc = "input_dim x num_output"),
    EBB_INT(embed, 18, "int8_scale_term", int8_scale_term, .doc = "the table holds 8-bit numbers"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    const embed *p = st;
    if (p->num_output < 1 || p->input_dim < 1)
        return ebb_fail(e, EBB_E_PARAM, "num_output is %d and input_dim %d, both must be at least 1",
                        p->num_output, p->input_dim);
    if (p->weight_data_size != (long long)p->num_output * p->input_dim)
        return ebb_fail(e, EBB_E_PARAM, "weight_data_size is %d, num_output %d x input_dim %d is not",
                        p->weight_data_size, p->num_output, p->input_dim);
    return EBB_OK;
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    embed *p = st;
    EBB_TRY(ebb_load_weights(l, (size_t)p->weight_data_size, EBB_TAGGED, &p->table, e));
    const bool eight = p->table.dtype == EBB_I8;
    if (eight && !p->int8_scale_term)
        return ebb_fail(e, EBB_E_FORMAT, "the table holds 8-bit numbers, but int8_scale_term is 0");
    EBB_TRY(ebb_load_keep(l, &p->table, e));
    if (p->bias_term) {
        EBB_TRY(ebb_load_weights(l, (size_t)p->num_output, EBB_RAW, &p->bias, e));
        EBB_TRY(ebb_load_keep(l, &p->bias, e));
    }
    if (p->int8_scale_term) {
        ebb_weights scale;
        EBB_TRY(ebb_load_weights(l, 1, EBB_RAW, &scale, e));
        p->factor = eight ? 1.f / ebb_weight_f32(&scale, 0) : 1.f;
    }
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const embed *p = st;
    const ebb_desc *d = &in->in[0];
    if (d->rank < 1 || ebb_desc_count(d) != (size_t)d->dim[d->rank - 1])
        return ebb_fail(e, EBB_E_SHAPE, "the indices are %s, must be one row",
                        EBB_SHAPE(d));
    out[0].rank = 2;
    out[0].dim[0] = d->dim[d->rank - 1];
    out[0].dim[1] = p->num_output;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0].dtypes = EBB_BIT(EBB_F32) | EBB_BIT(EBB_I32);
    return EBB_OK;
}

// The row that cell i asks for; a number between two rows is cut, NaN is 0.
static int row_of(const embed *p, const ebb_blob *b, int i)
{
    const int last = p->input_dim - 1;
    if (ebb_blob_desc(b)->dtype == EBB_I32) {
        const int32_t at = ((const int32_t *)ebb_blob_data(b))[i];
        return at < 0 ? 0 : at > last ? last : at;
    }
    const float at = ebb_f32(b)[i];
    return !(at > 0.f) ? 0 : at >= (float)last ? last : (int)at;
}

static void widen(float *y, const embed *p, ptrdiff_t row)
{
    const ptrdiff_t at = row * p->num_output;
    if (p->table.dtype == EBB_F32) {
        memcpy(y, (const float *)p->table.data + at, (size_t)p->num_output * sizeof(float));
    } else {
        for (int i = 0; i < p->num_output; i++) y[i] = ebb_weight_f32(&p->table, (size_t)(at + i));
    }
    if (p->table.dtype == EBB_I8)
        for (int i = 0; i < p->num_output; i++) y[i] *= p->factor;
    if (p->bias_term)
        for (int i = 0; i < p->num_output; i++) y[i] += ((const float *)p->bias.data)[i];
}

typedef struct job {
    const embed *p;
    const ebb_blob *in;
    ebb_blob *out;
} job;

static void one_row(void *ctx, size_t i, int worker)
{
    (void)worker;
    const job *j = ctx;
    widen(ebb_f32(j->out) + (ptrdiff_t)i * ebb_blob_desc(j->out)->stride[0], j->p,
          row_of(j->p, j->in, (int)i));
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    job j = {st, in[0], out[0]};
    ebb_parallel(c, ebb_blob_desc(out[0])->dim[0], one_row, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_embed = {
    .size = sizeof(ebb_layer_type), .name = "Embed", .doc = "a row of a table for each index",
    .reads = EBB_PLANAR, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(embed), .params = params,
    .init = init, .load = load, .shape = shape, .plan = plan, .cpu = cpu,
};
