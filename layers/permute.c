// SPDX-License-Identifier: BSD-3-Clause
// permute.c - Permute: axes in another order. Rule: always a view.
#include "ebb_layer.h"

typedef struct permute {
    int order_type;
} permute;

static const ebb_param params[] = {
    EBB_INT(
        permute, 0, "order_type", order_type, .min = 0, .max = 23,
        .doc =
            "0 wh 1 hw | 0 whc 1 hwc 2 wch 3 cwh 4 hcw 5 chw | 0 whdc 1 hwdc 2 wdhc 3 dwhc 4 hdwc 5 dhwc 6 "
            "whcd 7 hwcd "
            "8 wchd 9 cwhd 10 hcwd 11 chwd 12 wdch 13 dwch 14 wcdh 15 cwdh 16 dcwh 17 cdwh 18 hdcw 19 dhcw "
            "20 hcdw "
            "21 chdw 22 dchw 23 cdhw"),
    {0},
};

// By rank and order_type: which input axis becomes the innermost, the next, and so on.
static const char *const orders[EBB_MAX_RANK + 1][24] = {
    [1] = {"w"},
    [2] = {"wh", "hw"},
    [3] = {"whc", "hwc", "wch", "cwh", "hcw", "chw"},
    [4] = {"whdc", "hwdc", "wdhc", "dwhc", "hdwc", "dhwc", "whcd", "hwcd", "wchd", "cwhd", "hcwd", "chwd",
           "wdch", "dwch", "wcdh", "cwdh", "dcwh", "cdwh", "hdcw", "dhcw", "hcdw", "chdw", "dchw", "cdhw"},
};

static int axis_called(char name, int rank)
{
    if (name == 'w') return rank - 1;
    if (name == 'h') return rank - 2;
    return name == 'd' ? 1 : 0;
}

// The input axis that becomes axis i of the output.
static int source(const char *order, int rank, int i) { return axis_called(order[rank - 1 - i], rank); }

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_desc *x = &in->in[0];
    const int type = ((const permute *)st)->order_type;
    const char *order = orders[x->rank][x->rank == 1 ? 0 : type];
    if (!order) return ebb_fail(e, EBB_E_SHAPE, "order_type %d is not for blobs of %d axes", type, x->rank);
    out[0].dtype = x->dtype;
    out[0].rank = x->rank;
    for (int i = 0; i < x->rank; i++) out[0].dim[i] = x->dim[source(order, x->rank, i)];
    return EBB_OK;
}

static void view(const void *st, const ebb_shape_in *in, ebb_view *out)
{
    const ebb_desc *x = &in->in[0];
    const char *order = orders[x->rank][x->rank == 1 ? 0 : ((const permute *)st)->order_type];
    for (int i = 0; i < x->rank; i++) out[0].desc.stride[i] = x->stride[source(order, x->rank, i)];
}

const ebb_layer_type ebb_layer_permute = {
    .size = sizeof(ebb_layer_type), .name = "Permute", .doc = "axes in another order",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .state_size = sizeof(permute), .params = params,
    .shape = shape, .view = view,
};
