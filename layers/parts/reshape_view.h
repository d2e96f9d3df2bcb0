// SPDX-License-Identifier: BSD-3-Clause
// reshape_view.h - when another shape is only another way to look at the same elements.
#pragma once
#include "ebb_layer.h"

// Fills the strides of out (rank and sizes are set, as many elements as in) so that it shows the elements of
// in in c, h, w order. False when no strides do.
bool ebb_reshape_view(const ebb_desc *in, ebb_desc *out);
// The view slot of layers that only change the shape of input 0.
void ebb_reshape_views(const void *st, const ebb_shape_in *in, ebb_view *out);
// The view slot of layers whose output k is input k as it is, or input 0 where there is only one.
void ebb_same_views(const void *st, const ebb_shape_in *in, ebb_view *out);
// The shape slot that goes with it.
ebb_status ebb_same_shapes(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e);
