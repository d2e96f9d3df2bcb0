// SPDX-License-Identifier: BSD-3-Clause
// file.h - the bytes of a file as a storage.
#pragma once
#include "blob.h"

// Mapped where the system can and `map` says so, else read into memory of `kind`. Read-only; unmapped or freed by the
// last reference.
ebb_status ebb_file_open(ebb_seam *s, const char *path, bool map, ebb_mem_kind kind, ebb_storage **file, ebb_error *e);
// The bytes [from, to) were used for the last time: their pages need not stay in memory. Nothing if not mapped.
void ebb_file_forget(const ebb_storage *file, size_t from, size_t to);
