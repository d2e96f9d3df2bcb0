// SPDX-License-Identifier: BSD-3-Clause
// alloc.c - the allocation heap. Rule: nothing in the library allocates but through ebb_heap_get.
#include "alloc.h"
#include <stdlib.h>
#include <string.h>

struct ebb_heap {
    ebb_allocator a;
    atomic_int refs;
    struct {
        atomic_size_t live, peak, count;
    } kind[EBB_MEM_KINDS];
};

static void *default_get(void *user, size_t bytes, size_t align)
{
    (void)user;
    void *p = NULL;
    return posix_memalign(&p, align, bytes) ? NULL : p;
}

static void default_put(void *user, void *p, size_t bytes)
{
    (void)user, (void)bytes;
    free(p);
}

ebb_status ebb_heap_new(const ebb_allocator *a, ebb_heap **s, ebb_error *e)
{
    ebb_allocator use = {default_get, default_put, NULL};
    if (a && (a->get || a->put)) {
        if (!a->get || !a->put) return ebb_fail(e, EBB_E_PARAM, "an allocator needs both hooks, get and put");
        use = *a;
    }
    *s = use.get(use.user, sizeof **s, EBB_ALIGN);
    if (!*s) return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a memory counter", sizeof **s);
    memset(*s, 0, sizeof **s);
    (*s)->a = use;
    atomic_init(&(*s)->refs, 1);
    return EBB_OK;
}

ebb_heap *ebb_heap_hold(ebb_heap *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void ebb_heap_drop(ebb_heap *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    const ebb_allocator a = s->a;
    a.put(a.user, s, sizeof *s);
}

static void count_in(ebb_heap *s, ebb_mem_kind kind, size_t bytes)
{
    const size_t live = atomic_fetch_add_explicit(&s->kind[kind].live, bytes, memory_order_relaxed) + bytes;
    size_t peak = atomic_load_explicit(&s->kind[kind].peak, memory_order_relaxed);
    while (live > peak && !atomic_compare_exchange_weak(&s->kind[kind].peak, &peak, live)) {}
    atomic_fetch_add_explicit(&s->kind[kind].count, 1, memory_order_relaxed);
}

static void count_out(ebb_heap *s, ebb_mem_kind kind, size_t bytes)
{
    atomic_fetch_sub_explicit(&s->kind[kind].live, bytes, memory_order_relaxed);
}

static void *take(ebb_heap *s, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - EBB_ALIGN) return NULL;
    return s->a.get(s->a.user, bytes ? bytes : 1, EBB_ALIGN);
}

static void give_back(ebb_heap *s, void *p, size_t bytes) { s->a.put(s->a.user, p, bytes ? bytes : 1); }

void *ebb_heap_get(ebb_heap *s, ebb_mem_kind kind, size_t bytes)
{
    void *p = take(s, bytes);
    if (p) count_in(s, kind, bytes);
    return p;
}

void *ebb_heap_get_headed(ebb_heap *s, size_t head, ebb_mem_kind kind, size_t bytes)
{
    void *p = take(s, ebb_size_add(head, bytes));
    if (!p) return NULL;
    count_in(s, EBB_MEM_META, head);
    count_in(s, kind, bytes);
    return p;
}

void ebb_heap_put_headed(ebb_heap *s, size_t head, ebb_mem_kind kind, void *p, size_t bytes)
{
    count_out(s, EBB_MEM_META, head);
    count_out(s, kind, bytes);
    give_back(s, p, head + bytes);
}

void *ebb_heap_zero(ebb_heap *s, ebb_mem_kind kind, size_t n, size_t each)
{
    const size_t bytes = ebb_size_mul(n, each);
    void *p = ebb_heap_get(s, kind, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

void ebb_heap_put(ebb_heap *s, ebb_mem_kind kind, void *p, size_t bytes)
{
    if (!p) return;
    count_out(s, kind, bytes);
    give_back(s, p, bytes);
}

void ebb_heap_count(const ebb_heap *s, ebb_mem_count count[EBB_MEM_KINDS])
{
    for (int k = 0; k < EBB_MEM_KINDS; k++)
        count[k] = (ebb_mem_count){atomic_load(&s->kind[k].live), atomic_load(&s->kind[k].peak),
                                   atomic_load(&s->kind[k].count)};
}

struct ebb_arena_block {
    struct ebb_arena_block *next;
    size_t bytes;  // of the whole block
};

enum { ARENA_HEAD = 16, ARENA_BLOCK = 4096 };
_Static_assert(sizeof(struct ebb_arena_block) <= ARENA_HEAD, "the head must fit");

void *ebb_arena_get(ebb_arena *a, size_t bytes)
{
    if (bytes > PTRDIFF_MAX / 2) return NULL;
    bytes = (bytes + 15) / 16 * 16;
    if (!a->blocks || a->blocks->bytes - a->used < bytes) {
        const size_t want = bytes + ARENA_HEAD > ARENA_BLOCK ? bytes + ARENA_HEAD : ARENA_BLOCK;
        struct ebb_arena_block *b = ebb_heap_get(a->heap, EBB_MEM_META, want);
        if (!b) return NULL;
        *b = (struct ebb_arena_block){a->blocks, want};
        a->blocks = b;
        a->used = ARENA_HEAD;
    }
    void *p = (char *)a->blocks + a->used;
    a->used += bytes;
    return memset(p, 0, bytes);
}

char *ebb_arena_text(ebb_arena *a, const char *s, size_t n)
{
    char *t = ebb_arena_get(a, n + 1);
    return t ? memcpy(t, s, n) : NULL;
}

void ebb_arena_free(ebb_arena *a)
{
    while (a->blocks) {
        struct ebb_arena_block *b = a->blocks;
        a->blocks = b->next;
        ebb_heap_put(a->heap, EBB_MEM_META, b, b->bytes);
    }
    a->used = 0;
}
