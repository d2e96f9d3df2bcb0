// SPDX-License-Identifier: BSD-3-Clause
// precision.h - f16 and bf16 are taken where they save memory.
#pragma once
#include "ebb.h"

// Whether a run with this prediction takes less than with that one.
bool precision_lowers(const ebb_prediction *f32, const ebb_prediction *other);
const char *precision_name(ebb_precision p);  // as the option says it
