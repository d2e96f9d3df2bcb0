// SPDX-License-Identifier: BSD-3-Clause
// tool_test.c - the built `ebb` program, as a user meets it: help, exit codes, and each command on tiny
// files.
#include "harness.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef EBB_TOOL
int main(void) { return 77; }  // built without the program
#else

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

// Runs `ebb ARGUMENTS` in the folder and returns its exit code; what it printed is in out and err.
static int ebb(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int ebb(const char *fmt, ...)
{
    char line[4096];
    va_list ap;
    int n = snprintf(line, sizeof line, "%s ", EBB_TOOL);
    va_start(ap, fmt);
    n += vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
    va_end(ap);
    snprintf(line + n, sizeof line - (size_t)n, " >out.txt 2>err.txt");
    const int status = system(line);
    ck_assert_msg(status >= 0 && WIFEXITED(status), "%s did not come to an end", line);
    read_text("out.txt", out, sizeof out);
    read_text("err.txt", err, sizeof err);
    return WEXITSTATUS(status);
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

START_TEST(run)
{
    make_model();
    float got[6];
    ck_assert_int_eq(ebb("run net.param --in data=x.f32:2x3 --out y=got.f32 --top 2 --threads 2"), 0);
    ck_has(out, "y: f32 2x3, min -3, max 5.5, mean 1.08333");
    ck_has(out, "5.500000  4\n");
    ck_has(out, "4.000000  3\n");
    ck_has(out, "peak 24 B");
    FILE *f = fopen("got.f32", "rb");
    ck_assert_uint_eq(fread(got, 1, sizeof got, f), sizeof got);
    fclose(f);
    ck_assert_mem_eq(got, halved, sizeof got);
    write_text("labels.txt", "a\nb\nc\nd\nbest of all\n");
    ck_assert_int_eq(ebb("run . --in=data=x.f32:2x3:f32 --top=1 --labels labels.txt"), 0);
    ck_has(out, "4  best of all");
    ck_assert_int_eq(ebb("run --param net.param --bin net.bin --in data=x.f32:2x3 --json --top 1"), 0);
    ck_has(out, "\"blob\":\"y\",\"dtype\":\"f32\",\"shape\":[2,3]");
    ck_has(out, "\"top\":[{\"index\":4,\"value\":5.5}]");
    ck_assert_int_eq(ebb("run net.param --shape data=2x3"), 0);
}
END_TEST

START_TEST(run_refuses)
{
    make_model();
    one_sentence(ebb("run net.param"), "'data' is not set");
    one_sentence(ebb("run net.param --in dada=x.f32:2x3"), "'data'");
    one_sentence(ebb("run net.param --in data=x.f32:2x4"), "24 bytes");
    one_sentence(ebb("run net.param --in data=none.f32:2x3"), "none.f32");
    one_sentence(ebb("run net.param --in data=x.f32"), "SHAPE");
    one_sentence(ebb("run net.param --in x.f32"), "BLOB=");
    one_sentence(ebb("run none.param --shape data=2x3"), "none.param");
    one_sentence(ebb("run net.param --shape data=2x3 --out z"), "z");
    one_sentence(ebb("run net.param --shape data=2x3 --out data --out y --limit 30"), "limit");
    one_sentence(ebb("run net.param --image data=none.png"), "none.png");
    write_text("lone.param", "7767517\n1 1\nInput in 0 1 data\n");
    one_sentence(ebb("run lone.param --shape data=2"), "--bin");
    write_text("odd.param", "7767517\n1 1\nFrobnicate in 0 1 data\n");
    write_text("odd.bin", "");
    one_sentence(ebb("run odd.param"), "Frobnicate");
}
END_TEST

// A grey picture of 2x2 pixels, without needing a writer of picture files: PGM.
START_TEST(picture)
{
    make_model();
    static const char pgm[] = "P5\n2 2\n255\n\x0a\x1e\x32\x46";  // 10 30 50 70
    write_bytes("p.pgm", pgm, sizeof pgm - 1);
    const int code = ebb(
        "run net.param --image data=p.pgm --size 4x2 --pixel gray --mean 10 --scale 0.5 --out data=p.f32");
    if (code == 2 && strstr(err, "without")) return;  // no stb_image.h where this was built
    ck_assert_int_eq(code, 0);
    float got[8];
    FILE *f = fopen("p.f32", "rb");
    ck_assert_uint_eq(fread(got, 1, sizeof got, f), sizeof got);
    fclose(f);
    static const float want[8] = {0, 2.5f, 7.5f, 10, 20, 22.5f, 27.5f, 30};
    for (int i = 0; i < 8; i++) ck_assert_float_eq_tol(got[i], want[i], 1e-4f);
    one_sentence(ebb("run net.param --image data=p.pgm --size 4"), "--size");
    one_sentence(ebb("run net.param --image data=p.pgm --pixel cmyk"), "cmyk");
    one_sentence(ebb("run net.param --image data=p.pgm --mean 1,2"), "--mean");
    one_sentence(ebb("run net.param --image data=net.param"), "net.param");
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

// ------------------------------------------------------------------------------------------- check

// Appends a record of a ReLU with one input of six numbers.
static void add_record(FILE *f, const char *name, const char *type, const float *right)
{
    fprintf(f, "case %s\neps 0.001\nlayer %s 1 1 0=5.000000e-01\nbin 0\nin f32 2 3\nout f32 2 3\ndata 48\n",
            name, type);
    fwrite(numbers, 1, sizeof numbers, f);
    fwrite(right, 1, sizeof numbers, f);
    fputc('\n', f);
}

static void make_cases(const char *path, int n, const char *const *types, const float *const *right)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "some/%03d", i);
        add_record(f, name, types[i], right[i]);
    }
    fclose(f);
}

