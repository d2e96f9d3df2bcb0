// SPDX-License-Identifier: BSD-3-Clause
// draft.h - what stands in a .param file, text or binary, before it is wired and converted. Lives while it
// loads.
#pragma once
#include "alloc.h"
#include "log.h"
#include "types.h"

// A blob's name where it stands, or its index in a binary file.
typedef struct ebb_word {
    const char *at;
    size_t n;                // characters; text only
    struct ebb_word *first;  // the earliest word with this name; text only
    int blob;
} ebb_word;

// Sorts n words, behind which there is room for n more, by name, and points each at the first one of its
// name. Returns where they lie now, and how many names there are.
ebb_word **ebb_distinct(ebb_word **w, size_t n, size_t *names);

// One key=value. Numbers stay as written until the parameter's row says what they are.
typedef struct ebb_value {
    int id;
    enum {
        EBB_V_TEXT,       // n characters: a number, numbers with commas, or a string
        EBB_V_QUOTED,     // n characters that stood in quotes
        EBB_V_OLD_ARRAY,  // n characters: a count, then that many numbers
        EBB_V_CELL,       // one 4-byte cell
        EBB_V_CELLS,      // n 4-byte cells
        EBB_V_BYTES       // n characters of a string in a binary file
    } form;
    const char *at;
    size_t n;
    struct ebb_value *next;
} ebb_value;

enum { EBB_MAX_ID = 64 };                          // ncnn goes to 32
enum { EBB_ID_HINTS = 30, EBB_ID_FEATURES = 31 };  // of any layer

typedef struct ebb_draft_layer {
    const char *at;    // where its type stands
    ebb_word kind;     // its type's name
    const char *name;  // in keep
    const ebb_layer_type *type;  // NULL: not known, which fails once all is read
    int n_in, n_out;
    ebb_word *blobs;  // n_in + n_out
    ebb_value *values;
    uint64_t ids, again;  // a bit for each value, and for each that stands there more than once
} ebb_draft_layer;

typedef struct ebb_draft {
    const char *label;  // the file's name, for messages
    const char *data;
    size_t bytes;
    const ebb_types *types;
    ebb_log log;
    bool lenient;     // unknown parameters are ignored
    ebb_arena *keep;  // for what outlives the draft: names, parameters
    ebb_arena arena;  // for the rest: freed with the draft

    // What the file says:
    bool binary;
    int unknown;            // layers without a type
    int n_layers, n_blobs;  // n_blobs: as the header says, until wired
    ebb_draft_layer *layers;
    const char **names;  // n_blobs names in keep
    const int *by_name;  // blob indices sorted by name, in keep; NULL without names
} ebb_draft;

// Reads a whole file into d, whose fields before `binary` are set (of arena: the heap).
ebb_status ebb_draft_read(ebb_draft *d, ebb_error *e);
ebb_status ebb_draft_text(ebb_draft *d, ebb_error *e);
ebb_status ebb_draft_binary(ebb_draft *d, ebb_error *e);
// What reading came to, s, or one error with all layer types that are not known.
ebb_status ebb_draft_check_types(ebb_draft *d, ebb_status s, ebb_error *e);

// Puts "file:17:23: layer 12 'conv1' (Convolution): " before e; l and at may be NULL.
ebb_status ebb_draft_place(const ebb_draft *d, const ebb_draft_layer *l, const char *at, ebb_status s,
                           ebb_error *e);
ebb_status ebb_draft_nomem(const ebb_draft *d, ebb_error *e);
// The same for a line of the log; l may be NULL.
void ebb_draft_warn(const ebb_draft *d, const ebb_draft_layer *l, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// Adds a value to the end of l's, or puts it in the place of an earlier one with the same id.
ebb_status ebb_draft_add_value(ebb_draft *d, ebb_draft_layer *l, ebb_value **last, ebb_value v, ebb_error *e);
const ebb_value *ebb_draft_value(const ebb_draft_layer *l, int id);
// Refuses parameters that the type has no row for, where they may change what is computed.
ebb_status ebb_draft_check_keys(const ebb_draft *d, const ebb_draft_layer *l, ebb_error *e);
// Fills the fields of st from the values of l, converted and checked by the rows of its type.
ebb_status ebb_draft_fill(const ebb_draft *d, const ebb_draft_layer *l, void *st, ebb_error *e);
// EBB_ID_HINTS or EBB_ID_FEATURES, which any layer may have; empty when it is absent.
ebb_status ebb_draft_ints(const ebb_draft *d, const ebb_draft_layer *l, int id, ebb_ints *v, ebb_error *e);

static inline bool ebb_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
