// SPDX-License-Identifier: BSD-3-Clause
// relu.c - ReLU and leaky ReLU, y = x < 0 ? slope * x : x, on any shape. Rule: NaN stays NaN.
#include "ebb_layer.h"
#include "parts/elementwise.h"
#include "kernels/kernels.h"
#include "relu.h"

static const ebb_param params[] = {
    EBB_FLOAT(relu, 0, "slope", slope, .doc = "for x < 0"),
    {0},
};

static void run(const void *st, const ebb_kernels *k, float *y, const float *x, size_t n)
{
    k->relu_f32(y, x, n, ((const relu *)st)->slope);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    ebb_elementwise(st, c, in[0], out[0], run);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_relu = {
    .size = sizeof(ebb_layer_type), .name = "ReLU", .doc = "y = x < 0 ? slope * x : x",
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(relu), .params = params,
    .floats = EBB_ANY_FLOAT, .shape = ebb_elementwise_shape, .plan = ebb_in_place_plan, .cpu = cpu,
    EBB_VK_SLOTS(relu)
};
