// SPDX-License-Identifier: BSD-3-Clause
// activation.c - reads the fused activation of a layer. Rule: what a kernel gets is complete and known.
#include "activation.h"

static const struct {
    const char *name;
    int needs;  // values
} types[] = {
    [EBB_ACT_NONE] = {"none", 0},     [EBB_ACT_RELU] = {"ReLU", 0}, [EBB_ACT_LEAKY] = {"leaky ReLU", 1},
    [EBB_ACT_CLIP] = {"clip", 2},     [EBB_ACT_SIGMOID] = {"sigmoid", 0}, [EBB_ACT_MISH] = {"mish", 0},
    [EBB_ACT_HARDSWISH] = {"hard swish", 2},
};

ebb_status ebb_activation_init(ebb_activation *a, int type, ebb_floats params, ebb_error *e)
{
    const int n = (int)(sizeof types / sizeof *types);
    if (type < 0 || type >= n)
        return ebb_fail(e, EBB_E_PARAM, "activation_type is %d, known are 0 to %d", type, n - 1);
    if (params.n < types[type].needs)
        return ebb_fail(e, EBB_E_PARAM, "activation_type %d (%s) needs %d activation_params, there are %d",
                        type, types[type].name, types[type].needs, params.n);
    *a = (ebb_activation){.type = type};
    if (types[type].needs > 0) a->a = params.v[0];
    if (types[type].needs > 1) a->b = params.v[1];
    return EBB_OK;
}
