// SPDX-License-Identifier: BSD-3-Clause
// reports_test.c - what users of engines of this kind reported to go wrong, as small nets. Rule: it is right here, or an
// error that names the layer and the sizes; never a crash, and never success with wrong values.
#include "reports.h"
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------- layers

// Order 2 is for three axes; a net made for them met a matrix, and got an empty blob with success.
START_TEST(an_order_that_a_rank_does_not_have)
{
    for (int rank = 1; rank <= 4; rank++)
        for (int order = 0; order < 24; order++) {
            static const int orders[] = {0, 24, 2, 6, 24};  // a vector stays what it is
            char layers[64];
            ebb_error e;
            const ebb_desc d = ebb_desc_planar(EBB_F32, rank, (const int[]){2, 3, 4, 5});
            snprintf(layers, sizeof layers, "Input x 0 1 x\nPermute p 1 1 x y 0=%d\n", order);
            const bool works = try(layers, &d, &e) == EBB_OK;
            ck_assert_msg(works == (order < orders[rank]), "rank %d, order %d: %s", rank, order, e.msg);
            if (!works) ck_assert_msg(strstr(e.msg, "layer 1 'p' (Permute)") != NULL, "%s", e.msg);
        }
}
END_TEST

// A phantom output of one element, read from outside the input.
START_TEST(inputs_smaller_than_the_kernel)
{
    static const char *const layers[] = {
        "Convolution c 1 1 x y 0=1 1=3 6=9\n",
        "Convolution c 1 1 x y 0=1 1=5 11=1 6=5\n",
        "Convolution c 1 1 x y 0=1 1=3 2=3 6=9\n",
        "ConvolutionDepthWise c 1 1 x y 0=1 1=3 6=9 7=1\n",
        "Pooling p 1 1 x y 0=0 1=6 5=1\n",
        "Unfold u 1 1 x y 1=6\n",
    };
    static const int sizes[][2] = {{1, 1}, {2, 2}, {1, 4}};
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            char text[256];
            const ebb_desc d = plane(1, sizes[i][0], sizes[i][1]);
            snprintf(text, sizeof text, "Input x 0 1 x\n%s", layers[k]);
            refused(text, &d, "layer 1");
        }
    const ebb_desc row = ebb_desc_planar(EBB_F32, 2, (const int[]){1, 2});
    refused("Input x 0 1 x\nConvolution1D c 1 1 x y 0=1 1=3 6=3\n", &row, "layer 1");
    ebb_error e;
    const ebb_desc one = plane(1, 1, 1);  // a full window over what is there
    ck_assert_msg(try("Input x 0 1 x\nPooling p 1 1 x y 0=0 1=3 2=2 3=1 5=0\n", &one, &e) == EBB_OK, "%s",
                  e.msg);
}
END_TEST

// Divided by without a look: the process died of a signal.
START_TEST(numbers_that_are_divided_by)
{
    static const char *const layers[] = {
        "ShuffleChannel l 1 1 x y 0=%d\n",
        "PixelShuffle l 1 1 x y 0=%d\n",
        "GroupNorm l 1 1 x y 0=%d 1=8\n",
        "ConvolutionDepthWise l 1 1 x y 0=8 1=1 6=8 7=%d\n",
        "DeconvolutionDepthWise l 1 1 x y 0=8 1=1 6=8 7=%d\n",
        "Reorg l 1 1 x y 0=%d\n",
        "Convolution l 1 1 x y 0=8 1=1 3=%d 6=64\n",
        "Pooling l 1 1 x y 0=0 1=3 2=%d\n",
        "Unfold l 1 1 x y 1=1 3=%d\n",
        "LSTM l 1 1 x y 0=%d 1=8\n",
        "MultiHeadAttention l 1 1 x y 0=8 1=%d 2=64\n",
        "Embed l 1 1 x y 0=%d 1=8 3=8\n",
        "Spectrogram l 1 1 x y 0=8 2=%d\n",
    };
    static const int values[] = {0, -1, INT_MIN};
    const ebb_desc d = plane(8, 4, 4);
    for (size_t k = 0; k < sizeof layers / sizeof *layers; k++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            char text[256] = "Input x 0 1 x\n";
            snprintf(text + strlen(text), sizeof text - strlen(text), layers[k], values[i]);
            refused(text, &d, "layer 1");
        }
    for (size_t k = 0; k < 5; k++) {  // 7 does not divide 8
        char text[256] = "Input x 0 1 x\n";
        snprintf(text + strlen(text), sizeof text - strlen(text), layers[k], 7);
        refused(text, &d, "layer 1");
    }
}
END_TEST

