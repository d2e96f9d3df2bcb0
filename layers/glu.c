// SPDX-License-Identifier: BSD-3-Clause
// glu.c - GLU: the first half of an axis, gated by the sigmoid of the second.
#include "parts/broadcast.h"
#include "parts/elementwise.h"
#include "kernels/kernels.h"

typedef struct glu {
    int axis;
} glu;

static const ebb_param params[] = {
    EBB_INT(glu, 0, "axis", axis, .doc = "0 is the outermost"),
    {0},
};

// The last element of an odd axis belongs to neither half.
static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    int axis;
    EBB_TRY(ebb_find_axis(((const glu *)st)->axis, in->in[0].rank, &axis, e));
    const ebb_status s = ebb_elementwise_shape(st, in, out, e);
    out[0].dim[axis] /= 2;
    return s;
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_operand a = ebb_operand_of(in[0]);
    const int axis = ebb_axis_at(((const glu *)st)->axis, a.desc.rank);
    a.desc.dim[axis] /= 2;
    ebb_operand b = a;
    b.data += a.desc.dim[axis] * a.desc.stride[axis];
    ebb_binary(c, EBB_GATE, ebb_operand_of(out[0]), a, b);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_glu = {
    .size = sizeof(ebb_layer_type), .name = "GLU", .doc = "a sigmoid(b), the halves of an axis",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(glu), .params = params,
    .shape = shape, .cpu = cpu,
};
