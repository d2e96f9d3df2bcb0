// SPDX-License-Identifier: BSD-3-Clause
// rotaryembed.c - RotaryEmbed: turns pairs of values by the angles of their position. Rule: a pair is read
// before it is written, so the output may overwrite the input.
#include "ebb_layer.h"
#include "kernels/kernels.h"

typedef struct rotary {
    int interleaved;
} rotary;

static const ebb_param params[] = {
    EBB_INT(rotary, 0, "interleaved", interleaved, .doc = "0: pairs are w/2 apart, 1: neighbours"),
    {0},
};

// Rows of a matrix that may have axes of size 1 in front.
static bool is_table(const ebb_desc *d, int rows, int cols)
{
    return d->rank >= 2 && d->dim[d->rank - 1] == cols && d->dim[d->rank - 2] >= rows &&
           ebb_desc_count(d) == (size_t)d->dim[d->rank - 2] * (size_t)cols;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const rotary *p = st;
    const ebb_desc *x = &in->in[0], *cos = &in->in[1], *sin = &in->in[2];
    if (x->rank < 2 || x->rank > 3 || x->dim[x->rank - 1] % 2)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, must be heads x positions x an even width",
                        EBB_SHAPE(x));
    const int w = x->dim[x->rank - 1], h = x->dim[x->rank - 2];
    const bool whole = !p->interleaved && is_table(cos, h, w) && is_table(sin, h, w);
    if (!whole && !(is_table(cos, h, w / 2) && is_table(sin, h, w / 2)))
        return ebb_fail(e, EBB_E_SHAPE, "cos is %s and sin %s, the input %s needs %dx%d",
                        EBB_SHAPE(cos), EBB_SHAPE(sin),
                        EBB_SHAPE(x), h, w / 2);
    out->rank = x->rank;
    for (int i = 0; i < x->rank; i++) out->dim[i] = x->dim[i];
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->out[0].steal = EBB_BIT(0);
    return EBB_OK;
}

typedef struct job {
    const rotary *p;
    const ebb_kernels *k;
    const ebb_blob *x, *cos, *sin;
    ebb_blob *out;
} job;

// Row `row` of head `head`.
static float *row_at(const ebb_blob *b, int head, int row)
{
    const ebb_desc *d = ebb_blob_desc(b);
    return ebb_f32(b) + (d->rank == 3 && d->dim[0] > 1 ? head * d->stride[0] : 0) +
           row * d->stride[d->rank - 2];
}

static void one_head(void *ctx, size_t at, int worker)
{
    (void)worker;
    const job *j = ctx;
    const int head = (int)at;
    const ebb_desc *d = ebb_blob_desc(j->x), *c = ebb_blob_desc(j->cos);
    const int w = d->dim[d->rank - 1], second = c->dim[c->rank - 1] == w ? w / 2 : 0;
    for (int i = 0; i < d->dim[d->rank - 2]; i++)
        j->k->rotary_f32(row_at(j->out, head, i), row_at(j->x, head, i), row_at(j->cos, 0, i),
                         row_at(j->sin, 0, i), (size_t)w / 2, j->p->interleaved ? 0 : w / 2, second);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    job j = {st, c->k, in[0], in[1], in[2], out[0]};
    const ebb_desc *d = ebb_blob_desc(in[0]);
    ebb_parallel(c, d->rank == 3 ? d->dim[0] : 1, one_head, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_rotaryembed = {
    .size = sizeof(ebb_layer_type),
    .name = "RotaryEmbed",
    .doc = "turns pairs of values by the angles of their position",
    .reads = EBB_PLANAR,
    .in_min = 3,
    .in_max = 3,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(rotary),
    .params = params,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
