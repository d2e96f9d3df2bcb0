// SPDX-License-Identifier: BSD-3-Clause
// error.h - places in front of messages.
#pragma once
#include "ebb_layer.h"

// Puts "layer 12 'conv1' (Convolution): " and the like before the message. Returns e's code, or s without e.
ebb_status ebb_error_prefix(ebb_error *e, ebb_status s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
