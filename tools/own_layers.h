// SPDX-License-Identifier: BSD-3-Clause
// own_layers.h - layer types that models need and the library does not have: written against ebb_layer.h, as
// a user of the library would write them.
#pragma once
#include "ebb_layer.h"

extern const ebb_layer_type tool_yolov5focus;

ebb_status add_own_layers(ebb_net *net, ebb_error *e);
const ebb_layer_type *own_layer(int i);  // NULL past the end
const ebb_layer_type *own_layer_named(const char *type);
