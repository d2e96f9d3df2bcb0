// SPDX-License-Identifier: BSD-3-Clause
// options.h - command lines as rows: checked, read and explained from the same table.
#pragma once
#include "tool.h"

typedef struct option {
    const char *name;  // "--threads"; "": a heading, its words are `help`; a row with a NULL name ends the table
    const char *arg;   // "N"; NULL: a switch
    const char *help;
    bool many;       // may stand on the line more than once
    const char *of;  // "--trace": does something only beside that one
} option;
#define HEADING(words) {.name = "", .help = words}
#define OPTION(n, a, h, ...) {.name = n, .arg = a, .help = h, __VA_ARGS__}

typedef struct args {
    int argc;
    char **argv;
    const option *rows;
    const char *usage;  // the help text above the options: what, and examples
} args;

enum { MOST_THREADS = 1023 };  // what a pool of the library has

// Rows that several commands share.
#define OPTIONS_LIMIT                                                                                        \
    OPTION("--limit", "BYTES", "no more for blobs and scratch together; 800000, 900K, 1.5M")
#define OPTIONS_ENGINE                                                                                       \
    HEADING("How it runs"),                                                                                  \
    OPTION("--lenient", NULL, "ignore parameters that a layer type does not know"),                          \
    OPTION("--threads", "N", "worker threads (default 1)"),                                                  \
    OPTION("--isa", "NAME", "kernels of this instruction set; `ebb info` names the best one here"),          \
    OPTION("--device", "cpu|vulkan", "where layers run (default cpu)"),                                      \
    OPTION("--prefer", "small|fast", "memory before time, or the other way; nothing differs yet"),           \
    OPTION("--precision", "f32|f16|bf16", "how blobs store floats; taken where it lowers the peak")
#define OPTIONS_MODEL                                                                                        \
    HEADING("The model"),                                                                                    \
    OPTION("--param", "FILE", "the .param file, when it is not the first argument"),                         \
    OPTION("--bin", "FILE", "the weights (default: beside the .param file, with the same stem)")
#define OPTIONS_INPUT                                                                                        \
    HEADING("Inputs; a SHAPE is outermost first, like 3x227x227; 0 makes an empty one, like 4x0x64"),        \
    OPTION("--in", "BLOB=FILE:SHAPE[:DTYPE]",                                                                \
           "raw little-endian numbers; DTYPE is f32 unless it says i32, i8 or f16", .many = true),    \
    OPTION("--shape", "BLOB=SHAPE[:DTYPE]",                                                                  \
           "pseudo-random numbers instead of a file",                                                        \
           .many = true)

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
