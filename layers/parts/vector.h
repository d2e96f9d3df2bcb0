// SPDX-License-Identifier: BSD-3-Clause
// vector.h - a vector of weights without a tag. It lives as long as the net, in the file's own memory.
#pragma once
#include "ebb_layer.h"

static inline ebb_status ebb_load_vector(const ebb_load *l, int n, const float **v, ebb_error *e)
{
    ebb_weights w;
    EBB_TRY(ebb_load_weights(l, (size_t)n, EBB_RAW, &w, e));
    EBB_TRY(ebb_load_keep(l, &w, e));
    *v = w.data;
    return EBB_OK;
}
