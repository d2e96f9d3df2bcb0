// SPDX-License-Identifier: BSD-3-Clause
// entry.c - libFuzzer's way into one target, FUZZ_TARGET. Rule: nothing else stands here.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) { return FUZZ_TARGET(data, bytes); }
