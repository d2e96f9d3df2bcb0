// SPDX-License-Identifier: BSD-3-Clause
// ledger.h - the bytes that one walk holds and has held. Rule: sums are changed here only, and never wrap:
// who takes memory asks for room first.
#pragma once
#include "ebb_layer.h"

typedef struct ebb_ledger {
    size_t live, peak, count;  // of blobs: bytes now and at most, storages taken so far
    size_t scratch_live, scratch_peak, scratch_count;
    size_t joint_peak;  // of blobs and scratch together
    size_t total;       // of all blobs so far, had nothing been released; SIZE_MAX: that or more
    int layer;          // that runs now; -1: none does
    int peak_layer;     // that ran when joint_peak was reached
    int parts;          // views made so far that hold more than they show
    bool exact;         // no size depended on data
} ebb_ledger;

void ebb_ledger_open(ebb_ledger *l);
// Bytes that may still be taken under a limit; SIZE_MAX as the limit: that can be counted.
size_t ebb_ledger_room(const ebb_ledger *l, size_t limit);
void ebb_ledger_take(ebb_ledger *l, size_t bytes);
void ebb_ledger_put(ebb_ledger *l, size_t bytes);
void ebb_ledger_take_scratch(ebb_ledger *l, size_t bytes);
void ebb_ledger_put_scratch(ebb_ledger *l, size_t bytes);
