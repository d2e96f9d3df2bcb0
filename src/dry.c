// SPDX-License-Identifier: BSD-3-Clause
// dry.c - what a request would take. Rule: predict, choose and extract ask the same walk.
#include "walk.h"

ebb_status ebb_dry_walk(ebb_walk *dry, const ebb_walk *w, const ebb_request *q, size_t limit,
                        ebb_observer watch, ebb_error *e)
{
    EBB_TRY(ebb_walk_copy_dry(dry, w, e));
    dry->limit = limit;
    dry->observer = watch;
    const ebb_status s = ebb_request_all(dry, q, NULL, e);
    dry->observer = (ebb_observer){0};
    const ebb_ledger taken = dry->ledger;
    ebb_walk_free(dry);
    dry->ledger = taken;
    return s;
}
