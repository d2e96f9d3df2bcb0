// SPDX-License-Identifier: BSD-3-Clause
// walk.h - the state of one walk through a net, dry or real: what every blob is at this moment.
//
// The lifetime rules:
//  1. A cell's `reads` are the data reads still to come from layers in scope, plus one while it is pinned (kept,
//     extracted, or an input that stays). Without declared outputs every layer is in scope, and a blob that no
//     layer reads is pinned.
//  2. A read is counted down after the reader ran. At zero ebb_walk_release() drops the blob; nothing else does.
//  3. Copied and borrowed inputs are pinned until reset; given ones go at their last read.
//  4. A layer runs again only when a released blob is asked for; demand.c then counts its reads anew.
//  5. Live bytes are those of the counted storages that cells hold, each storage once.
#pragma once
#include "device.h"
#include "ledger.h"
#include "net.h"

typedef enum ebb_cell_state { EBB_CELL_NEVER, EBB_CELL_HERE, EBB_CELL_GONE } ebb_cell_state;
typedef enum ebb_cell_input {
    EBB_NOT_INPUT,
    EBB_COPIED,
    EBB_BORROWED,
    EBB_GIVEN,
    EBB_EXPECTED
} ebb_cell_input;

// What a reader still to come may ask of a blob.
enum { EBB_NEEDS_PIXEL, EBB_NEEDS_PLANAR, EBB_NEEDS_HOST, EBB_NEEDS_DEVICE, EBB_NEEDS };

typedef struct ebb_cell {
    ebb_blob blob;       // desc (valid once made) and storage (while here)
    int reads;
    unsigned char state;     // ebb_cell_state
    unsigned char input;     // ebb_cell_input
    bool pinned;         // one of `reads` is the caller's, until reset
    bool keep;           // the caller said so: pinned once it exists
    int declared;        // times that it will be extracted
    int needs[EBB_NEEDS];  // how many inputs of pending layers ask for that; demand.c counts
    int low, high;       // holders.c
} ebb_cell;

// What running one layer needs, sized for the widest layer of the net.
typedef struct ebb_run {
    ebb_arena arena;
    ebb_desc *in_desc, *out_desc;
    ebb_plan_input *plan_in;
    ebb_plan_output *plan_out;
    ebb_view *view;
    bool *wanted, *copied;
    ebb_blob *in;            // as the layer reads them
    ebb_blob *spare;         // outputs that nobody wants but the layer needs
    const ebb_blob **in_ptr;
    ebb_blob **out_ptr;
    void *work;              // from plan to cpu
} ebb_run;

// What a dry walk found, so that the same question is not walked again. See admit.c.
typedef struct ebb_verdict {
    uint64_t question;   // 0: none
    size_t joint_peak;
    int layer;           // where it is reached
} ebb_verdict;
enum { EBB_VERDICTS = 8 };

typedef struct ebb_walk {
    const ebb_net *net;
    ebb_heap *heap;
    bool dry;
    bool begun;          // scope and counts are set
    bool broken;         // a layer failed: blobs may be half-written until reset
    bool any_declared;
    bool keep_all;
    bool views;          // the net has a layer that may make some
    ebb_cell *cells;     // one a slot
    unsigned char *node; // one a node: EBB_PENDING | EBB_RAN | …
    int *order;          // nodes to run for the present demand
    int n_order;
    int *stack, *next;   // of the depth-first search
    int holders;         // holders.c: the root
    size_t steps;        // that its searches took, for tests
    ebb_ledger ledger;
    size_t limit;        // SIZE_MAX: none
    int threads;
    ebb_pool *pool;
    ebb_observer observer;
    uint64_t chosen;     // the question that the EBB_COPY_OUT bits were chosen for
    ebb_verdict verdict[EBB_VERDICTS];  // answers to the latest ones
    unsigned n_verdicts;
    ebb_vk_cmd *cmd;     // recorded device work; NULL until a layer runs there
    ebb_run *run;
    atomic_bool cancelled;  // by any thread; apart from what the walk's own thread reads
} ebb_walk;

enum {
    EBB_PENDING = 1,     // will run; its reads are counted
    EBB_RAN = 2,
    EBB_VISITED = 4,     // by the search
    EBB_COPY_OUT = 8     // its views are copied instead, since that lowers the peak
};

// walk.c: cells and accounting
ebb_status ebb_walk_new(ebb_walk *w, const ebb_net *net, ebb_error *e);
void ebb_walk_free(ebb_walk *w);
void ebb_walk_reset(ebb_walk *w);
// A dry copy of w: ghosts in the place of its storages.
ebb_status ebb_walk_copy_dry(ebb_walk *dry, const ebb_walk *w, ebb_error *e);
// EBB_E_LIMIT when that many bytes more, for a blob or scratch, are over the limit.
ebb_status ebb_walk_check_limit(const ebb_walk *w, const char *what, size_t bytes, ebb_error *e);
// A counted storage, held by nobody yet; a ghost in a dry walk.
ebb_status ebb_walk_storage(ebb_walk *w, size_t bytes, ebb_residence on, ebb_storage **m, ebb_error *e);
// Puts storage into a blob of this walk: takes over the caller's reference and counts it. And the reverse:
// returns the bytes that the walk no longer holds.
void ebb_walk_hold(ebb_walk *w, ebb_blob *b, ebb_storage *m, ptrdiff_t offset);
size_t ebb_walk_let_go(ebb_walk *w, ebb_blob *b);
void ebb_walk_pin(ebb_walk *w, int slot);
// One read of the blob is done; releases at zero. layer < 0: the caller's.
void ebb_walk_read(ebb_walk *w, int layer, int slot);
void ebb_walk_release(ebb_walk *w, int layer, int slot, const char *why);
ebb_status ebb_walk_scratch(ebb_walk *w, int layer, size_t bytes, void **p, ebb_error *e);
void ebb_walk_unscratch(ebb_walk *w, int layer, void *p, size_t bytes);
// holders.c: which cells share a storage. A cell is added once it has one, and removed before it loses it; other blobs
// are left alone.
void ebb_holders_add(ebb_walk *w, const ebb_blob *b);
void ebb_holders_remove(ebb_walk *w, const ebb_blob *b);
// The first slot behind `slot` (-1: of all) whose blob lies in m; -1: none.
int ebb_holders_next(ebb_walk *w, const ebb_storage *m, int slot);
// Copies for one read and outputs that nobody wants die with the run of their layer, also with a failed one.
void ebb_walk_drop_temporaries(ebb_walk *w, int layer);
// Between two layers: the invariant that does not hold, in a few words; NULL: all do.
const char *ebb_walk_check(const ebb_walk *w);

