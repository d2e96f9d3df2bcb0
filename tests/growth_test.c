// SPDX-License-Identifier: BSD-3-Clause
// growth_test.c - nets twice as wide or as deep take about twice the work. Work is counted, not timed: src/
// and the layers that make views are compiled once more for this test, with a call at each basic block.
#include "small_layers.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __sanitizer_cov_trace_pc(void);  // the compiler's -fsanitize-coverage=trace-pc calls it
static size_t blocks;
void __sanitizer_cov_trace_pc(void) { blocks++; }

typedef struct text {
    char *at;
    size_t n;
} text;

static void say(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t->n += (size_t)vsprintf(t->at + t->n, fmt, ap);
    va_end(ap);
}

static void say_blobs(text *t, const char *stem, int n)
{
    for (int i = 0; i < n; i++) say(t, " %s%d", stem, i);
}

// ------------------------------------------------------------------------------------------- nets

typedef void shape_of_net(text *t, int n);  // from x, of n x 4 or 4 x 4, to y

// A Slice into n parts, each enlarged: all parts keep the whole.
static void wide_slice(text *t, int n)
{
    say(t, "Slice s 1 %d x", n);
    say_blobs(t, "s", n);
    say(t, " 1=0 -23300=%d", n);
    for (int i = 0; i < n; i++) say(t, ",-233");
    say(t, "\n");
    for (int i = 0; i < n; i++) say(t, "Padding p%d 1 1 s%d r%d 2=1 3=1\n", i, i, i);
    say(t, "Concat c %d 1", n);
    say_blobs(t, "r", n);
    say(t, " y\n");
}

// Parts of one blob that are made from the last to the first, and live until the end.
static void crops_backwards(text *t, int n)
{
    say(t, "Concat c %d 1", n);
    say_blobs(t, "r", n);
    say(t, " y\n");
    for (int i = n - 1; i >= 0; i--) say(t, "ReLU v%d 1 1 c%d r%d\n", i, i, i);
    for (int i = 0; i < n; i++)
        say(t, "Crop k%d 1 1 x c%d -23309=1,%d -23310=1,%d -23311=1,0\n", i, i, i, i + 1);
}

// One blob that n layers read, by turns in an order that the other half cannot read.
static void many_readers(text *t, int n)
{
    for (int i = 0; i < n; i++) say(t, "%s r%d 1 1 x r%d\n", i % 2 ? "Pixel" : "Planar", i, i);
    say(t, "Eltwise e %d 1", n);
    say_blobs(t, "r", n);
    say(t, " y 0=1\n");
}

// A layer that reads one blob n times.
static void read_again_and_again(text *t, int n)
{
    say(t, "Pixel p 1 1 x a\nEltwise e %d 1", n);
    for (int i = 0; i < n; i++) say(t, " a");
    say(t, " y 0=1\n");
}

static void copies_of_one(text *t, int n)
{
    say(t, "Split s 1 %d x", n);
    say_blobs(t, "s", n);
    say(t, "\nEltwise e %d 1", n);
    say_blobs(t, "s", n);
    say(t, " y 0=1\n");
}

static void chain(text *t, int n)
{
    say(t, "ReLU l 1 1 x a0\n");
    for (int i = 1; i < n; i++) say(t, "%s l%d 1 1 a%d a%d\n", i % 3 ? "Exp" : "Fork", i, i - 1, i);
    say(t, "ReLU m 1 1 a%d y\n", n - 1);
}

static void chain_of_views(text *t, int n)
{
    say(t, "Noop l 1 1 x a0\n");
    for (int i = 1; i < n; i++) say(t, "Noop l%d 1 1 a%d a%d\n", i, i - 1, i);
    say(t, "BinaryOp m 2 1 a%d x y\n", n - 1);
}

// Two rows of layers; each reads both of the step before.
static void ladder(text *t, int n)
{
    say(t, "ReLU a 1 1 x a0\nFork b 1 1 x b0\n");
    for (int i = 1; i < n; i++)
        say(t, "BinaryOp p%d 2 1 a%d b%d a%d 0=4\nBinaryOp q%d 2 1 b%d a%d b%d 0=5\n", i, i - 1, i - 1, i, i,
            i - 1, i - 1, i);
    say(t, "BinaryOp m 2 1 a%d b%d y\n", n - 1, n - 1);
}

// Each step's halves are swapped: parts of wholes, all the way down.
static void slices_down(text *t, int n)
{
    say(t, "Fork f 1 1 x a0\n");
    for (int i = 1; i < n / 8; i++)
        say(t, "Slice s%d 1 2 a%d l%d r%d 1=1 -23300=2,-233,-233\nConcat c%d 2 1 r%d l%d a%d 0=1\n", i, i - 1,
            i, i, i, i, i, i);
    say(t, "ReLU m 1 1 a%d y\n", n / 8 - 1);
}

// What a limit chooses among: n tries that do not help.
static void blobs_on_their_own(text *t, int n)
{
    for (int i = 0; i < n; i++) say(t, "Fork r%d 1 1 x r%d\n", i, i);
    say(t, "Concat c %d 1", n);
    say_blobs(t, "r", n);
    say(t, " y\n");
}

static ebb_net *make(shape_of_net *shape, int n)
{
    text t = {malloc((size_t)n * 400 + 1000), 0};
    say(&t, "Input in 0 1 x\n");
    shape(&t, n);
    ebb_net *net = small_net(t.at, NULL, 0);
    free(t.at);
    return net;
}

