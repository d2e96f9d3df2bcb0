// SPDX-License-Identifier: BSD-3-Clause
// eltwise.c - Eltwise: product, weighted sum or largest of any number of blobs of one shape. Rule: two at a
// time, in the order of the inputs, with the result so far in the output.
#include "parts/broadcast.h"
#include "parts/elementwise.h"
#include "kernels/kernels.h"

enum { PRODUCT, SUM, LARGEST };

typedef struct eltwise {
    int op_type;
    ebb_floats coeffs;
} eltwise;

static const ebb_param params[] = {
    EBB_INT(eltwise, 0, "op_type", op_type, .max = LARGEST, .doc = "0 prod 1 sum 2 max"),
    EBB_FLOATS(eltwise, 1, "coeffs", coeffs, .doc = "of the sum, one for each input"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    const eltwise *p = st;
    if (p->op_type == SUM && p->coeffs.n && p->coeffs.n != in->n_in)
        return ebb_fail(e, EBB_E_PARAM, "there are %d coeffs for %d inputs", p->coeffs.n, in->n_in);
    return EBB_OK;
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    for (int i = 1; i < in->n_in; i++)
        if (!ebb_desc_same_shape(&in->in[0], &in->in[i])) {
            return ebb_fail(e, EBB_E_SHAPE, "input %d is %s, the first is %s: they must be equal", i,
                            EBB_SHAPE(&in->in[i]), EBB_SHAPE(&in->in[0]));
        }
    return ebb_elementwise_shape(st, in, out, e);
}

// Only the first two inputs are read before the output is written.
static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    plan->out[0].steal |= EBB_BIT(1);
    return ebb_in_place_plan(st, in, plan, e);
}

typedef struct work {
    const ebb_kernels *k;
    float *y;
    const float *a, *b;
    float ka, kb;
    ebb_loop loop;
} work;

static void run(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker)
{
    (void)worker;
    const work *w = ctx;
    ptrdiff_t step[3];
    for (int k = 0; k < 3; k++) step[k] = ebb_loop_step(&w->loop, k);
    const size_t count = step[0] == 1 && step[1] == 1 && step[2] == 1 ? n : 1;
    for (size_t i = 0; i < n; i += count) {
        const ptrdiff_t j = (ptrdiff_t)i;
        w->k->axpby_f32(w->y + at[0] + j * step[0], w->a + at[1] + j * step[1], w->ka,
                      w->b + at[2] + j * step[2], w->kb, count);
    }
}

static void mix(const ebb_cpu *c, ebb_operand y, ebb_operand a, float ka, ebb_operand b, float kb)
{
    work w = {.k = c->k, .y = y.data, .a = a.data, .b = b.data, .ka = ka, .kb = kb};
    ebb_loop_init(&w.loop, 3, (const ebb_desc *[]){&y.desc, &a.desc, &b.desc});
    ebb_loop_run(c, &w.loop, EBB_PIECE, run, &w);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const eltwise *p = st;
    static const int ops[] = {[PRODUCT] = EBB_MUL, [SUM] = EBB_ADD, [LARGEST] = EBB_MAX};
    const bool weighted = p->op_type == SUM && p->coeffs.n;
    const ebb_operand y = ebb_operand_of(out[0]);
    for (int i = 1; i < c->n_in; i++) {
        const ebb_operand a = i == 1 ? ebb_operand_of(in[0]) : y, b = ebb_operand_of(in[i]);
        if (weighted) mix(c, y, a, i == 1 ? p->coeffs.v[0] : 1, b, p->coeffs.v[i]);
        else ebb_binary(c, ops[p->op_type], y, a, b);
    }
    return EBB_OK;
}

const ebb_layer_type ebb_layer_eltwise = {
    .size = sizeof(ebb_layer_type), .name = "Eltwise",
    .doc = "product, weighted sum or largest of the inputs",
    .in_min = 2, .in_max = -1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(eltwise), .params = params,
    .init = init, .shape = shape, .plan = plan, .cpu = cpu,
};
