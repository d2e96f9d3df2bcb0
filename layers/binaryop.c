// SPDX-License-Identifier: BSD-3-Clause
// binaryop.c - BinaryOp: a op b with broadcasting, or a op a constant. Rule: sizes of 1 repeat, and the
// missing axes of a lower rank are inner ones; only a vector that does not fit the outermost axis lies along
// the innermost.
#include "binaryop.h"
#include "parts/elementwise.h"
#include "kernels/kernels.h"

typedef ebb_binaryop binary;

static const ebb_param params[] = {
    EBB_INT(binary, 0, "op_type", op_type, .max = 18,
            .doc =
                "0 add 1 sub 2 mul 3 div 4 max 5 min 6 pow 7 rsub 8 rdiv 9 rpow 10 atan2 11 ratan2 12 fmod "
                "13 rfmod 14 logaddexp 15 floor_divide 16 rfloor_divide 17 remainder 18 rremainder"),
    EBB_INT(binary, 1, "with_scalar", with_scalar, .doc = "b is a number"),
    EBB_FLOAT(binary, 2, "b", b),
    {0},
};

static const struct {
    int op;
    bool swap;  // b op a
} ops[] = {
    {EBB_ADD, false},         {EBB_SUB, false},       {EBB_MUL, false},       {EBB_DIV, false},
    {EBB_MAX, false},         {EBB_MIN, false},       {EBB_POW, false},       {EBB_SUB, true},
    {EBB_DIV, true},          {EBB_POW, true},        {EBB_ATAN2, false},     {EBB_ATAN2, true},
    {EBB_FMOD, false},        {EBB_FMOD, true},       {EBB_LOGADDEXP, false}, {EBB_FLOOR_DIVIDE, false},
    {EBB_FLOOR_DIVIDE, true}, {EBB_REMAINDER, false}, {EBB_REMAINDER, true},
};

int ebb_binaryop_op(const binary *p, bool *swap)
{
    *swap = ops[p->op_type].swap;
    return ops[p->op_type].op;
}

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    const binary *p = st;
    const int want = p->with_scalar ? 1 : 2;
    if (in->n_in != want)
        return ebb_fail(e, EBB_E_PARAM, "with_scalar=%d takes %d inputs, there are %d", p->with_scalar, want,
                        in->n_in);
    return EBB_OK;
}

// d with `rank` axes, the new ones of size 1, as it lies against a blob whose outermost size is `outer`.
static ebb_desc aligned(const ebb_desc *d, int rank, int outer)
{
    const int before = d->rank == 1 && d->dim[0] != outer ? rank - 1 : 0;
    ebb_desc r = {.dtype = d->dtype, .rank = rank};
    for (int i = 0; i < rank; i++) {
        const bool has = i >= before && i < before + d->rank;
        r.dim[i] = has ? d->dim[i - before] : 1;
        r.stride[i] = has ? d->stride[i - before] : 0;
    }
    return r;
}

void ebb_binaryop_align(const ebb_desc *in, ebb_desc both[2])
{
    const ebb_desc *more = in[1].rank > in[0].rank ? &in[1] : &in[0];
    for (int k = 0; k < 2; k++)
        both[k] = in[k].rank == more->rank ? in[k] : aligned(&in[k], more->rank, more->dim[0]);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    if (((const binary *)st)->with_scalar) return ebb_elementwise_shape(st, in, out, e);
    ebb_desc d[2];
    ebb_binaryop_align(in->in, d);
    out[0].rank = d[0].rank;
    for (int i = 0; i < d[0].rank; i++) {
        if (d[0].dim[i] != d[1].dim[i] && d[0].dim[i] != 1 && d[1].dim[i] != 1) {
            return ebb_fail(e, EBB_E_SHAPE, "the inputs %s and %s do not broadcast: sizes must be equal or 1",
                            EBB_SHAPE(&in->in[0]), EBB_SHAPE(&in->in[1]));
        }
        out[0].dim[i] = d[0].dim[i] == 1 ? d[1].dim[i] : d[0].dim[i];
    }
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    if (((const binary *)st)->with_scalar) return ebb_in_place_plan(st, in, plan, e);
    if (ebb_desc_same_shape(&in->in[0], in->out)) plan->out[0].steal |= EBB_BIT(0);
    if (ebb_desc_same_shape(&in->in[1], in->out)) plan->out[0].steal |= EBB_BIT(1);
    return EBB_OK;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const binary *p = st;
    float number = p->b;
    bool swap;
    int op = ebb_binaryop_op(p, &swap);
    const bool square = p->with_scalar && op == EBB_POW && !swap && number == 2.f;
    ebb_operand a = ebb_operand_of(in[0]), b = a;
    if (!p->with_scalar) {
        b = ebb_operand_of(in[1]);
        ebb_desc d[2];
        ebb_binaryop_align((const ebb_desc[]){a.desc, b.desc}, d);
        a.desc = d[0], b.desc = d[1];
    } else if (square) {
        op = EBB_MUL;
    } else {
        b = ebb_repeated(&a.desc, -1, &number);
    }
    ebb_binary(c, op, ebb_operand_of(out[0]), swap ? b : a, swap ? a : b);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_binaryop = {
    .size = sizeof(ebb_layer_type), .name = "BinaryOp", .doc = "a op b, smaller operands repeat",
    .in_min = 1, .in_max = 2, .out_min = 1, .out_max = 1,
    .state_size = sizeof(binary), .params = params,
    .init = init, .shape = shape, .plan = plan, .cpu = cpu,
    EBB_VK_SLOTS(binaryop)
};
