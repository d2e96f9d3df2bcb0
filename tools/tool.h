// SPDX-License-Identifier: BSD-3-Clause
// tool.h - what all of the `ebb` program's commands share. Rule: an error is one sentence on stderr and exit
// code 2.
#pragma once
#include "ebb.h"

enum { DONE = 0, CHECKS_FAILED = 1, TROUBLE = 2 };  // exit codes of every command

typedef int command_fn(int argc, char **argv);  // argv[0] is the command's name
command_fn cmd_run, cmd_info, cmd_trace, cmd_check, cmd_layers;

// Prints "ebb: …" to stderr; returns TROUBLE, or false.
int trouble(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Memory that is there: the program ends with TROUBLE when it is not.
void *need(size_t bytes);                // zeroed
void *need_more(void *p, size_t bytes);  // realloc
char *need_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// The whole file with a zero behind it, to be freed; NULL when it cannot be read, with the reason in why.
char *read_file(const char *path, size_t *bytes, char *why, size_t room);
bool is_directory(const char *path);
bool ends_with(const char *text, const char *end);
// The names in a directory, sorted; freed by drop_names. NULL when it cannot be read.
char **list_directory(const char *path, int *n);
void drop_names(char **names, int n);
// `name` beside `path` ("a/b.txt", "c" -> "a/c"), to be freed; absolute names stay.
char *beside(const char *path, const char *name);

double seconds(void);  // monotonic
// "603.9 KiB", "512 B"; returns text.
const char *bytes_text(size_t bytes, char text[24]);
