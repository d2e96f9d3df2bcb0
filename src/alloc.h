// SPDX-License-Identifier: BSD-3-Clause
// alloc.h - the heap: every byte the library holds is taken and given back here, and counted.
#pragma once
#include "ebb_layer.h"
#include <stdatomic.h>

enum { EBB_ALIGN = 64 };

// Refcounted: a net, its extractors and every storage hold one, so that blobs outlive the net.
typedef struct ebb_heap ebb_heap;
ebb_status ebb_heap_new(const ebb_allocator *a, ebb_heap **s, ebb_error *e);
ebb_heap *ebb_heap_hold(ebb_heap *s);
void ebb_heap_drop(ebb_heap *s);
// 64-byte aligned and uninitialised; NULL when there is no memory. bytes 0 gives a valid pointer.
void *ebb_heap_get(ebb_heap *s, ebb_mem_kind kind, size_t bytes);
// The same, zeroed, for n elements; NULL also on overflow.
void *ebb_heap_zero(ebb_heap *s, ebb_mem_kind kind, size_t n, size_t each);
void ebb_heap_put(ebb_heap *s, ebb_mem_kind kind, void *p, size_t bytes);  // p may be NULL
// One allocation for a header and its data: the head counts as meta, the data as `kind`.
void *ebb_heap_get_headed(ebb_heap *s, size_t head, ebb_mem_kind kind, size_t bytes);
void ebb_heap_put_headed(ebb_heap *s, size_t head, ebb_mem_kind kind, void *p, size_t bytes);
void ebb_heap_count(const ebb_heap *s, ebb_mem_count count[EBB_MEM_KINDS]);

// Memory that is freed all at once: names, rows, parameters, states.
typedef struct ebb_arena {
    ebb_heap *heap;
    struct ebb_arena_block *blocks;
    size_t used;
} ebb_arena;
void *ebb_arena_get(ebb_arena *a, size_t bytes);           // zeroed, 16-byte aligned; NULL: no memory
char *ebb_arena_text(ebb_arena *a, const char *s, size_t n);  // n characters and a zero
void ebb_arena_free(ebb_arena *a);
