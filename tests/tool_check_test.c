// SPDX-License-Identifier: BSD-3-Clause
// tool_check_test.c - `ebb check`: verdicts on records and models, and files that are not what they should
// be.
#include "tool_harness.h"

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
    make_model();
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

// Whatever a record's lines say in which order, nothing of it is used before it was checked.
START_TEST(check_malformed_records)
{
    static const char *const heads[] = {
        "case a\nlayer ReLU 1 1\nin f32 1\nlayer ReLU 4096 4096\n",
        "case a\nlayer ReLU 1 1\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nin f32 1\nlayer ReLU 1 1\nout f32 1\ndata 8\n",
        "case a\nout f32 1\n",
        "case a\nlayer ReLU 1 1\nin f32 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 1\nout f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 1\ndata 8\n",
        "case a\ncase b\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\neps 1\neps 1\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\neps nan\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\neps 1x\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\neps -1\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1x 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU -1 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 4097 1\ndata 8\n",
        "case a\nlayer ReLU 1 0\nin f32 1\ndata 8\n",
        "case a\nlayer ReLU\ndata 8\n",
        "case a\nlayer\ndata 8\n",
        "layer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 1 x\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 1 1 1 1 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 2147483648\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 2147483647 2147483647 2147483647 9\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 2147483647 2147483647\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f64 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nbin 9\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nbin -8\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nbin 0\nbin 0\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nbin 18446744073709551615\nin f32 1\nout f32 1\ndata 8\n",
        "case a\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 7\n",
        "case a\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8x\n",
        "case a\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 12\n",
        "case a\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata -1\n",
        "case a\nfrob\nlayer ReLU 1 1\nin f32 1\nout f32 1\ndata 8\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[1024];
        const int n = snprintf(text, sizeof text, "%s12345678\n1234\n", heads[i]);
        write_bytes("bad.cases", text, (size_t)n);
        ck_assert_msg(ebb("check bad.cases") == 2, "%s%s%s", heads[i], out, err);
        ck_has(err, "record 0");
        ck_has(err, ", line ");
    }
}
END_TEST

START_TEST(check_malformed_models)
{
    make_model();
    static const char *const lines[] = {"in x f32 2 3 file x.f32\nin x f32 2 3 file x.f32",
                                        "in data f32 2 3 file",
                                        "in data f32 2 3 lcg 1 2",
                                        "in data f32 2 3 lcg 1x 2 3",
                                        "in data f32 2 3 lcg 1 nan 3",
                                        "in data f32 2 3 lcg 1 2 3 4",
                                        "in data f32",
                                        "in",
                                        "in data f32 2147483647 2147483647 2147483647 9 lcg 1 2 3",
                                        "in data f32 2 3 file x.f32 more",
                                        "out y f32 2 3",
                                        "out y f32 2 3 y.f32 every 0",
                                        "out y f32 2 3 y.f32 every 2x",
                                        "out y f32 2 3 y.f32 sum",
                                        "out y f32 2 3 y.f32 sum 1x",
                                        "out y f32 2 3 y.f32 frob 1",
                                        "out y f32 2147483647 9 y.f32 every 1",
                                        "out",
                                        "out empty",
                                        "tol",
                                        "tol nan",
                                        "tol -1",
                                        "tol 1x",
                                        "tol 1\ntol 1",
                                        "param other.param",
                                        "bin",
                                        "frob"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[1024];
        snprintf(text, sizeof text, "param net.param\nbin net.bin\n%s\nout y f32 2 3 y.f32\n", lines[i]);
        write_text("model.txt", text);
        ck_assert_msg(ebb("check model.txt") == 2, "%s\n%s%s", lines[i], out, err);
        ck_has(err, "model.txt:");
    }
    write_text("model.txt", "param net.param\nin data f32 2 3 file x.f32\nout y f32 2 3 y.f32\n");
    ck_assert_int_eq(ebb("check model.txt"), 0);  // a net without weights needs no file of them
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

// Where nothing was checked nothing is right.
START_TEST(check_nothing)
{
    make_cases("good.cases", 1, (const char *const[]){"ReLU"}, (const float *const[]){halved});
    make_cases("odd.cases", 1, (const char *const[]){"Odd"}, (const float *const[]){halved});
    write_text("empty.cases", "");
    ck_assert_int_eq(system("mkdir -p nothing/here"), 0);
    ck_assert_int_eq(ebb("check nothing"), 2);
    ck_has(err, "nothing to check");
    ck_assert_int_eq(ebb("check good.cases nothing"), 2);
    ck_assert_int_eq(ebb("check empty.cases"), 2);
    ck_assert_int_eq(ebb("check good.cases --only nowhere"), 2);
    ck_has(err, "nowhere");
    ck_assert_int_eq(ebb("check odd.cases"), 2);
    ck_has(err, "1 skipped");
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tool_tests("tool check", (const test_entry[]){T(check_cases),
                                                             T(check_malformed),
                                                             T(check_malformed_records),
                                                             T(check_malformed_models),
                                                             T(check_own_layer),
                                                             T(check_model),
                                                             T(check_nothing),
                                                             {0}});
}
