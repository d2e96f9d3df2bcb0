// SPDX-License-Identifier: BSD-3-Clause
// identity.c - Split, Noop and DeepCopy: outputs that are inputs. Rule: they cost nothing; since no blob that
// others see is ever written, not even DeepCopy copies.
#include "ebb_layer.h"
#include "parts/reshape_view.h"

static ebb_status pairs(void *st, const ebb_init *in, ebb_error *e)
{
    (void)st;
    if (in->n_in >= in->n_out) return EBB_OK;  // real files collect six results into one
    return ebb_fail(e, EBB_E_PARAM, "%d inputs and %d outputs: output k is input k, so it lacks inputs",
                    in->n_in, in->n_out);
}

const ebb_layer_type ebb_layer_split = {
    .size = sizeof(ebb_layer_type), .name = "Split", .doc = "the input, for several readers",
    .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = -1, .shape = ebb_same_shapes, .view = ebb_same_views,
};

const ebb_layer_type ebb_layer_noop = {
    .size = sizeof(ebb_layer_type), .name = "Noop", .doc = "output k is input k", .flags = EBB_LAYER_VIEW,
    .in_min = 0, .in_max = -1, .out_min = 0, .out_max = -1, .init = pairs, .shape = ebb_same_shapes,
    .view = ebb_same_views,
};

const ebb_layer_type ebb_layer_deepcopy = {
    .size = sizeof(ebb_layer_type), .name = "DeepCopy", .doc = "the input", .flags = EBB_LAYER_VIEW,
    .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1, .shape = ebb_same_shapes, .view = ebb_same_views,
};
