// SPDX-License-Identifier: BSD-3-Clause
// msan.h - what MemorySanitizer cannot see for itself. Rule: nothing at all in other builds.
#pragma once
#include <stddef.h>
#ifndef __has_feature  // clang's
#define __has_feature(x) 0
#endif
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
// Memory that a test filled with a pattern counts as not written.
static inline void msan_fresh(const void *p, size_t bytes) { __msan_allocated_memory(p, bytes); }
// Check is not instrumented: of what it hands to libc, MSan would say that nobody wrote it.
static inline void msan_trust_libc_calls(void) { __msan_scoped_disable_interceptor_checks(); }
#else
static inline void msan_fresh(const void *p, size_t bytes) { (void)p, (void)bytes; }
static inline void msan_trust_libc_calls(void) {}
#endif
