// SPDX-License-Identifier: BSD-3-Clause
// ledger.c - sends events to the observer. Rule: an observer sees what was counted, never another sum.
#include "walk.h"

void ebb_emit(ebb_walk *w, const ebb_event *ev)
{
    ebb_event out = *ev;
    out.live = w->live;
    out.peak = w->peak;
    if (!out.why) out.why = "";
    w->observer.event(w->observer.user, &out);
}
