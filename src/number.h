// SPDX-License-Identifier: BSD-3-Clause
// number.h - numbers in text, the same in every locale and at any length.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct ebb_number {
    double d;
    float f;  // rounded once, not by way of d
} ebb_number;

// All n characters: decimal or hexadecimal, with or without fraction and exponent, inf, infinity or nan.
bool ebb_number_parse(const char *s, size_t n, ebb_number *x);
