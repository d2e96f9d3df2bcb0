// SPDX-License-Identifier: BSD-3-Clause
// blob.c - shapes over refcounted storage. Rule: data is freed by the last reference, and only by it.
#include "blob.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} dtypes[] = {[EBB_F32] = {"f32", 4},
              [EBB_F16] = {"f16", 2},
              [EBB_BF16] = {"bf16", 2},
              [EBB_I8] = {"i8", 1},
              [EBB_I32] = {"i32", 4}};

size_t ebb_dtype_bytes(ebb_dtype t) { return dtypes[t].bytes; }
const char *ebb_dtype_name(ebb_dtype t) { return dtypes[t].name; }

size_t ebb_desc_count(const ebb_desc *d)
{
    size_t n = 1;
    for (int i = 0; i < d->rank; i++) {
        if (d->dim[i] < 0) return SIZE_MAX;
        n = ebb_size_mul(n, (size_t)d->dim[i]);
    }
    return n;
}

size_t ebb_desc_bytes(const ebb_desc *d)
{
    const size_t n = ebb_size_mul(ebb_desc_count(d), ebb_dtype_bytes(d->dtype));
    return n > PTRDIFF_MAX ? SIZE_MAX : n;
}

size_t ebb_desc_span(const ebb_desc *d)
{
    size_t last = 0;
    for (int i = 0; i < d->rank; i++) {
        if (d->dim[i] == 0) return 0;
        if (d->dim[i] < 0) return SIZE_MAX;
        last = ebb_size_add(last, ebb_size_mul((size_t)d->dim[i] - 1, (size_t)d->stride[i]));
    }
    return ebb_size_add(last, 1);
}

void ebb_desc_planar_strides(ebb_desc *d)
{
    ptrdiff_t step = 1;
    for (int i = d->rank - 1; i >= 0; i--) {
        d->stride[i] = step;
        step = ebb_stride_mul(step, d->dim[i]);
    }
}

void ebb_desc_pixel_strides(ebb_desc *d)
{
    if (d->rank == 0) return;
    ptrdiff_t step = d->dim[0];
    d->stride[0] = 1;
    for (int i = d->rank - 1; i > 0; i--) {
        d->stride[i] = step;
        step = ebb_stride_mul(step, d->dim[i]);
    }
}

static ebb_desc sized(ebb_dtype t, int rank, const int *dim)
{
    ebb_desc d = {.dtype = t, .rank = rank};
    for (int i = 0; i < rank; i++) d.dim[i] = dim[i];
    return d;
}

ebb_desc ebb_desc_planar(ebb_dtype t, int rank, const int *dim)
{
    ebb_desc d = sized(t, rank, dim);
    ebb_desc_planar_strides(&d);
    return d;
}

ebb_desc ebb_desc_pixel(ebb_dtype t, int rank, const int *dim)
{
    ebb_desc d = sized(t, rank, dim);
    ebb_desc_pixel_strides(&d);
    return d;
}

bool ebb_desc_same_shape(const ebb_desc *a, const ebb_desc *b)
{
    if (a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

unsigned ebb_desc_order(const ebb_desc *d)
{
    const int last = d->rank - 1;
    unsigned order = 0;
    if (d->rank == 0 || d->dim[last] <= 1 || d->stride[last] == 1) order |= EBB_PLANAR;
    if (d->rank == 0 || d->dim[0] <= 1 || d->stride[0] == 1) order |= EBB_PIXEL;
    return order;
}

bool ebb_desc_dense(const ebb_desc *d)
{
    const size_t count = ebb_desc_count(d);
    if (count == 0) return true;
    // Each axis must step over whole smaller ones. None is found twice, as more is covered by then.
    size_t covered = 1;
    for (int found = 1; found;) {
        found = 0;
        for (int i = 0; i < d->rank; i++)
            if (d->dim[i] > 1 && (size_t)d->stride[i] == covered) {
                covered = ebb_size_mul(covered, (size_t)d->dim[i]);
                found = 1;
                break;
            }
    }
    return covered == count;
}

const char *ebb_desc_text(const ebb_desc *d, char *text, size_t bytes)
{
    size_t at = 0;
    if (bytes) text[0] = 0;
    if (d->rank == 0) snprintf(text, bytes, "scalar");
    for (int i = 0; i < d->rank && at < bytes; i++)
        at += (size_t)snprintf(text + at, bytes - at, i ? "x%d" : "%d", d->dim[i]);
    return text;
}

enum { HEAD = (sizeof(ebb_storage) + EBB_ALIGN - 1) / EBB_ALIGN * EBB_ALIGN };

static ebb_storage *start(ebb_storage *m, ebb_heap *s, size_t bytes, void *data)
{
    *m = (ebb_storage){
        .writable = true, .counted = true, .bytes = bytes, .data = data, .heap = ebb_heap_hold(s)};
    atomic_init(&m->refs, 1);
    return m;
}

ebb_storage *ebb_storage_new(ebb_heap *s, size_t bytes)
{
    ebb_storage *m = ebb_heap_get_headed(s, HEAD, EBB_MEM_BLOB, bytes);
    return m ? start(m, s, bytes, (char *)m + HEAD) : NULL;
}

ebb_storage *ebb_storage_around(ebb_heap *s, void *data, size_t bytes, bool writable,
                                void (*free_data)(void *, ebb_storage *), void *user)
{
    ebb_storage *m = ebb_heap_get(s, EBB_MEM_META, HEAD);
    if (!m) return NULL;
    start(m, s, bytes, data);
    m->foreign = true, m->writable = m->counted = writable, m->free_data = free_data, m->user = user;
    return m;
}

ebb_storage *ebb_storage_ghost(ebb_heap *s, size_t bytes, ebb_residence on)
{
    ebb_storage *m = ebb_storage_around(s, NULL, bytes, true, NULL, NULL);
    if (m) m->ghost = true, m->on = on;
    return m;
}

void ebb_storage_drop(ebb_storage *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1) return;
    ebb_heap *s = m->heap;
    if (m->free_data) m->free_data(m->user, m);
    if (m->foreign) ebb_heap_put(s, EBB_MEM_META, m, HEAD);
    else ebb_heap_put_headed(s, HEAD, EBB_MEM_BLOB, m, m->bytes);
    ebb_heap_drop(s);
}

const ebb_desc *ebb_blob_desc(const ebb_blob *b) { return &b->desc; }

void *ebb_blob_data(const ebb_blob *b)
{
    if (!b->mem || !b->mem->data) return NULL;
    return (char *)b->mem->data + b->offset * (ptrdiff_t)ebb_dtype_bytes(b->desc.dtype);
}

ebb_blob *ebb_blob_handle(ebb_heap *s, const ebb_desc *d, ebb_storage *mem, ptrdiff_t offset)
{
    ebb_blob *b = ebb_heap_get(s, EBB_MEM_META, sizeof *b);
    if (!b) return NULL;
    *b = (ebb_blob){.desc = *d, .mem = ebb_storage_hold(mem), .offset = offset, .own = ebb_heap_hold(s)};
    atomic_init(&b->refs, 1);
    return b;
}

ebb_blob *ebb_blob_hold(ebb_blob *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void ebb_blob_drop(ebb_blob *b)
{
    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1) return;
    ebb_heap *s = b->own;
    ebb_storage_drop(b->mem);
    ebb_heap_put(s, EBB_MEM_META, b, sizeof *b);
    ebb_heap_drop(s);
}

void ebb_blob_shrink(ebb_blob *b, int axis, int size)
{
    if (size >= 0 && size <= b->desc.dim[axis]) b->desc.dim[axis] = size;
}
