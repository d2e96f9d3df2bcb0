// SPDX-License-Identifier: BSD-3-Clause
// file.h - the bytes of a file as a storage, read-only; the last reference unmaps or frees it.
#pragma once
#include "blob.h"

// Reads it into memory that counts as meta. A file of more than `most` bytes is refused.
ebb_status ebb_file_read(ebb_heap *s, const char *path, size_t most, ebb_storage **file, ebb_error *e);
// Maps it; what cannot be mapped (a pipe) is read into memory that counts as weights.
ebb_status ebb_file_map(ebb_heap *s, const char *path, ebb_storage **file, ebb_error *e);
// Whether a mapped file still has these bytes: reading behind the end of one that was cut is deadly. What was
// read always has them.
bool ebb_file_covers(const ebb_storage *file, size_t bytes);
// The bytes [from, to) of a mapping were used for the last time: their pages need not stay in memory.
void ebb_file_forget(const ebb_storage *file, size_t from, size_t to);

// A file that is read front to back; *bytes is SIZE_MAX where it has no size. The caller closes fd, -1 on
// failure.
ebb_status ebb_file_open(const char *path, int *fd, size_t *bytes, ebb_error *e);
// Exactly so many bytes; false at the end or on failure.
bool ebb_file_next(int fd, void *to, size_t bytes);