// ------------------------------------------------------------------------------------------- work

static void ignore(void *user, const char *at, size_t bytes) { (void)user, (void)at, (void)bytes; }

// Loading, a prediction, a run of the last blob and of another one, with a table.
static size_t work_of(shape_of_net *shape, int n, int rows, bool table)
{
    ebb_error e = {0};
    blocks = 0;
    ebb_net *net = make(shape, n);
    ebb_trace *t = NULL;
    ebb_extractor_options opt = {.memory_limit = table ? (size_t)1 << 30 : 0};
    if (table) {
        ck_assert_int_eq(ebb_trace_new(net, EBB_TRACE_TABLE, ignore, NULL, &t, &e), EBB_OK);
        opt.observer = ebb_trace_observer(t);
    }
    ebb_extractor *x = open_on(net, &opt);
    const ebb_desc d = ebb_desc_planar(EBB_F32, 2, (const int[]){rows, 4});
    ebb_prediction p;
    ebb_blob *b;
    give(x, "x", &d, 1);
    ck_assert_msg(ebb_extractor_predict(x, ONE("y"), 1, NULL, &p, &e) == EBB_OK, "%s", e.msg);
    ck_assert_msg(ebb_extractor_extract(x, "y", EBB_TAKE_AS_IS, &b, &e) == EBB_OK, "%s", e.msg);
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    if (t) ck_assert_int_eq(ebb_trace_finish(t, &e), EBB_OK);
    walk_net_end(net);
    return blocks;
}

static const struct {
    const char *name;
    shape_of_net *net;
    bool rows;  // one for each layer
} nets[] = {{"wide slice", wide_slice, true},          {"crops backwards", crops_backwards, true},
            {"many readers", many_readers, false},     {"read again", read_again_and_again, false},
            {"copies of one", copies_of_one, false},   {"chain", chain, false},
            {"chain of views", chain_of_views, false}, {"ladder", ladder, false},
            {"slices down", slices_down, false},       {"blobs on their own", blobs_on_their_own, false}};

static void check_growth(const char *name, size_t small, size_t large)
{
    if (getenv("V")) printf("%-24s %10zu %10zu %.2f\n", name, small, large, (double)large / (double)small);
    ck_assert_msg((double)large < 2.5 * (double)small, "%s: twice the net takes %zu steps instead of %zu",
                  name, large, small);
}

enum { SIZE = 1500 };

START_TEST(twice_the_net_is_twice_the_work)
{
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (int table = 0; table < 2; table++)
            check_growth(nets[i].name, work_of(nets[i].net, SIZE, nets[i].rows ? SIZE : 4, table),
                         work_of(nets[i].net, 2 * SIZE, nets[i].rows ? 2 * SIZE : 4, table));
}
END_TEST

// All blobs of a net by name, together and one by one.
static size_t work_of_taking(int n, bool together)
{
    ebb_error e = {0};
    ebb_net *net = make(blobs_on_their_own, n);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = ebb_desc_planar(EBB_F32, 2, (const int[]){1, 4});
    const char **names = malloc((size_t)n * sizeof *names);
    ebb_blob **out = malloc((size_t)n * sizeof *out);
    for (int i = 0; i < n; i++) names[i] = ebb_net_blob_name(net, i + 1);
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_keep(x, "x", &e), EBB_OK);
    blocks = 0;
    for (int i = 0; i < n; i += together ? n : 1)
        ck_assert_msg(
            ebb_extractor_extract_many(x, names + i, together ? n : 1, EBB_TAKE_AS_IS, out + i, &e) == EBB_OK,
            "%s", e.msg);
    const size_t work = blocks;
    for (int i = 0; i < n; i++) ebb_blob_drop(out[i]);
    free(names);
    free(out);
    ebb_extractor_destroy(x);
    walk_net_end(net);
    return work;
}

START_TEST(twice_the_outputs_are_twice_the_work)
{
    for (int together = 0; together < 2; together++)
        check_growth(together ? "together" : "one by one", work_of_taking(SIZE, together),
                     work_of_taking(2 * SIZE, together));
}
END_TEST

// A circle of two, one of which reads many blobs first.
static size_t work_of_refusing(int n)
{
    ebb_error e = {0};
    ebb_net *net;
    text t = {malloc((size_t)n * 100 + 1000), 0};
    say(&t, "7767517\n4 %d\nInput in 0 1 x\nSplit s 1 %d x", n + 3, n);
    say_blobs(&t, "s", n);
    say(&t, "\nConcat c %d 1", n + 1);
    say_blobs(&t, "s", n);
    say(&t, " b a\nReLU r 1 1 a b\n");
    blocks = 0;
    ck_assert_int_eq(ebb_net_new(NULL, &net, &e), EBB_OK);
    ck_assert_int_eq(ebb_net_load_param_mem(net, t.at, t.n, &e), EBB_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "cycle"));
    free(t.at);
    ebb_net_destroy(net);
    return blocks;
}

START_TEST(refusing_is_no_more_work_than_loading)
{
    check_growth("cycle", work_of_refusing(SIZE), work_of_refusing(2 * SIZE));
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"twice the net is twice the work", twice_the_net_is_twice_the_work},
        {"twice the outputs are twice the work", twice_the_outputs_are_twice_the_work},
        {"refusing is no more work than loading", refusing_is_no_more_work_than_loading},
        {0}};
#ifdef EBB_COUNTED
    return run_tests("growth", tests);
#else
    (void)tests;
    return 77;  // this compiler cannot count
#endif
}