// A size in the file that was right for the picture at conversion; the sum behind it then ran past a blob's end.
START_TEST(a_fixed_size_in_a_net_that_changes_size)
{
    static const char layers[] = "Input x 0 1 x\n"
                                 "Split s 1 2 x a b\n"
                                 "Pooling p 1 1 a t 0=0 1=2 2=2 5=1\n"
                                 "Interp r 1 1 t u 0=2 3=8 4=8\n"
                                 "BinaryOp m 2 1 u b y 0=0\n";
    ebb_error e;
    const ebb_desc made_for = plane(2, 8, 8), other = plane(2, 12, 12);
    ck_assert_msg(try(layers, &made_for, &e) == EBB_OK, "%s", e.msg);
    refused(layers, &other, "layer 4 'm' (BinaryOp)");
    refused(layers, &other, "2x8x8");
    refused(layers, &other, "2x12x12");
}
END_TEST

// Zeros, a crash, or values that depend on what ran before.
START_TEST(sizes_alternate)
{
    void *bin;
    ebb_net *net = net_with("Input x 0 1 x\n"
                            "Convolution a 1 1 x a 0=8 1=3 3=2 4=1 5=1 6=216 9=1\n"
                            "ConvolutionDepthWise b 1 1 a b 0=8 1=3 4=1 6=72 7=8\n"
                            "Interp c 1 1 b c 0=2 1=2.0 2=2.0\n"
                            "Pooling d 1 1 c y 0=1 1=3 2=2 5=1\n",
                            "t216 r8 h72", &bin);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc size[] = {plane(3, 19, 21), plane(3, 8, 40), plane(3, 33, 5)};
    for (int i = 0; i < 3; i++) {
        ebb_blob *y[3];
        for (int k = 0; k < 3; k++) {
            copy_in(x, "x", &size[k == 1 ? (i + 1) % 3 : i]);
            y[k] = take(x, "y");
            ebb_extractor_reset(x);
        }
        same(y[0], y[2]);
        for (int k = 0; k < 3; k++) ebb_blob_drop(y[k]);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
    free(bin);
}
END_TEST

// Lanes that nobody wrote: results far off, and others in every run.
START_TEST(halves_repeat_and_are_near)
{
    for (int k = 0; k < 4; k++) {
        const sample_net *s = &sample_nets[k];
        ebb_blob *f32[SAMPLE_BLOBS], *first[SAMPLE_BLOBS], *again[SAMPLE_BLOBS];
        size_t bytes;
        void *bin = sample_weights(s->weights, &bytes);
        for (int precision = EBB_PRECISION_F32; precision <= EBB_PRECISION_BF16; precision++) {
            ebb_net *net;
            ebb_error e = {0};
            const ebb_net_options opt = {.allocator = walk_allocator, .precision = (ebb_precision)precision};
            ck_assert(ebb_net_new(&opt, &net, &e) == EBB_OK);
            ck_assert_msg(sample_load(s, net, bin, bytes, &e) == EBB_OK, "%s", e.msg);
            ebb_extractor *x = open_on(net, NULL);
            ck_assert_msg(sample_run(s, net, x, 0, precision ? first : f32, &e) == EBB_OK, "%s", e.msg);
            for (int run = 0; run < 20; run++) {
                ebb_extractor_reset(x);
                ck_assert(sample_run(s, net, x, 0, again, &e) == EBB_OK);
                ck_assert(sample_equal(s, again, precision ? first : f32));
                sample_drop(s, again);
            }
            const size_t n = ebb_desc_count(ebb_blob_desc(f32[0]));
            for (size_t i = 0; precision && k != 1 && i < n; i++)
                ck_assert_float_eq_tol(ebb_f32(first[0])[i], ebb_f32(f32[0])[i], 0.02f);
            if (precision) sample_drop(s, first);
            ebb_extractor_destroy(x);
            ebb_net_destroy(net);
        }
        sample_drop(s, f32);
        free(bin);
    }
    walk_nothing_left();
}
END_TEST

// ------------------------------------------------------------------------------------------- extractors

static const char two_heads[] = "Input x 0 1 x\n"
                                "InnerProduct f 1 1 x y4 0=4 2=32\n"
                                "InnerProduct g 1 1 x y8 0=8 2=64\n";

// The first reader freed the input; the second result was empty.
START_TEST(an_input_that_two_layers_read)
{
    void *bin;
    ebb_net *net = net_with(two_heads, "t32 t64", &bin);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(8);
    ebb_blob *y[2][2];
    for (int order = 0; order < 2; order++) {
        give(x, "x", &d, 1);
        y[order][order] = take(x, order ? "y8" : "y4");
        y[order][!order] = take(x, order ? "y4" : "y8");
        ebb_blob *again = take(x, "y8");
        same(again, y[order][1]);
        ebb_blob_drop(again);
        ebb_extractor_reset(x);
    }
    for (int k = 0; k < 2; k++) {
        same(y[0][k], y[1][k]);
        ebb_blob_drop(y[0][k]);
        ebb_blob_drop(y[1][k]);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
    free(bin);
}
END_TEST

// A layer that works in place met memory that was not its own.
START_TEST(borrowed_memory_is_not_written)
{
    ebb_net *net = walk_net("Input x 0 1 x\nReLU r 1 1 x y\n", NULL, 0, NULL);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    float *data = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(data != MAP_FAILED);
    for (int i = 0; i < 12; i++) data[i] = (float)i - 6;
    ck_assert_int_eq(mprotect(data, page, PROT_READ), 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_error e = {0};
    const ebb_desc d = ebb_desc_planar(EBB_F32, 2, (const int[]){3, 4});
    ck_assert_msg(ebb_extractor_borrow(x, "x", &d, data, &e) == EBB_OK, "%s", e.msg);
    ebb_blob *y = take(x, "y");
    ebb_extractor_reset(x);
    munmap(data, page);  // nothing reads it any more
    for (int i = 0; i < 12; i++) ck_assert_float_eq(ebb_f32(y)[i], i > 6 ? (float)i - 6 : 0);
    ebb_blob_drop(y);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

static void count_run(void *user, const ebb_event *ev)
{
    if (ev->kind == EBB_EV_BEGIN) ((int *)user)[ev->layer]++;
}

START_TEST(what_three_heads_share_runs_once)
{
    int runs[8] = {0};
    ebb_net *net =
        walk_net("Input x 0 1 x\nReLU a 1 1 x a\nSigmoid b 1 1 a b\nTanH c 1 1 b c\nAbsVal d 1 1 c d\n"
                 "ReLU h1 1 1 d y1\nSigmoid h2 1 1 d y2\nTanH h3 1 1 d y3\n",
                 NULL, 0, NULL);
    const ebb_extractor_options opt = {.observer = {count_run, runs}};
    ebb_extractor *x = open_on(net, &opt);
    const ebb_desc d = vec(9);
    give(x, "x", &d, 0);
    for (int i = 1; i <= 3; i++) {
        char name[4];
        snprintf(name, sizeof name, "y%d", i);
        ebb_blob_drop(take(x, name));
    }
    for (int i = 1; i < 8; i++) ck_assert_int_eq(runs[i], 1);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// Looking at a blob in the middle made the result empty, or wrong.
START_TEST(any_blob_may_be_looked_at_in_any_order)
{
    static const char *const names[] = {"a", "b", "e", "y"};
    void *bin;
    ebb_net *net =
        net_with("Input x 0 1 x\nConvolution c 1 1 x a 0=4 1=1 6=12\nSplit s 1 2 a b d\nReLU r 1 1 b e\n"
                 "BinaryOp m 2 1 e d y 0=0\n",
                 "t12", &bin);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = plane(3, 5, 5);
    ebb_blob *want[4];
    for (int i = 0; i < 4; i++) {
        copy_in(x, "x", &d);
        want[i] = take(x, names[i]);
        ebb_extractor_reset(x);
    }
    for (int order = 0; order < 24; order++) {
        int left[] = {0, 1, 2, 3};
        copy_in(x, "x", &d);
        for (int n = 4, code = order; n; code /= n--) {
            const int at = left[code % n];
            ebb_blob *got = take(x, names[at]);
            same(got, want[at]);
            ebb_blob_drop(got);
            memmove(left + code % n, left + code % n + 1, (size_t)(n - 1 - code % n) * sizeof *left);
        }
        ebb_extractor_reset(x);
    }
    for (int i = 0; i < 4; i++) ebb_blob_drop(want[i]);
    ebb_extractor_destroy(x);
    walk_net_end(net);
    free(bin);
}
END_TEST

// One of many inputs was forgotten, and nothing said which.
START_TEST(a_missing_input_is_named)
{
    ebb_net *net = walk_net("Input a 0 1 a\nInput b 0 1 b\nBinaryOp s 2 1 a b y 0=0\n", NULL, 0, NULL);
    ebb_extractor *x = open_on(net, NULL);
    ebb_blob *y;
    ebb_error e = {0};
    const ebb_desc d = vec(3);
    give(x, "a", &d, 1);
    give(x, "a", &d, 5);  // the latter counts
    ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &y, &e), EBB_E_STATE);
    ck_assert_msg(strstr(e.msg, "'b' was not set") != NULL, "%s", e.msg);
    ck_assert_int_eq(ebb_extractor_copy(x, "c", &d, (const float[]){1, 2, 3}, &e), EBB_E_NAME);
    ck_assert_int_eq(ebb_extractor_extract(x, "z", EBB_TAKE_PLANAR, &y, &e), EBB_E_NAME);
    give(x, "b", &d, 10);
    ck_assert_float_eq(first_of(x, "y"), 15);
    ebb_extractor_reset(x);
    give(x, "a", &d, 7);
    ck_assert_float_eq(first_of(x, "a"), 7);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// ------------------------------------------------------------------------------------------- threads and memory

enum { DEPTH = 20000, SMALL_STACK = 64 << 10 };

static void *deep_chain(void *ok)
{
    const size_t room = DEPTH * 40 + 64;
    char *text = malloc(room);
    size_t n = (size_t)snprintf(text, room, "7767517\n%d %d\nInput x 0 1 b0\n", DEPTH + 1, DEPTH + 1);
    for (int i = 0; i < DEPTH; i++)
        n += (size_t)snprintf(text + n, room - n, "ReLU r%d 1 1 b%d b%d\n", i, i, i + 1);
    ebb_net *net = NULL;
    ebb_extractor *x = NULL;
    ebb_blob *y = NULL;
    const ebb_desc d = vec(2);
    char last[16];
    snprintf(last, sizeof last, "b%d", DEPTH);
    const bool good = ebb_net_new(NULL, &net, NULL) == EBB_OK &&
                      ebb_net_load_param_mem(net, text, n, NULL) == EBB_OK &&
                      ebb_net_load_weights_mem(net, NULL, 0, NULL) == EBB_OK &&
                      ebb_extractor_new(net, NULL, &x, NULL) == EBB_OK &&
                      ebb_extractor_copy(x, "b0", &d, (const float[]){-1, 3}, NULL) == EBB_OK &&
                      ebb_extractor_extract(x, last, EBB_TAKE_PLANAR, &y, NULL) == EBB_OK;
    *(bool *)ok = good && ebb_f32(y)[0] == 0 && ebb_f32(y)[1] == 3;
    ebb_blob_drop(y);
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
    free(text);
    return NULL;
}

// A recursion for each layer does not fit into the stack of a small thread.
START_TEST(a_deep_net_in_a_small_stack)
{
    const long least = sysconf(_SC_THREAD_STACK_MIN);
    bool good = false;
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, least > SMALL_STACK ? (size_t)least : SMALL_STACK), 0);
    ck_assert_int_eq(pthread_create(&t, &attr, deep_chain, &good), 0);
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
    ck_assert(good);
}
END_TEST

static int tasks(void)
{
    DIR *d = opendir("/proc/self/task");
    int n = 0;
    for (const struct dirent *t; d && (t = readdir(d));) n += t->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void *count_others(void *n)
{
    const int all = tasks();
    *(int *)n = all ? all - 1 : 0;
    return NULL;
}

// Tasks while no thread of ours runs. Counted in one, since a sanitizer may start one of its own with the first.
static int idle_tasks(void)
{
    pthread_t t;
    int n;
    ck_assert_int_eq(pthread_create(&t, NULL, count_others, &n), 0);
    pthread_join(t, NULL);
    return n;
}

// A thread that was joined is listed for a moment longer.
static void tasks_settle_at(int n)
{
    for (int ms = 0; tasks() != n && ms < 5000; ms++) usleep(1000);
    ck_assert_int_eq(tasks(), n);
}

static void note_tasks(void *user, const ebb_event *ev)
{
    (void)ev;
    const int n = tasks();
    if (n > *(int *)user) *(int *)user = n;
}

// One thread was asked for, and all cores were busy.
START_TEST(as_many_threads_as_were_asked_for)
{
    const sample_net *s = &sample_nets[0];
    const int before = idle_tasks();
    size_t bytes;
    void *bin = sample_weights(s->weights, &bytes);
    for (int threads = 1; threads <= 3; threads++) {
        ebb_net *net;
        ebb_error e = {0};
        ebb_blob *out[SAMPLE_BLOBS];
        int most = 0;
        ck_assert(ebb_net_new(&(ebb_net_options){.allocator = walk_allocator}, &net, &e) == EBB_OK);
        ck_assert_msg(sample_load(s, net, bin, bytes, &e) == EBB_OK, "%s", e.msg);
        tasks_settle_at(before);
        const ebb_extractor_options opt = {.threads = threads, .observer = {note_tasks, &most}};
        ebb_extractor *x = open_on(net, &opt);
        ck_assert_msg(sample_run(s, net, x, 0, out, &e) == EBB_OK, "%s", e.msg);
        if (before) ck_assert_int_eq(most, before + threads - 1);
        sample_drop(s, out);
        ebb_extractor_destroy(x);
        tasks_settle_at(before);
        walk_net_end(net);
    }
    free(bin);
}
END_TEST

static void *load_run_destroy(void *wrong)
{
    const sample_net *s = &sample_nets[0];
    size_t bytes;
    void *bin = sample_weights(s->weights, &bytes);
    ebb_net *net = NULL;
    ebb_extractor *x = NULL;
    ebb_blob *out[SAMPLE_BLOBS] = {0};
    *(bool *)wrong = !(ebb_net_new(&(ebb_net_options){.allocator = walk_allocator}, &net, NULL) == EBB_OK &&
                       sample_load(s, net, bin, bytes, NULL) == EBB_OK &&
                       ebb_extractor_new(net, &(ebb_extractor_options){.threads = 2}, &x, NULL) == EBB_OK &&
                       sample_run(s, net, x, 0, out, NULL) == EBB_OK);
    sample_drop(s, out);
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
    free(bin);
    return NULL;
}

// What a thread that is gone once used must not stay.
START_TEST(threads_that_load_and_go_leave_nothing)
{
    const int before = idle_tasks();
    for (int round = 0; round < 40; round++) {
        pthread_t t[5];
        bool wrong[5];
        for (int i = 0; i < 5; i++)
            ck_assert_int_eq(pthread_create(&t[i], NULL, load_run_destroy, &wrong[i]), 0);
        for (int i = 0; i < 5; i++) {
            pthread_join(t[i], NULL);
            ck_assert(!wrong[i]);
        }
        walk_nothing_left();
    }
    tasks_settle_at(before);
}
END_TEST

// Weights that the caller has in memory were copied.
START_TEST(weights_in_memory_stay_where_they_are)
{
    void *bin;
    ebb_net *net =
        net_with("Input x 0 1 x\nInnerProduct p 1 1 x y 0=256 1=1 2=262144\n", "t262144 r256", &bin);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_net_memory(net, m);
    ck_assert_uint_lt(m[EBB_MEM_WEIGHT].peak, 262144 * sizeof(float) / 10);
    walk_net_end(net);
    free(bin);
}
END_TEST

// Large once, small afterwards; and several nets in turn: what is idle holds nothing.
START_TEST(an_idle_extractor_holds_nothing)
{
    void *bin;
    ebb_net *net = net_with("Input x 0 1 x\nConvolution a 1 1 x y 0=8 1=3 4=1 6=72\n", "t72", &bin);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = 2});
    ebb_mem_count before[EBB_MEM_KINDS], after[EBB_MEM_KINDS];
    ebb_net_memory(net, before);
    const ebb_desc size[] = {plane(1, 256, 256), plane(1, 16, 16)};
    for (int i = 0; i < 2; i++) {
        copy_in(x, "x", &size[i]);
        ebb_blob_drop(take(x, "y"));
        ebb_extractor_reset(x);
        ebb_net_memory(net, after);
        for (int k = 0; k < EBB_MEM_KINDS; k++) ck_assert_uint_eq(after[k].live, before[k].live);
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
    free(bin);
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests("reports", (const test_entry[]){T(an_order_that_a_rank_does_not_have),
                                                     T(inputs_smaller_than_the_kernel),
                                                     T(numbers_that_are_divided_by),
                                                     T(a_fixed_size_in_a_net_that_changes_size),
                                                     T(sizes_alternate),
                                                     T(halves_repeat_and_are_near),
                                                     T(an_input_that_two_layers_read),
                                                     T(borrowed_memory_is_not_written),
                                                     T(what_three_heads_share_runs_once),
                                                     T(any_blob_may_be_looked_at_in_any_order),
                                                     T(a_missing_input_is_named),
                                                     T(a_deep_net_in_a_small_stack),
                                                     T(as_many_threads_as_were_asked_for),
                                                     T(threads_that_load_and_go_leave_nothing),
                                                     T(weights_in_memory_stay_where_they_are),
                                                     T(an_idle_extractor_holds_nothing),
                                                     {0}});
}
