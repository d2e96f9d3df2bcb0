// SPDX-License-Identifier: BSD-3-Clause
// expr.h - shape expressions such as "-1,*(0h,2),+(1c,2)": lists of numbers that come from the sizes of
// inputs.
#pragma once
#include "ebb_layer.h"

// 0w, 0h, 0d, 0c are sizes of input 0. Whole numbers stay whole; the rest is computed in single precision.
typedef struct ebb_expr ebb_expr;

enum { EBB_EXPR_VALUES = 8 };  // in one list
// For init: *x lives as long as the net. NULL or empty text gives NULL.
ebb_status ebb_expr_compile(const ebb_init *in, const char *text, const ebb_expr **x, ebb_error *e);
int ebb_expr_count(const ebb_expr *x);  // values in the list; 0 for NULL
// Fractions are cut off.
ebb_status ebb_expr_eval(const ebb_expr *x, const ebb_shape_in *in, int value[EBB_EXPR_VALUES], ebb_error *e);
