// SPDX-License-Identifier: BSD-3-Clause
// blob.h - a blob is strides over refcounted storage. Who shares a storage is a count, never a copy.
#pragma once
#include "alloc.h"

struct ebb_vk_buffer;

// Where the bytes are. A storage lives in one place; moving makes another.
typedef enum ebb_residence { EBB_ON_HOST, EBB_ON_DEVICE } ebb_residence;

typedef struct ebb_storage {
    atomic_int refs;
    bool writable;     // false: borrowed from the caller, or weights
    bool counted;      // its bytes are live bytes of the walk that holds it
    bool ghost;        // of a dry walk: counted, without data
    int holds;         // by cells of that walk; refs has the caller's handles too
    int tally;         // of ebb_walk_check
    size_t shown;      // of a ghost: bytes of the blobs that lie in it, for choose.c
    struct ebb_storage *twin;  // while a walk is copied: its ghost
    ebb_residence on;
    size_t bytes;      // of data
    size_t spare;      // of them: behind a result that turned out smaller than its bound
    void *data;        // behind this header, or foreign memory; NULL on a device and for ghosts
    ebb_heap *heap;    // that this header came from
    bool foreign;      // data is not part of this allocation
    void (*free_data)(void *user,
                      struct ebb_storage *s);  // foreign data with an end (a mapping, a device buffer)
    void *user;
} ebb_storage;

struct ebb_blob {
    ebb_desc desc;
    ebb_storage *mem;   // NULL: no data (released, unwanted, or shape only)
    ptrdiff_t offset;   // of element 0 in mem, in elements
    ebb_heap *own;      // set when this struct was itself allocated (the caller's handles)
    atomic_int refs;    // of such a handle
};

// Host storage of its own: header and data in one allocation. NULL: no memory.
ebb_storage *ebb_storage_new(ebb_heap *s, size_t bytes);
// A counted nothing, for dry walks.
ebb_storage *ebb_storage_ghost(ebb_heap *s, size_t bytes, ebb_residence on);
// Around memory that belongs to somebody else, counted where it is writable; free_data (may be NULL) runs when the
// last reference goes.
ebb_storage *ebb_storage_around(ebb_heap *s, void *data, size_t bytes, bool writable,
                                void (*free_data)(void *, ebb_storage *), void *user);
static inline ebb_storage *ebb_storage_hold(ebb_storage *m)
{
    if (m) atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}
static inline int ebb_storage_refs(const ebb_storage *m)
{
    return atomic_load_explicit(&m->refs, memory_order_acquire);
}
void ebb_storage_drop(ebb_storage *m);  // NULL is fine
// Whether the data goes when the caller says so (an input that is borrowed, weights from memory), not with m.
static inline bool ebb_storage_lent(const ebb_storage *m)
{
    return m->foreign && !m->ghost && !m->free_data;
}

// Bytes of a dense blob of this shape; SIZE_MAX when it overflows or is negative.
size_t ebb_desc_bytes(const ebb_desc *d);
// Elements from the first to the last one, both included; 0 for an empty blob. Strides are never negative.
size_t ebb_desc_span(const ebb_desc *d);
// Strides for the sizes: dense planar or dense pixel.
void ebb_desc_planar_strides(ebb_desc *d);
void ebb_desc_pixel_strides(ebb_desc *d);

// A handle for the caller around storage (takes a reference of its own). NULL: no memory.
ebb_blob *ebb_blob_handle(ebb_heap *s, const ebb_desc *d, ebb_storage *mem, ptrdiff_t offset);
