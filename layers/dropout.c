// SPDX-License-Identifier: BSD-3-Clause
// dropout.c - Dropout at inference, y = scale * x. Rule: with scale 1, as nearly always, it is a view.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "kernels/ops.h"
#include "parts/reshape_view.h"

typedef struct dropout {
    float scale;
} dropout;

static const ebb_param params[] = {
    EBB_FLOAT(dropout, 0, "scale", scale, .def = 1),
    {0},
};

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    if (((const dropout *)st)->scale == 1) ebb_same_views(st, in, out);
    else out[0].from = -1;
}

static void run(const void *st, const ebb_kernels *k, float *y, const float *x, size_t n)
{
    k->unary_f32(EBB_LINEAR, y, x, n, (const float[3]){((const dropout *)st)->scale});
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_elementwise(st, c, in[0], out[0], run);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_dropout = {
    .size = sizeof(ebb_layer_type), .name = "Dropout", .doc = "y = scale * x", .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(dropout), .params = params,
    .floats = EBB_ANY_FLOAT, .shape = ebb_elementwise_shape, .plan = ebb_in_place_plan, .view = view, .cpu = cpu,
};
