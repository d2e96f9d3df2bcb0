// SPDX-License-Identifier: BSD-3-Clause
// tool_test.c - the built `ebb` program, as a user meets it: help, exit codes, and the commands that explain.
#include "tool_harness.h"

static const char *const commands[] = {"run", "info", "trace", "check", "layers"};
enum { COMMANDS = sizeof commands / sizeof *commands };

START_TEST(help)
{
    ck_assert_int_eq(ebb("--help"), 0);
    for (int i = 0; i < COMMANDS; i++) ck_has(out, commands[i]);
    for (int i = 0; i < COMMANDS; i++) {
        char example[64];
        ck_assert_int_eq(ebb("%s --help", commands[i]), 0);
        snprintf(example, sizeof example, "\n  ebb %s", commands[i]);
        ck_has(out, example);
        ck_has(out, "Exit codes");
        ck_assert_str_eq(err, "");
    }
    ck_assert_int_eq(ebb("--version"), 0);
    ck_has(out, ebb_version());
}
END_TEST

START_TEST(wrong_usage)
{
    make_model();
    ck_assert_int_eq(ebb(" "), 2);
    one_sentence(ebb("frobnicate"), "frobnicate");
    for (int i = 0; i < COMMANDS; i++) one_sentence(ebb("%s --frob", commands[i]), "--frob");
    one_sentence(ebb("run net.param --threads"), "--threads");
    one_sentence(ebb("run net.param --threads 0"), "--threads");
    one_sentence(ebb("run net.param --threads=2x"), "2x");
    one_sentence(ebb("run net.param --json=yes"), "--json");
    one_sentence(ebb("run net.param net.bin third"), "third");
    one_sentence(ebb("run"), "which model");
    one_sentence(ebb("run net.param --isa z80"), "z80");
    one_sentence(ebb("run net.param --device abacus"), "abacus");
    one_sentence(ebb("run net.param --prefer tea"), "tea");
    one_sentence(ebb("run net.param --precision tea"), "f32|f16|bf16");
    one_sentence(ebb("run net.param --limit tea"), "tea");
    one_sentence(ebb("check"), "what");
    one_sentence(ebb("check --isa z80 net.param"), "z80");
    one_sentence(ebb("layers Frobnicate"), "Frobnicate");
    one_sentence(ebb("trace net.param --format braille"), "braille");
}
END_TEST

START_TEST(info)
{
    make_model();
    ck_assert_int_eq(ebb("info net.param"), 0);
    ck_has(out, "leaky");
    ck_has(out, "2x3");
    ck_has(out, "peak 24 B");
    ck_assert_int_eq(ebb("info --shape data=5x16x16 --json net.param"), 0);
    ck_has(out, "\"shape\":[5,16,16]");
    ck_has(out, "\"blob_peak\":5120");
    write_text("open.param", "7767517\n1 1\nInput in 0 1 data\n");
    ck_assert_int_eq(ebb("info open.param"), 0);
    ck_has(out, "not further");
    ck_has(out, "--shape data=SHAPE");
    ck_has(out, "1 layer, 1 blob;");
    ck_assert_int_eq(ebb("trace --dry open.param"), 2);
    ck_has(err, "--shape data=SHAPE");
}
END_TEST

START_TEST(trace)
{
    static char real[sizeof out];
    make_model();
    ck_assert_int_eq(ebb("trace net.param"), 0);
    ck_has(out, "leaky");
    ck_has(out, "takes over data");
    ck_has(out, "peak: 24 B (24 bytes)");
    ck_assert_int_eq(ebb("trace net.param --format logical"), 0);
    strcpy(real, out);
    ck_has(out, "{\"ev\":\"steal\",\"layer\":\"leaky\"");
    ck_lacks(out, "\"us\"");
    ck_assert_int_eq(ebb("trace net.param --format logical --dry"), 0);
    ck_assert_str_eq(out, real);
    ck_assert_int_eq(ebb("trace net.param --format logical --threads 2 --isa scalar"), 0);
    ck_assert_str_eq(out, real);
    ck_assert_int_eq(ebb("run net.param --shape data=2x3 --trace t.jsonl"), 0);
    read_text("t.jsonl", out, sizeof out);
    ck_has(out, "\"us\":");
    ck_has(out, "\"ev\":\"end\"");
}
END_TEST

START_TEST(layers)
{
    ck_assert_int_eq(ebb("layers"), 0);
    ck_has(out, "ReLU");
    ck_has(out, "YoloV5Focus");
    ck_assert_int_eq(ebb("layers ReLU Input"), 0);
    ck_has(out, "slope");
    ck_has(out, "float");
    ck_assert_int_eq(ebb("layers --json ReLU"), 0);
    ck_has(out, "[{\"type\":\"ReLU\"");
}
END_TEST

