// SPDX-License-Identifier: BSD-3-Clause
// tool_harness.h - runs the built `ebb` program in a folder of its own and looks at what it said. Rule:
// included once by each tool_*_test.c, which are skipped where the program was not built.
#pragma once
#include "harness.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef EBB_TOOL
#define EBB_TOOL ""  // built without the program
#endif

static char folder[] = "/tmp/ebb_tool_XXXXXX";
static char out[1 << 16], err[1 << 12];

static void read_text(const char *name, char *text, size_t room)
{
    FILE *f = fopen(name, "rb");
    ck_assert_ptr_nonnull(f);
    const size_t n = fread(text, 1, room - 1, f);
    text[n] = 0;
    fclose(f);
}

// Runs `ebb ARGUMENTS` in the folder, or the shell with $EBB, and returns the exit code; what was printed is
// in out and err.
static int ebb(const char *fmt, ...) __attribute__((format(printf, 1, 2), unused));
static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2), unused));

static int run_line(const char *line)
{
    const int status = system(line);
    ck_assert_msg(status >= 0 && WIFEXITED(status), "%s did not come to an end", line);
    read_text("out.txt", out, sizeof out);
    read_text("err.txt", err, sizeof err);
    return WEXITSTATUS(status);
}

static int ebb(const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    int n = snprintf(line, sizeof line, "%s ", EBB_TOOL);
    va_start(ap, fmt);
    n += vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
    va_end(ap);
    snprintf(line + n, sizeof line - (size_t)n, " >out.txt 2>err.txt");
    return run_line(line);
}

static int shell(const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    int n = snprintf(line, sizeof line, "EBB='%s'; { ", EBB_TOOL);
    va_start(ap, fmt);
    n += vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
    va_end(ap);
    snprintf(line + n, sizeof line - (size_t)n, "; } >out.txt 2>err.txt");
    return run_line(line);
}

static void write_bytes(const char *name, const void *data, size_t bytes)
{
    FILE *f = fopen(name, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    ck_assert_int_eq(fclose(f), 0);
}

static void write_text(const char *name, const char *text) { write_bytes(name, text, strlen(text)); }

#define ck_has(text, words)   ck_assert_msg(strstr(text, words) != NULL, "\"%s\" is not in:\n%s", words, text)
#define ck_lacks(text, words) ck_assert_msg(strstr(text, words) == NULL, "\"%s\" is in:\n%s", words, text)

// Trouble is exit code 2, nothing on stdout, and one sentence that has these words.
static void one_sentence(int code, const char *words) __attribute__((unused));
static void one_sentence(int code, const char *words)
{
    ck_assert_int_eq(code, 2);
    ck_assert_str_eq(out, "");
    ck_assert_int_eq(strncmp(err, "ebb: ", 5), 0);
    ck_assert_ptr_eq(strchr(err, '\n'), err + strlen(err) - 1);
    ck_has(err, words);
}

static const float numbers[] = {-1, 2, -3, 4, 5.5f, -6};
static const float halved[] = {-0.5f, 2, -1.5f, 4, 5.5f, -3};

// data (2x3) -> y = leaky ReLU with 0.5
static void make_model(void)
{
    write_text("net.param", "7767517\n2 2\nInput in 0 1 data 0=3 1=2\nReLU leaky 1 1 data y 0=0.5\n");
    write_text("net.bin", "");
    write_bytes("x.f32", numbers, sizeof numbers);
    write_bytes("y.f32", halved, sizeof halved);
}

// In the folder, which goes afterwards.
static int run_tool_tests(const char *suite, const test_entry *tests)
{
    if (!EBB_TOOL[0]) return 77;
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    const int failed = run_tests(suite, tests);
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line) != 0 || failed;
}
