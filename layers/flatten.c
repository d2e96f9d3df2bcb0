// SPDX-License-Identifier: BSD-3-Clause
// flatten.c - Flatten: all elements in c, h, w order on one axis. Rule: a view where the strides allow.
#include "ebb_layer.h"
#include "parts/reshape_view.h"
#include <limits.h>

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st;
    const size_t n = ebb_desc_count(&in->in[0]);
    if (n > INT_MAX) return ebb_fail(e, EBB_E_SHAPE, "%zu elements are too many for one axis", n);
    out[0].dtype = in->in[0].dtype;
    out[0].rank = 1;
    out[0].dim[0] = (int)n;
    return EBB_OK;
}

const ebb_layer_type ebb_layer_flatten = {
    .size = sizeof(ebb_layer_type), .name = "Flatten", .doc = "all elements on one axis",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .shape = shape, .view = ebb_reshape_views,
};