// The README's example: its model gives its table.
START_TEST(readme)
{
    static char text[1 << 15];
    read_text(EBB_SOURCE_DIR "/README.md", text, sizeof text);
    const char *model = strstr(text, "```\n7767517\n"), *table = strstr(text, "```\n   #  layer");
    ck_assert(model && table);
    const char *model_end = strstr(model + 4, "```"), *table_end = strstr(table + 4, "```");
    ck_assert(model_end && table_end);
    write_bytes("fire.param", model + 4, (size_t)(model_end - model - 4));
    ck_assert_int_eq(ebb("trace --dry fire.param"), 0);
    ck_assert_uint_eq(strlen(out), (size_t)(table_end - table - 4));
    ck_assert_mem_eq(out, table + 4, strlen(out));
}
END_TEST

// A result that nobody got is no success: whatever is printed, by every command.
START_TEST(full_output)
{
    make_model();
    write_text("odd.cases", "");
    static const char *const lines[] = {"--help",
                                        "--version",
                                        "run --help",
                                        "layers",
                                        "layers --json",
                                        "layers ReLU",
                                        "info net.param",
                                        "info --json net.param",
                                        "trace net.param",
                                        "trace --dry --format logical net.param",
                                        "run net.param --shape data=2x3",
                                        "run net.param --shape data=2x3 --json",
                                        "check net.cases",
                                        "check --json net.cases"};
    FILE *f = fopen("net.cases", "wb");
    fprintf(f, "case a\neps 0\nlayer ReLU 1 1 0=0.5\nbin 0\nin f32 2 3\nout f32 2 3\ndata 48\n");
    fwrite(numbers, 1, sizeof numbers, f), fwrite(halved, 1, sizeof halved, f), fputc('\n', f);
    fclose(f);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ck_assert_msg(ebb("%s", lines[i]) == 0, "%s: %s", lines[i], err);
        ck_assert_msg(shell("$EBB %s > /dev/full", lines[i]) == 2, "%s", lines[i]);
        ck_has(err, "could not be written");
        ck_assert_msg(shell("$EBB %s >&-", lines[i]) == 2, "%s", lines[i]);
    }
    // A file must not end up where the closed stream was.
    ck_assert_int_eq(shell("$EBB run net.param --shape data=2x3 --out y=y.got >&-"), 2);
    ck_assert_int_eq(shell("wc -c <y.got | tr -d ' '"), 0);
    ck_assert_str_eq(out, "24\n");
    // A reader that has enough ends the program without a word.
    ck_assert_int_eq(shell("$EBB layers | head -n 1"), 0);
    ck_assert_str_eq(err, "");
}
END_TEST

#ifdef EBB_BENCH
START_TEST(benchmark)
{
    make_model();
    ck_assert_int_eq(shell(EBB_BENCH " -n 1 net.param"), 0);
    ck_has(out, "net  ");
    ck_assert_int_eq(shell(EBB_BENCH " -n 1 --json net.param > /dev/full"), 2);
    ck_assert_int_eq(shell(EBB_BENCH " --help > /dev/full"), 2);
    ck_assert_int_eq(shell(EBB_BENCH " -n 1 none.param"), 1);
    static const char *const wrong[] = {"-n 1x", "-n 0",  "-t 1,2x", "-t 1024",
                                        "-t ''", "-s 3x", "-s 0x3",  "-i"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(shell(EBB_BENCH " %s net.param", wrong[i]) == 2, "%s", wrong[i]);
}
END_TEST
#endif

START_TEST(info_without_memory)
{
    make_model();
    one_sentence(ebb("info net.param --limit 10"), "limit");
    ck_assert_int_eq(ebb("info net.param --limit 24"), 0);
    write_text("wide.param", "7767517\n3 3\nInput in 0 1 data 0=3 1=2\nReLU a 1 1 data a\n"
                             "Concat c 2 1 a data y\n");
    ck_assert_int_eq(ebb("info wide.param --limit 40"), 2);
    ck_has(err, "limit");
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tool_tests("tool", (const test_entry[]){T(help),
                                                       T(wrong_usage),
                                                       T(info),
                                                       T(trace),
                                                       T(layers),
                                                       T(readme),
                                                       T(full_output),
                                                       T(info_without_memory),
#ifdef EBB_BENCH
                                                       T(benchmark),
#endif
                                                       {0}});
}
