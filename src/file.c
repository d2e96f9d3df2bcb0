// SPDX-License-Identifier: BSD-3-Clause
// file.c - files, mapped or read. Rule: a mapping lives exactly as long as its storage.
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// user: the file, which stays open to be asked how long it is.
static void unmap(void *user, ebb_storage *s)
{
    munmap(s->data, s->bytes);
    close((int)(intptr_t)user);
}

enum { MOST_AT_ONCE = 1 << 30 };  // what one read is asked for

// user: how many bytes were allocated, which may be more than were read.
static void free_weight(void *user, ebb_storage *s)
{
    ebb_heap_put(s->heap, EBB_MEM_WEIGHT, s->data, (size_t)user);
}
static void free_meta(void *user, ebb_storage *s)
{
    ebb_heap_put(s->heap, EBB_MEM_META, s->data, (size_t)user);
}

// The mapping closes fd.
static ebb_status map_file(ebb_heap *s, int fd, size_t bytes, ebb_storage **file, ebb_error *e)
{
    void *data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return EBB_OK;  // it is read instead
    *file = ebb_storage_around(s, data, bytes, false, unmap, (void *)(intptr_t)fd);
    if (*file) return EBB_OK;
    munmap(data, bytes);
    return ebb_fail(e, EBB_E_NOMEM, "no memory to hold the file");
}

typedef struct growing {
    ebb_heap *heap;
    ebb_mem_kind kind;
    char *data;
    size_t bytes, room, most;
} growing;

static bool grow(growing *g)
{
    const size_t room = ebb_size_mul(g->room, 2);
    char *data = ebb_heap_get(g->heap, g->kind, room);
    if (!data) return false;
    memcpy(data, g->data, g->bytes);
    ebb_heap_put(g->heap, g->kind, g->data, g->room);
    g->data = data;
    g->room = room;
    return true;
}

static ebb_status too_large(size_t most, ebb_error *e)
{
    return ebb_fail(e, EBB_E_FORMAT, "it has more than %zu bytes: is it the right file?", most);
}

// To the end, whatever the size was when it was opened.
static ebb_status read_all(growing *g, int fd, ebb_error *e)
{
    for (;;) {
        if (g->bytes > g->most) return too_large(g->most, e);
        if (g->bytes == g->room && !grow(g))
            return ebb_fail(e, EBB_E_NOMEM, "no memory for more than %zu bytes of it", g->room);
        const ssize_t n = read(fd, g->data + g->bytes, g->room - g->bytes);
        if (n == 0) return EBB_OK;
        if (n < 0 && errno != EINTR) return ebb_fail(e, EBB_E_IO, "cannot read it: %s", strerror(errno));
        if (n > 0) g->bytes += (size_t)n;
    }
}

static ebb_status read_file(growing g, int fd, ebb_storage **file, ebb_error *e)
{
    if (g.room > g.most) return too_large(g.most, e);
    g.room = ebb_size_add(g.room, 64);
    g.data = ebb_heap_get(g.heap, g.kind, g.room);
    if (!g.data) return ebb_fail(e, EBB_E_NOMEM, "no memory for %zu bytes of it", g.room);
    ebb_status s = read_all(&g, fd, e);
    if (s == EBB_OK) {
        *file = ebb_storage_around(g.heap, g.data, g.bytes, false,
                                   g.kind == EBB_MEM_WEIGHT ? free_weight : free_meta, (void *)g.room);
        if (*file) return EBB_OK;
        s = ebb_fail(e, EBB_E_NOMEM, "no memory to hold it");
    }
    ebb_heap_put(g.heap, g.kind, g.data, g.room);
    return s;
}

ebb_status ebb_file_open(const char *path, int *fd, size_t *bytes, ebb_error *e)
{
    struct stat st = {0};  // MSan does not see fstat of newer C libraries
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0) return ebb_fail(e, EBB_E_IO, "cannot open it: %s", strerror(errno));
    ebb_status s = EBB_OK;
    if (fstat(*fd, &st) != 0)
        s = ebb_fail(e, EBB_E_IO, "cannot read it: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        s = ebb_fail(e, EBB_E_IO, "it is a directory, not a file");
    else if (S_ISREG(st.st_mode) && (uintmax_t)st.st_size >= PTRDIFF_MAX)
        s = ebb_fail(e, EBB_E_UNSUPPORTED, "it is too large for this machine's memory");
    if (s != EBB_OK)
        close(*fd), *fd = -1;
    else
        *bytes = S_ISREG(st.st_mode) ? (size_t)st.st_size : SIZE_MAX;
    return s;
}

ebb_status ebb_file_read(ebb_heap *heap, const char *path, size_t most, ebb_storage **file, ebb_error *e)
{
    *file = NULL;
    int fd;
    size_t bytes = 0;
    EBB_TRY(ebb_file_open(path, &fd, &bytes, e));
    const growing g = {
        .heap = heap, .kind = EBB_MEM_META, .room = bytes == SIZE_MAX ? 0 : bytes, .most = most};
    const ebb_status s = read_file(g, fd, file, e);
    close(fd);
    return s;
}

ebb_status ebb_file_map(ebb_heap *heap, const char *path, ebb_storage **file, ebb_error *e)
{
    *file = NULL;
    int fd;
    size_t bytes = 0;
    EBB_TRY(ebb_file_open(path, &fd, &bytes, e));
    if (bytes == SIZE_MAX) bytes = 0;
    ebb_status s = bytes ? map_file(heap, fd, bytes, file, e) : EBB_OK;
    if (*file) return EBB_OK;
    const growing g = {.heap = heap, .kind = EBB_MEM_WEIGHT, .room = bytes, .most = SIZE_MAX - 64};
    if (s == EBB_OK) s = read_file(g, fd, file, e);
    close(fd);
    return s;
}

bool ebb_file_next(int fd, void *to, size_t bytes)
{
    for (char *at = to; bytes;) {
        const ssize_t n = read(fd, at, bytes < MOST_AT_ONCE ? bytes : MOST_AT_ONCE);
        if (n == 0 || (n < 0 && errno != EINTR)) return false;
        if (n > 0) at += n, bytes -= (size_t)n;
    }
    return true;
}

bool ebb_file_covers(const ebb_storage *file, size_t bytes)
{
    struct stat st = {0};
    if (file->free_data != unmap) return true;
    return fstat((int)(intptr_t)file->user, &st) == 0 && (uintmax_t)st.st_size >= bytes;
}

void ebb_file_forget(const ebb_storage *file, size_t from, size_t to)
{
    if (file->free_data != unmap) return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    from -= from % page;
    to -= to % page;
    if (to > from) madvise((char *)file->data + from, to - from, MADV_DONTNEED);
}