static const char *last_line(void)
{
    const char *end = out + strlen(out);
    ck_assert(end > out && end[-1] == '\n');
    const char *p = end - 1;
    while (p > out && p[-1] != '\n') p--;
    return p;
}

START_TEST(check_cases)
{
    static const float bent[] = {-0.5f, 2, -1.25f, 4, 5.5f, -2},
                       nearly[] = {-0.5004f, 2, -1.5f, 4.003f, 5.5f, -3};
    make_cases("good.cases", 2, (const char *const[]){"ReLU", "ReLU"},
               (const float *const[]){halved, nearly});
    make_cases("bad.cases", 3, (const char *const[]){"ReLU", "ReLU", "Odd"},
               (const float *const[]){halved, bent, halved});
    static const char *const ways[] = {"",         "--give",      "--borrow",    "--pixel-in",
                                       "--memory", "--threads 2", "--isa scalar"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        ck_assert_int_eq(ebb("check %s good.cases", ways[i]), 0);
        ck_assert_str_eq(out, "2 passed, 0 failed\n");
        ck_assert_str_eq(err, "");
    }
    ck_assert_int_eq(ebb("check bad.cases"), 1);
    ck_has(out, "failed some/001: out0 is off by 1 at [1,2]: -3, should be -2");
    ck_has(out, "skipped 1: Odd\n");
    ck_assert_str_eq(last_line(), "1 passed, 1 failed, 1 skipped\n");
    ck_assert_int_eq(ebb("check --only some/000 --verbose bad.cases"), 0);
    ck_assert_str_eq(out, "passed some/000\n1 passed, 0 failed\n");
    ck_assert_int_eq(ebb("check --json bad.cases"), 1);
    ck_has(out, "{\"case\":\"some/001\",\"status\":\"failed\",\"why\":\"out0 is off by 1");
    ck_assert_str_eq(last_line(), "{\"passed\":1,\"failed\":1,\"skipped\":1}\n");
}
END_TEST

START_TEST(check_malformed)
{
    make_cases("good.cases", 1, (const char *const[]){"ReLU"}, (const float *const[]){halved});
    char data[1024];
    FILE *f = fopen("good.cases", "rb");
    const size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    for (size_t cut = 1; cut < n; cut += 7) {
        write_bytes("cut.cases", data, cut);
        ck_assert_int_eq(ebb("check cut.cases"), 2);
        ck_has(err, "record 0");
    }
    ck_assert_int_eq(ebb("check none.cases"), 2);
    ck_has(err, "none.cases");
    write_text("model.txt", "param net.param\nbin net.bin\nin data f32 2 3 frob\n");
    ck_assert_int_eq(ebb("check model.txt"), 2);
    ck_has(err, "model.txt:3");
    write_text("model.txt", "in data f32 2 3 lcg 1 2 3\nout y f32 2 3 y.f32 every 1\n");
    ck_assert_int_eq(ebb("check model.txt"), 2);
    ck_has(err, "param");
}
END_TEST

