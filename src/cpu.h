// SPDX-License-Identifier: BSD-3-Clause
// cpu.h - which kernel tables this machine may run.
#pragma once
#include "ebb_layer.h"

// The table called `name`; NULL name: $EBB_ISA, else the best this machine can run. EBB_E_UNSUPPORTED names
// the ones there are.
ebb_status ebb_cpu_kernels(const char *name, const ebb_kernels **k, const char **isa, ebb_error *e);
// Table i, weakest first; NULL past the end.
const ebb_kernels *ebb_cpu_table(int i);
