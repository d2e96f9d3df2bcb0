// SPDX-License-Identifier: BSD-3-Clause
// file.c - files, mapped or read. Rule: a mapping lives exactly as long as its storage.
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void unmap(void *user, ebb_storage *s)
{
    (void)user;
    munmap(s->data, s->bytes);
}

// user: how many bytes were allocated, which may be more than were read.
static void free_weight(void *user, ebb_storage *s) { ebb_seam_put(s->seam, EBB_MEM_WEIGHT, s->data, (size_t)user); }
static void free_meta(void *user, ebb_storage *s) { ebb_seam_put(s->seam, EBB_MEM_META, s->data, (size_t)user); }

static ebb_status map_file(ebb_seam *s, int fd, size_t bytes, ebb_storage **file, ebb_error *e)
{
    void *data = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return EBB_OK;  // it is read instead
    *file = ebb_storage_around(s, data, bytes, false, unmap, NULL);
    if (*file) return EBB_OK;
    munmap(data, bytes);
    return ebb_fail(e, EBB_E_NOMEM, "no memory to hold the file");
}

typedef struct growing {
    ebb_seam *seam;
    ebb_mem_kind kind;
    char *data;
    size_t bytes, room;
} growing;

static bool grow(growing *g)
{
    const size_t room = ebb_size_mul(g->room, 2);
    char *data = ebb_seam_get(g->seam, g->kind, room);
    if (!data) return false;
    memcpy(data, g->data, g->bytes);
    ebb_seam_put(g->seam, g->kind, g->data, g->room);
    g->data = data;
    g->room = room;
    return true;
}

// To the end, whatever the size was when it was opened.
static ebb_status read_all(growing *g, int fd, ebb_error *e)
{
    for (;;) {
        if (g->bytes == g->room && !grow(g)) return ebb_fail(e, EBB_E_NOMEM, "no memory for a file of more than %zu bytes", g->room);
        const ssize_t n = read(fd, g->data + g->bytes, g->room - g->bytes);
        if (n == 0) return EBB_OK;
        if (n < 0 && errno != EINTR) return ebb_fail(e, EBB_E_IO, "cannot read it: %s", strerror(errno));
        if (n > 0) g->bytes += (size_t)n;
    }
}

static ebb_status read_file(ebb_seam *s, int fd, size_t expected, ebb_mem_kind kind, ebb_storage **file, ebb_error *e)
{
    growing g = {.seam = s, .kind = kind, .room = ebb_size_add(expected, 64)};
    g.data = ebb_seam_get(s, kind, g.room);
    if (!g.data) return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of the file", g.room);
    ebb_status status = read_all(&g, fd, e);
    if (status == EBB_OK) {
        *file = ebb_storage_around(s, g.data, g.bytes, false, kind == EBB_MEM_WEIGHT ? free_weight : free_meta, (void *)g.room);
        if (*file) return EBB_OK;
        status = ebb_fail(e, EBB_E_NOMEM, "no memory to hold the file");
    }
    ebb_seam_put(s, kind, g.data, g.room);
    return status;
}

ebb_status ebb_file_open(ebb_seam *s, const char *path, bool map, ebb_mem_kind kind, ebb_storage **file, ebb_error *e)
{
    *file = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ebb_fail(e, EBB_E_IO, "cannot open it: %s", strerror(errno));
    struct stat st;
    ebb_status status = EBB_OK;
    if (fstat(fd, &st) != 0)
        status = ebb_fail(e, EBB_E_IO, "cannot read it: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        status = ebb_fail(e, EBB_E_IO, "it is a directory, not a file");
    const size_t bytes = status == EBB_OK && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    if (status == EBB_OK && map && bytes) status = map_file(s, fd, bytes, file, e);
    if (status == EBB_OK && !*file) status = read_file(s, fd, bytes, kind, file, e);
    close(fd);
    return status;
}

void ebb_file_forget(const ebb_storage *file, size_t from, size_t to)
{
    if (file->free_data != unmap) return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    from -= from % page;
    to -= to % page;
    if (to > from) madvise((char *)file->data + from, to - from, MADV_DONTNEED);
}
