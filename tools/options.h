// SPDX-License-Identifier: BSD-3-Clause
// options.h - command lines as rows: checked, read and explained from the same table.
#pragma once
#include "tool.h"

typedef struct option {
    const char *name;  // "--threads"; a row with a NULL name ends the table
    const char *arg;   // "N"; NULL: a switch
    const char *help;
} option;

typedef struct args {
    int argc;
    char **argv;
    const option *rows;
    const char *usage;  // the help text above the options: what, and examples
} args;

// Rows that several commands share.
#define OPTIONS_LIMIT                                                                                        \
    {"--limit", "BYTES", "no more for blobs and scratch together; 800000, 900K, 1.5M"}
#define OPTIONS_ENGINE                                                                                       \
    {"--threads", "N", "worker threads (default 1)"},                                                        \
    {"--isa", "NAME", "kernels of this instruction set; `ebb info` names the best one here"},                \
    {"--device", "cpu|vulkan", "where layers run (default cpu)"},                                            \
    {"--prefer", "small|fast", "what to do where memory can be traded for time (default small)"},           \
    {"--precision", "f32|f16|bf16", "how floats are stored in blobs, where layers can (default f32)"}
#define OPTIONS_MODEL                                                                                        \
    {"--param", "FILE", "the .param file, when it is not the first argument"},                               \
    {"--bin", "FILE", "the weights (default: beside the .param file, with the same stem)"}
#define OPTIONS_INPUT                                                                                        \
    {"--in", "BLOB=FILE:SHAPE[:DTYPE]", "raw little-endian numbers, f32 unless DTYPE says i32, i8 or f16"},  \
    {"--shape", "BLOB=SHAPE[:DTYPE]", "pseudo-random numbers as an input; shapes outermost first: 3x227x227"}

// Answers --help, and says what is wrong with the line. True: *code is the exit code.
bool args_end(const args *a, int *code);
// The next value of --name (of a switch: "") at or after *at, which starts at 0; name NULL: the next
// argument that is not an option. NULL when there is none.
const char *args_next(const args *a, const char *name, int *at);
const char *args_text(const args *a, const char *name);  // the last one, or NULL
bool args_switch(const args *a, const char *name);
// A whole number in [min, max]; false: it has told what is wrong.
bool args_int(const args *a, const char *name, int def, int min, int max, int *value);
// One of "this|that", as its number; left alone when the line does not say it. False: it has told what is wrong.
bool args_choice(const args *a, const char *name, const char *choices, int *which);

// Device, kernels and preference for a net; false: it has told what is wrong.
bool args_net(const args *a, ebb_net_options *opt);