// demand.c: which nodes must run, in which order, and the reads they will make
ebb_status ebb_demand(ebb_walk *w, int slot, ebb_error *e);
void ebb_demand_met(ebb_walk *w, int layer);  // it has run

// fit.c: makes a blob readable
typedef struct ebb_want {
    unsigned orders, dtypes;  // accepted
    bool dense;               // planar, without gaps
    bool kept;                // beyond reset: not in memory that the caller lent
    ebb_residence on;
} ebb_want;
// *b is the slot's blob, or a copy for one read (then *copied is true and the caller lets go of it).
ebb_status ebb_fit(ebb_walk *w, int layer, int slot, const ebb_want *want, ebb_blob *b, bool *copied,
                   ebb_error *e);
// The order that readers of this slot would like a new blob in.
unsigned ebb_fit_order(const ebb_walk *w, int slot);
// Dense strides in the axis order of model (its class, where the shapes differ).
void ebb_fit_like(ebb_desc *d, const ebb_desc *model);

// plan.c: what one layer will do; the results are in w->run
ebb_status ebb_plan_shapes(ebb_walk *w, const ebb_node *n, ebb_error *e);
ebb_status ebb_plan_make(ebb_walk *w, const ebb_node *n, ebb_plan *plan, ebb_error *e);
// What a type's flags say, before its own plan.
void ebb_plan_default(const ebb_layer_type *t, const ebb_plan_in *in, ebb_plan *plan);
// What shape, view and macs get, once ebb_plan_shapes was called.
ebb_shape_in ebb_plan_shape_in(const ebb_walk *w, const ebb_node *n);

// place.c: where the outputs of a layer lie
ebb_status ebb_place_output(ebb_walk *w, int layer, int k, const ebb_plan *plan, ebb_residence on,
                            ebb_error *e);
// Asks a VIEW layer for its views. False: none is meant, or one is not possible and the layer would rather compute.
bool ebb_place_can_view(ebb_walk *w, const ebb_node *n);
ebb_status ebb_place_views(ebb_walk *w, int layer, ebb_error *e);
void ebb_place_constants(ebb_walk *w, int layer);

// pull.c: the interpreter
ebb_status ebb_pull(ebb_walk *w, int slot, ebb_error *e);

// request.c: what a caller asks for
typedef struct ebb_request {
    const int *slots;    // a blob may be asked for several times
    int n;
    ebb_take how;
    bool inside;         // the blobs do not leave the extractor: they may lie in memory that the caller lent
} ebb_request;
ebb_status ebb_request_declare(ebb_walk *w, const int *slots, int n, ebb_error *e);
// Makes and hands out; out == NULL in a dry walk.
ebb_status ebb_request_all(ebb_walk *w, const ebb_request *q, ebb_blob **out, ebb_error *e);

// dry.c: the request in a dry copy of w, with layers that fit their scratch to the limit. Only dry->ledger is left of it.
ebb_status ebb_dry_walk(ebb_walk *dry, const ebb_walk *w, const ebb_request *q, size_t limit,
                        ebb_observer watch, ebb_error *e);

// choose.c: which views of parts are copied out, because the peak of this request is lower so, and what it takes then
ebb_status ebb_choose_copies(ebb_walk *w, const ebb_request *q, ebb_ledger *l, ebb_error *e);

// admit.c: whether a request is let in
// EBB_E_LIMIT, in words, when that is over w's limit.
ebb_status ebb_admit_within(const ebb_walk *w, size_t joint_peak, int layer, ebb_error *e);
// Whether copies can be chosen for the next request.
bool ebb_admit_chooses(const ebb_walk *w);
// Chooses copies, and refuses what is over the limit or fails anyway. Remembered: the same request is walked once.
ebb_status ebb_admit(ebb_walk *w, const ebb_request *q, ebb_error *e);

// Tells the observer, with live and peak as the ledger has them.
void ebb_walk_tell(ebb_walk *w, const ebb_event *ev);
#define EBB_EMIT(w, ...)                                                                                     \
    do {                                                                                                     \
        if ((w)->observer.event) ebb_walk_tell((w), &(const ebb_event){__VA_ARGS__});                             \
    } while (0)

// extractor.c
// Makes a blob to be given as input `blob`; refuses what giving it would refuse, before memory is taken.
ebb_status ebb_extractor_make_for(ebb_extractor *x, const char *blob, const ebb_desc *d, ebb_blob **b,
                                  ebb_error *e);
