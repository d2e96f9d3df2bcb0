// SPDX-License-Identifier: BSD-3-Clause
// tool_run_test.c - `ebb run`: inputs, results, what it refuses, and what it leaves behind when it is
// stopped.
#include "tool_harness.h"

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
    write_text("lone.param", "7767517\n2 2\nInput in 0 1 data\nInnerProduct ip 1 1 data y 0=1 2=2\n");
    one_sentence(ebb("run lone.param --shape data=2"), "--bin");
    write_text("odd.param", "7767517\n1 1\nFrobnicate in 0 1 data\n");
    write_text("odd.bin", "");
    one_sentence(ebb("run odd.param"), "Frobnicate");
}
END_TEST

// Whatever would be ignored, or read as something else, is refused in words.
START_TEST(run_refuses_what_it_would_ignore)
{
    make_model();
#define RUN "run net.param --shape data=2x3 "
    one_sentence(ebb(RUN "--shape data=2x3"), "set already");
    one_sentence(ebb(RUN "--in data=x.f32:2x3"), "set already");
    one_sentence(ebb(RUN "--shape '#0=2x3'"), "set already");
    one_sentence(ebb(RUN "--threads 1024"), "1023");
    one_sentence(ebb(RUN "--threads ' 2'"), "--threads");
    one_sentence(ebb(RUN "--threads 99999999999999999999"), "--threads");
    one_sentence(ebb(RUN "--threads 1 --threads 2"), "twice");
    one_sentence(ebb(RUN "--top 5x"), "5x");
    one_sentence(ebb(RUN "--labels x.f32"), "--top");
    one_sentence(ebb(RUN "--trace-format full"), "--trace");
    one_sentence(ebb(RUN "--mean 1"), "--image");
    one_sentence(ebb(RUN "--limit 10Q"), "10Q");
    one_sentence(ebb(RUN "--limit nan"), "nan");
    one_sentence(ebb(RUN "--out y="), "--out");
    one_sentence(ebb(RUN "--out =y.f32"), "--out");
    static const char *const shapes[] = {"2x3x", "2x-3",      "2x3:f32x",   "2x3:", "x3",
                                         "",     "2x3x4x5x6", "2147483648", "2 3",  "0x2x3 "};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        one_sentence(ebb("run net.param --shape 'data=%s'", shapes[i]), "--shape");
    write_bytes("p.pgm", "P5\n2 2\n255\n\x0a\x1e\x32\x46", 15);
#define IMAGE "run net.param --image data=p.pgm "
    static const char *const pictures[] = {"--scale 0",
                                           "--scale 1,0,1",
                                           "--scale nan",
                                           "--scale 1x",
                                           "--scale inf",
                                           "--mean nan",
                                           "--mean 1,2,3,4",
                                           "--mean ''",
                                           "--mean 1,,3",
                                           "--mean 0x10",
                                           "--size 2x2x",
                                           "--size 0x2",
                                           "--size 2x99999999999",
                                           "--size 2x1000000"};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        char option_name[8];
        snprintf(option_name, sizeof option_name, "%s", pictures[i]);
        one_sentence(ebb(IMAGE "%s", pictures[i]), strtok(option_name, " "));
    }
    one_sentence(ebb("run net.param --image data="), "--image");
    one_sentence(ebb("run net.param --image data"), "--image");
    one_sentence(ebb("run net.param --image"), "--image");
}
END_TEST

// Inputs of a part that is not asked for may be missing; a blob inside can stand for what is before it.
START_TEST(run_asks_for_what_is_needed)
{
    write_text("two.param", "7767517\n5 5\nInput a 0 1 a\nInput b 0 1 b 0=3\nReLU r 1 1 a r\nReLU s 1 1 b s\n"
                            "BinaryOp t 2 1 r s t\n");
    one_sentence(ebb("run two.param --shape a=3"), "'b' is not set");
    one_sentence(ebb("run two.param --shape s=3"), "'a' is not set");
    ck_assert_int_eq(ebb("run two.param --shape a=3 --out r"), 0);
    ck_assert_int_eq(ebb("run two.param --shape s=3 --shape r=3"), 0);
    ck_assert_int_eq(ebb("run two.param --shape s=3 --shape a=3"), 0);
    ck_assert_int_eq(ebb("trace two.param --shape s=3 --shape r=3"), 0);
    ck_assert_int_eq(ebb("info two.param --shape s=3 --shape r=3"), 0);
    ck_has(out, "peak");
    ck_assert_int_eq(ebb("trace --dry two.param --in s=none.f32:3 --shape r=3"), 0);
}
END_TEST

START_TEST(run_with_empty_caches)
{
    write_text("step.param", "7767517\n5 8\nInput q 0 1 q\nInput k 0 1 k\nInput v 0 1 v\n"
                             "Input past 0 2 ck cv\nSDPA s 5 3 q k v ck cv y nk nv 7=1\n");
#define STEP "run step.param --shape q=2x1x4 --shape k=2x1x4 --shape v=2x1x4 "
    ck_assert_int_eq(ebb(STEP "--shape ck=2x0x4 --shape cv=2x0x4"), 0);
    ck_has(out, "nk: f32 2x1x4");
    ck_assert_int_eq(ebb(STEP "--shape ck=0 --shape cv=0"), 0);
    ck_has(out, "nk: f32 2x1x4");
    ck_assert_int_eq(ebb(STEP "--in ck=/dev/null:2x0x4 --shape cv=2x0x4"), 0);
}
END_TEST