// A picture's blocks, told apart by number: checked against the rule in the record itself.
START_TEST(check_own_layer)
{
    static const float in[] = {0, 1, 2, 3, 10, 11, 12, 13}, right[] = {0, 2, 10, 12, 1, 3, 11, 13};
    FILE *f = fopen("focus.cases", "wb");
    fputs("case focus\neps 0\nlayer YoloV5Focus 1 1\nbin 0\nin f32 1 2 4\nout f32 4 1 2\ndata 64\n", f);
    fwrite(in, 1, sizeof in, f);
    fwrite(right, 1, sizeof right, f);
    fputc('\n', f);
    fclose(f);
    ck_assert_int_eq(ebb("check focus.cases"), 0);
    ck_assert_int_eq(ebb("check --pixel-in --give focus.cases"), 0);
    ck_assert_str_eq(last_line(), "1 passed, 0 failed\n");
}
END_TEST

START_TEST(check_model)
{
    make_model();
    ck_assert_int_eq(system("mkdir -p models/one/sub"), 0);
    ck_assert_int_eq(system("cp net.param net.bin x.f32 y.f32 models/one && cp x.f32 y.f32 models/one/sub"),
                     0);
    static const float every2[] = {-0.5f, -1.5f, 5.5f}, bent[] = {-0.5f, -1.5f, 5.6f};
    write_bytes("models/one/every2.f32", every2, sizeof every2);
    write_bytes("models/one/bent.f32", bent, sizeof bent);
    const char *head = "# a comment\nparam net.param\nbin net.bin\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", head,
             "in data f32 2 3 file x.f32\nout y f32 2 3 y.f32 every 1 sum 6.5 abs 16.5 max 5.5\n"
             "out #1 f32 2 3 every2.f32 every 2 sum 6.5 abs 16.5 max 5.5\n");
    write_text("models/one/model.txt", text);
    write_text("models/one/image.txt", "in data f32 2 3 file x.f32\nout y f32 2 3 sub/y.f32 every 1\n");
    ck_assert_int_eq(ebb("check models"), 0);
    ck_assert_str_eq(out, "2 passed, 0 failed\n");
    snprintf(text, sizeof text, "%stol 0.05\n%s", head,
             "in data f32 2 3 file x.f32\nout y f32 2 3 bent.f32 every 2\n");
    write_text("models/one/model.txt", text);
    ck_assert_int_eq(ebb("check models/one/model.txt"), 0);
    snprintf(text, sizeof text, "%s%s", head, "in data f32 2 3 file x.f32\nout y f32 2 3 bent.f32 every 2\n");
    write_text("models/one/model.txt", text);
    ck_assert_int_eq(ebb("check models/one/model.txt"), 1);
    ck_has(out, "failed models/one/model.txt: y is off by 0.1 at [1,1]");
    snprintf(text, sizeof text, "%s%s", head,
             "in data f32 2 3 file x.f32\nout y f32 2 3 every2.f32 every 2 sum 9 abs 16.5 max 5.5\n");
    write_text("models/one/model.txt", text);
    ck_assert_int_eq(ebb("check models/one/model.txt"), 1);
    ck_has(out, "y sums up to 6.5, should be 9");
    snprintf(text, sizeof text, "%s%s", head, "in data f32 2 3 lcg 12345 -1 1\nout y empty\n");
    write_text("models/one/model.txt", text);
    ck_assert_int_eq(ebb("check models/one/model.txt"), 1);
    ck_has(out, "y is 2x3, should be empty");
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

int main(void)
{
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    const test_entry tests[] = {{"help", help},
                                {"wrong usage", wrong_usage},
                                {"run", run},
                                {"run refuses", run_refuses},
                                {"picture", picture},
                                {"info", info},
                                {"trace", trace},
                                {"check cases", check_cases},
                                {"check malformed", check_malformed},
                                {"check own layer", check_own_layer},
                                {"check model", check_model},
                                {"layers", layers},
                                {"readme", readme},
                                {NULL, NULL}};
    const int failed = run_tests("tool", tests);
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", folder);
    return system(line) != 0 || failed;
}
#endif
