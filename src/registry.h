// SPDX-License-Identifier: BSD-3-Clause
// registry.h - what a layer type must be like.
#pragma once
#include "ebb_layer.h"

// The size of a state's field.
size_t ebb_param_bytes(ebb_param_type t);
// A type from outside must fit this library; every built-in one does.
ebb_status ebb_layer_type_check(const ebb_layer_type *t, ebb_error *e);
