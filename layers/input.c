// SPDX-License-Identifier: BSD-3-Clause
// input.c - Input: a blob that the caller sets. Rule: the sizes in the file are hints, the caller's decide.
#include "ebb_layer.h"

typedef struct input {
    int w, h, c, d;
} input;

static const ebb_param params[] = {
    EBB_INT(input, 0, "w", w, .doc = "hint"),
    EBB_INT(input, 1, "h", h, .doc = "hint"),
    EBB_INT(input, 2, "c", c, .doc = "hint"),
    EBB_INT(input, 11, "d", d, .doc = "hint"),
    {0},
};

// A prediction without data asks for the hint.
static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)in, (void)e;
    const input *p = st;
    const int size[] = {p->c, p->d, p->h, p->w};
    for (int i = 0; i < 4; i++)
        if (size[i] > 0) out[0].dim[out[0].rank++] = size[i];
    return EBB_OK;
}

const ebb_layer_type ebb_layer_input = {
    .size = sizeof(ebb_layer_type),
    .name = "Input",
    .doc = "a blob that the caller sets",
    .flags = EBB_LAYER_INPUT,
    .in_min = 0,
    .in_max = 0,
    .out_min = 0,
    .out_max = -1,
    .state_size = sizeof(input),
    .params = params,
    .shape = shape,
};
