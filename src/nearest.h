// SPDX-License-Identifier: BSD-3-Clause
// nearest.h - the name somebody probably meant.
#pragma once

typedef struct ebb_nearest {
    const char *wanted;
    const char *name;  // the best offer so far; NULL: none is close
    int distance;
} ebb_nearest;

ebb_nearest ebb_nearest_to(const char *wanted);
void ebb_nearest_offer(ebb_nearest *n, const char *name);
