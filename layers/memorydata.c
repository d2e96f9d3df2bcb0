// SPDX-License-Identifier: BSD-3-Clause
// memorydata.c - MemoryData: a constant from the weight file. Rule: the blob is a view of the weights, never
// a copy.
#include "ebb_layer.h"

typedef struct constant {
    int w, h, c, d, load_type;
} constant;

static const ebb_param params[] = {
    EBB_INT(constant, 0, "w", w, .max = INT32_MAX),
    EBB_INT(constant, 1, "h", h, .max = INT32_MAX),
    EBB_INT(constant, 2, "c", c, .max = INT32_MAX),
    EBB_INT(constant, 11, "d", d, .max = INT32_MAX),
    EBB_INT(constant, 21, "load_type", load_type, .def = 1, .max = 1,
            .doc = "1 plain f32, 0 with a tag that tells the precision"),
    {0},
};

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    const constant *p = st;
    const int size[] = {p->c, p->d, p->h, p->w};
    int rank = 0, dim[EBB_MAX_RANK];
    size_t n = 1;
    for (int i = 0; i < 4; i++) {
        if (size[i] == 0 && (rank == 0 || i == 1)) continue;  // c, h, w have no d
        if (size[i] == 0 || (i == 1 && rank == 0))
            return ebb_fail(e, EBB_E_PARAM, "the sizes w %d, h %d, d %d, c %d leave one out", p->w, p->h,
                            p->d, p->c);
        dim[rank++] = size[i];
        n = ebb_size_mul(n, (size_t)size[i]);
    }
    ebb_weights w = {.dtype = EBB_F32, .n = 1};
    if (rank == 0) {  // no sizes at all: one number that is in no file
        dim[rank++] = 1;
        void *zero;
        EBB_TRY(ebb_load_alloc(l, sizeof(float), &zero, e));
        w.data = zero;
    } else {
        EBB_TRY(ebb_load_weights(l, n, p->load_type ? EBB_RAW : EBB_TAGGED, &w, e));
    }
    return ebb_load_constant(l, 0, rank, dim, &w, e);
}

const ebb_layer_type ebb_layer_memorydata = {
    .size = sizeof(ebb_layer_type), .name = "MemoryData", .doc = "a constant from the weight file",
    .flags = EBB_LAYER_CONSTANT, .in_min = 0, .in_max = 0, .out_min = 1, .out_max = 1,
    .state_size = sizeof(constant), .params = params, .load = load,
};