// Half precision is taken where it saves memory, and told of where it does not.
START_TEST(precision_that_saves)
{
    make_model();
    ck_assert_int_eq(ebb("run net.param --shape data=2x3 --precision f16 --json"), 0);
    ck_has(err, "f32 is taken");
    ck_has(out, "\"precision\":\"f32\"");
    ck_assert_int_eq(ebb("info net.param --precision bf16 --json"), 0);
    ck_has(out, "\"precision\":\"f32\"");
    ck_assert_int_eq(ebb("trace net.param --precision f16"), 0);
    ck_has(err, "f32 is taken");
    // Six blobs at one time, half as large.
    write_text("six.param", "7767517\n9 14\nInput in 0 1 x\nSplit s 1 6 x s0 s1 s2 s3 s4 s5\n"
                            "UnaryOp u0 1 1 s0 a0 0=9\nUnaryOp u1 1 1 s1 a1 0=10\nUnaryOp u2 1 1 s2 a2 0=9\n"
                            "UnaryOp u3 1 1 s3 a3 0=10\nUnaryOp u4 1 1 s4 a4 0=9\nUnaryOp u5 1 1 s5 a5 0=10\n"
                            "Concat c 6 1 a0 a1 a2 a3 a4 a5 y\n");
    ck_assert_int_eq(ebb("run six.param --shape x=64x64 --precision f16 --json"), 0);
    ck_assert_str_eq(err, "");
    ck_has(out, "\"precision\":\"f16\"");
    ck_assert_int_eq(ebb("run six.param --precision f16"), 2);
    ck_has(err, "'x' is not set");
    ck_assert_ptr_eq(strchr(err, '\n'), err + strlen(err) - 1);
}
END_TEST

START_TEST(no_weights_no_file)
{
    make_model();
    ck_assert_int_eq(system("mkdir -p lone && cp net.param lone/"), 0);
    ck_assert_int_eq(ebb("run lone/net.param --shape data=2x3"), 0);
    ck_assert_int_eq(ebb("run lone --shape data=2x3"), 0);
    ck_assert_int_eq(ebb("trace lone"), 0);
}
END_TEST

// Waits until the run has written some of its trace, then stops it.
#define STOPPED                                                                                              \
    "$EBB run slow.param --shape data=64x4096 --trace t.jsonl & p=$!; "                                      \
    "while kill -0 $p && [ ! -s t.jsonl.$p.part ]; do sleep 0.01; done; kill -%s $p; wait $p"

START_TEST(stopped_run)
{
    enum { LAYERS = 4000 };
    FILE *f = fopen("slow.param", "wb");
    fprintf(f, "7767517\n%d %d\nInput in 0 1 data\n", LAYERS + 1, LAYERS + 1);
    for (int i = 0; i < LAYERS; i++) {
        fprintf(f, "UnaryOp u%d 1 1 ", i);
        if (i)
            fprintf(f, "b%d b%d 0=9\n", i - 1, i);
        else
            fprintf(f, "data b0 0=9\n");
    }
    fclose(f);
    write_text("t.jsonl", "old\n");
    ck_assert_int_eq(shell(STOPPED, "TERM"), 143);
    ck_has(err, "cancelled");
    ck_assert_str_eq(out, "");
    ck_assert_int_eq(shell("tail -n 1 t.jsonl; ls t.jsonl*"), 0);
    ck_has(out, "\"ev\":\"reset\"");
    ck_lacks(out, "part");
    // Before it runs there is nothing to tell: the old file stays.
    write_text("t.jsonl", "old\n");
    ck_assert_int_eq(shell("mkfifo pipe; $EBB run net.param --in data=pipe:2x3 --trace t.jsonl & p=$!; "
                           "while kill -0 $p && [ ! -e t.jsonl.$p.part ]; do sleep 0.01; done; "
                           "kill -TERM $p; wait $p"),
                     143);
    ck_assert_int_eq(shell("cat t.jsonl; ls"), 0);
    ck_has(out, "old\n");
    ck_lacks(out, "part");
}
END_TEST

START_TEST(files_are_whole_or_not_there)
{
    make_model();
    write_text("t.jsonl", "old\n");
    one_sentence(ebb("run net.param --in data=x.f32:2x9 --trace t.jsonl"), "bytes");
    ck_assert_int_eq(shell("cat t.jsonl; ls"), 0);
    ck_has(out, "old\n");
    ck_lacks(out, "part");
    ck_assert_int_eq(ebb("run net.param --shape data=2x3 --out y=/dev/full"), 2);
    ck_has(err, "/dev/full");
    ck_assert_int_eq(ebb("run net.param --shape data=2x3 --out y=/dev/null"), 0);
    ck_assert_int_eq(ebb("run net.param --shape data=2x3 --trace /dev/full"), 2);
    ck_assert_int_eq(ebb("run net.param --shape data=2x3 --out y=no/where"), 2);
    ck_has(err, "no/where");
    ck_assert_int_eq(shell("[ -c /dev/full ] && [ -c /dev/null ]"), 0);
    // Through a link, into the file that it names.
    ck_assert_int_eq(
        shell("echo old >target; ln -sf target link; chmod 640 target; "
              "$EBB run net.param --shape data=2x3 --out y=link; ls -l target link; wc -c target"),
        0);
    ck_has(out, "link -> target");
    ck_has(out, "-rw-r-----");
    ck_has(out, "24 target");
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tool_tests("tool run", (const test_entry[]){T(run),
                                                           T(run_refuses),
                                                           T(run_refuses_what_it_would_ignore),
                                                           T(run_asks_for_what_is_needed),
                                                           T(run_with_empty_caches),
                                                           T(precision_that_saves),
                                                           T(no_weights_no_file),
                                                           T(stopped_run),
                                                           T(files_are_whole_or_not_there),
                                                           {0}});
}
