// SPDX-License-Identifier: BSD-3-Clause
// file.h - the bytes of a file as a storage, read-only; the last reference unmaps or frees it.
#pragma once
#include "blob.h"

// Reads it into memory that counts as meta. A file of more than `most` bytes is refused.
ebb_status ebb_file_read(ebb_heap *s, const char *path, size_t most, ebb_storage **file, ebb_error *e);
// Maps it; what cannot be mapped (a pipe) is read into memory that counts as weights. *fd is open where it is
// mapped, for ebb_file_covers, else -1.
ebb_status ebb_file_map(ebb_heap *s, const char *path, ebb_storage **file, int *fd, ebb_error *e);
// Whether the mapped file still has these bytes: reading behind the end of one that was cut is deadly.
bool ebb_file_covers(int fd, size_t bytes);
// The bytes [from, to) of a mapping were used for the last time: their pages need not stay in memory.
void ebb_file_forget(const ebb_storage *file, size_t from, size_t to);
