// SPDX-License-Identifier: BSD-3-Clause
// ledger.c - sums and high-water marks of one walk. Rule: a dry walk and a real one are counted by the same
// lines.
#include "ledger.h"

void ebb_ledger_open(ebb_ledger *l) { *l = (ebb_ledger){.layer = -1, .peak_layer = -1, .exact = true}; }

size_t ebb_ledger_room(const ebb_ledger *l, size_t limit)
{
    const size_t held = l->live + l->scratch_live;
    return limit > held ? limit - held : 0;
}

static void raise_peaks(ebb_ledger *l)
{
    const size_t joint = l->live + l->scratch_live;
    if (l->live > l->peak) l->peak = l->live;
    if (l->scratch_live > l->scratch_peak) l->scratch_peak = l->scratch_live;
    if (joint <= l->joint_peak) return;
    l->joint_peak = joint;
    l->peak_layer = l->layer;
}

void ebb_ledger_take(ebb_ledger *l, size_t bytes)
{
    l->live += bytes;
    l->total = ebb_size_add(l->total, bytes);
    l->count++;
    raise_peaks(l);
}

void ebb_ledger_put(ebb_ledger *l, size_t bytes) { l->live -= bytes; }

void ebb_ledger_take_scratch(ebb_ledger *l, size_t bytes)
{
    l->scratch_live += bytes;
    l->scratch_count++;
    raise_peaks(l);
}

void ebb_ledger_put_scratch(ebb_ledger *l, size_t bytes) { l->scratch_live -= bytes; }
