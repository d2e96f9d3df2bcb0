// SPDX-License-Identifier: BSD-3-Clause
// shufflechannel.c - ShuffleChannel: channel i of group g becomes channel i * groups + g. Rule: one copy,
// with the channels as two axes.
#include "ebb_layer.h"
#include "parts/reshape_view.h"

typedef struct shuffle {
    int group, reverse;
} shuffle;

static const ebb_param params[] = {
    EBB_INT(shuffle, 0, "group", group, .def = 1, .min = 1, .max = INT32_MAX),
    EBB_INT(shuffle, 1, "reverse", reverse, .min = 0, .max = 1,
            .doc = "undoes a shuffle of that many groups"),
    {0},
};

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *x = &in->in[0];
    const int group = ((const shuffle *)st)->group;
    if (x->rank < 3)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, which has no channels",
                        EBB_SHAPE(x));
    if (x->dim[0] % group)
        return ebb_fail(e, EBB_E_SHAPE, "%d channels do not make %d equal groups", x->dim[0], group);
    return ebb_same_shapes(st, in, out, e);
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[0] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    return EBB_OK;
}

// Channels as axes of groups and members, then rows [y0, y1) of plane z.
static ebb_desc grouped(const ebb_desc *d, int groups, int members, ptrdiff_t group_step,
                        ptrdiff_t member_step, const ebb_cpu *c)
{
    const int h = d->rank - 2;
    return (ebb_desc){
        d->dtype,
        4,
        {groups, members, c->y1 - c->y0, d->dim[h + 1]},
        {group_step * d->stride[0], member_step * d->stride[0], d->stride[h], d->stride[h + 1]}};
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const shuffle *p = st;
    const ebb_desc *x = ebb_blob_desc(in[0]), *y = ebb_blob_desc(out[0]);
    const int groups = p->reverse ? x->dim[0] / p->group : p->group;
    if (groups == 0) return EBB_OK;
    const int members = x->dim[0] / groups, h = x->rank - 2;
    const ebb_desc from = grouped(x, groups, members, members, 1, c),
                   to = grouped(y, groups, members, 1, groups, c);
    const ptrdiff_t cell = (ptrdiff_t)ebb_dtype_bytes(x->dtype);
    for (int z = 0; z < (x->rank == 4 ? x->dim[1] : 1); z++)
        ebb_copy(
            c, &to,
            (char *)ebb_blob_data(out[0]) + (c->y0 * y->stride[h] + z * y->stride[1] * (x->rank == 4)) * cell,
            &from,
            (char *)ebb_blob_data(in[0]) + (c->y0 * x->stride[h] + z * x->stride[1] * (x->rank == 4)) * cell);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_shufflechannel = {
    .size = sizeof(ebb_layer_type), .name = "ShuffleChannel", .doc = "channels of several groups take turns",
    .reads = EBB_PIXEL, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(shuffle),
    .params = params, .shape = shape, .plan = plan, .cpu = cpu,
};
