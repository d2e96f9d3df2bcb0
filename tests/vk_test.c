// SPDX-License-Identifier: BSD-3-Clause
// vk_test.c - nets on a Vulkan device through the ordinary calls. Skipped where there is none.
#include "vk_fixture.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// CPU -> device -> CPU -> device -> CPU: a blob on the device is released when its last read is recorded,
// which is before the work is done.
START_TEST(host_and_device_take_turns)
{
    static walk_text t;
    ebb_net *net = vk_net(vk_alternating);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    ck_assert_int_eq(ebb_extractor_declare(x, ONE("y"), 1, NULL), EBB_OK);
    const ebb_desc d = vec(5);
    give(x, "x", &d, -4);
    walk_text_clear(&t);
    ebb_blob *b = vk_extract(x, "y");
    ck_assert_str_eq(
        t.text, "alloc a 20 40\nread x 0\nrelease x 20 20\n"
                "move a replaced 20 40\nrelease a 20 20\nsteal b from a 20\nread a 0\nrelease a 0 20\n"
                "submit\nmove b replaced 20 40\nrelease b 20 20\nalloc c 20 40\nread b 0\nrelease b 20 20\n"
                "move c replaced 20 40\nrelease c 20 20\nsteal d from c 20\nread c 0\nrelease c 0 20\n"
                "submit\nmove d replaced 20 40\nrelease d 20 20\nalloc y 20 40\nread d 0\nrelease d 20 20\n"
                "read y 0\nrelease y 20 0\n");
    for (int i = 0; i < 5; i++) ck_assert_float_eq(ebb_f32(b)[i], vk_alternated((float)i - 4));
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

START_TEST(any_size)
{
    ebb_net *net = vk_net(vk_alternating);
    ebb_extractor *x = open_on(net, NULL);
    static const int sizes[] = {0,  1,  3,    63,
                                64, 65, 1000, 65535 * 64 + 5};  // more than a dispatch has groups
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        vk_check_alternating(x, sizes[i], -30);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// A row of device layers: one upload, one download, one submit.
START_TEST(a_row_stays_on_the_device)
{
    enum { N = 150 };  // more than the descriptor sets of one pool
    static char layers[N * 48];
    static walk_text t;
    size_t at = (size_t)snprintf(layers, sizeof layers, "Input in 0 1 b0\n");
    for (int i = 0; i < N; i++)
        at += (size_t)snprintf(layers + at, sizeof layers - at, "ReLU r%d 1 1 b%d b%d 0=1.0\n", i, i, i + 1);
    ebb_net *net = vk_net(layers);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    char last[16];
    snprintf(last, sizeof last, "b%d", N);
    for (int run = 0; run < 2; run++) {
        const ebb_desc d = vec(17);
        give(x, "b0", &d, -3);
        walk_text_clear(&t);
        ebb_blob *b = vk_extract(x, last);
        for (int i = 0; i < 17; i++) ck_assert_float_eq(ebb_f32(b)[i], (float)i - 3);
        ebb_blob_drop(b);
        int moves = 0, submits = 0;
        for (const char *p = t.text; *p; p = strchr(p, '\n') + 1)
            moves += !strncmp(p, "move", 4), submits += !strncmp(p, "submit", 6);
        ck_assert_int_eq(moves, 2);
        ck_assert_int_eq(submits, 1);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// Two readers: the first makes a blob of its own, the last takes the storage over.
START_TEST(several_readers)
{
    static walk_text t;
    ebb_net *net =
        vk_net("Input in 0 1 x\nReLU r1 1 1 x a 0=1.0\nReLU r2 1 1 a b 0=2.0\nReLU r3 1 1 a c 0=3.0\n"
               "ReLU r4 1 1 a d 0=4.0\n");
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    const ebb_desc d = vec(5);
    give(x, "x", &d, -2);
    walk_text_clear(&t);
    ebb_error e = {0};
    ebb_blob *b[3];
    const ebb_status s =
        ebb_extractor_extract_many(x, (const char *const[]){"b", "c", "d"}, 3, EBB_TAKE_PLANAR, b, &e);
    ck_assert_msg(s == EBB_OK, "%s", e.msg);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 5; i++)
            ck_assert_float_eq(ebb_f32(b[k])[i], i < 2 ? (float)((i - 2) * (k + 2)) : (float)i - 2);
        ebb_blob_drop(b[k]);
    }
    ck_assert_msg(strstr(t.text, "alloc b 20 40\nread a 2\nsubmit\n") &&
                      strstr(t.text, "alloc c 20 40\nread a 1\nsubmit\n") &&
                      strstr(t.text, "steal d from a 20\nread a 0\nrelease a 0 20\nsubmit\n"),
                  "%s", t.text);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// ReLU that never writes over its input.
static ebb_layer_type apart;

// A blob is released when its last read is recorded, long before the work is done, and its memory serves the
// next blob of the same batch.
START_TEST(memory_is_used_again)
{
    static walk_text t;
    apart = *ebb_builtin_layer_named("ReLU");
    apart.name = "Apart", apart.plan = NULL;
    ck_assert(vk_hold());
    ebb_net *net = walk_net_made(vk_on_device,
                                 "Input in 0 1 x\nApart r1 1 1 x a 0=2.0\nApart r2 1 1 a b 0=1.0\n"
                                 "Apart r3 1 1 b c 0=3.0\nApart r4 1 1 c y 0=-1.0\n",
                                 NULL, 0, (const ebb_layer_type *const[]){&apart, NULL});
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    for (int run = 0; run < 3; run++) {
        ck_assert_int_eq(ebb_extractor_declare(x, ONE("y"), 1, NULL), EBB_OK);
        const ebb_desc d = vec(1000);
        give(x, "x", &d, -500);
        walk_text_clear(&t);
        ebb_blob *y = vk_extract(x, "y");
        for (int i = 0; i < 1000; i++)
            ck_assert_float_eq(ebb_f32(y)[i], i < 500 ? 6.f * (float)(500 - i) : (float)(i - 500));
        ebb_blob_drop(y);
        ck_assert_str_eq(
            t.text, "move x replaced 4000 8000\nrelease x 4000 4000\n"
                    "alloc a 4000 8000\nread x 0\nrelease x 4000 4000\n"
                    "alloc b 4000 8000\nread a 0\nrelease a 4000 4000\n"
                    "alloc c 4000 8000\nread b 0\nrelease b 4000 4000\n"
                    "alloc y 4000 8000\nread c 0\nrelease c 4000 4000\n"
                    "submit\nmove y replaced 4000 8000\nrelease y 4000 4000\nread y 0\nrelease y 4000 0\n");
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// Holes between pixels and rows travel with the blob.
START_TEST(any_strides)
{
    ebb_net *net = vk_net("Input in 0 1 x\nReLU r 1 1 x y 0=-2.0\n");
    ebb_extractor *x = open_on(net, NULL);
    static const ebb_desc shapes[] = {
        {.rank = 3, .dim = {3, 2, 5}, .stride = {10, 5, 1}},
        {.rank = 3, .dim = {3, 2, 5}, .stride = {1, 15, 3}},
        {.rank = 3, .dim = {3, 2, 5}, .stride = {1, 40, 7}},
        {.rank = 2, .dim = {4, 3}, .stride = {9, 2}},
        {.rank = 4, .dim = {2, 3, 2, 3}, .stride = {60, 17, 8, 1}},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const ebb_desc *d = &shapes[k];
        float data[256];
        for (int i = 0; i < 256; i++) data[i] = (float)(i * 37 % 101) - 50;
        data[0] = NAN;
        ebb_error e = {0};
        ck_assert_msg(ebb_extractor_borrow(x, "x", d, data, &e) == EBB_OK, "shape %zu: %s", k, e.msg);
        ebb_blob *b = vk_extract(x, "y");
        ck_assert(ebb_desc_same_shape(ebb_blob_desc(b), d));
        for (size_t i = 0, n = ebb_desc_count(d); i < n; i++) {
            ptrdiff_t at = 0;
            for (int axis = d->rank - 1, rest = (int)i; axis >= 0; rest /= d->dim[axis--])
                at += rest % d->dim[axis] * d->stride[axis];
            const float v = data[at], y = ebb_f32(b)[i];
            ck_assert_msg(isnan(v) ? isnan(y) : y == (v < 0 ? -2 * v : v), "shape %zu, element %zu: %g -> %g",
                          k, i, v, y);
        }
        ebb_blob_drop(b);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// Views of blobs on the device, and a Concat on the CPU behind it.
START_TEST(views_stay_on_the_device)
{
    static walk_text t;
    ebb_net *net = vk_net("Input in 0 1 x\nReLU r1 1 1 x a 0=2.0\nSlice s 1 2 a b c -23300=2,2,-233\n"
                          "ReLU r2 1 1 b d 0=3.0\nReLU r3 1 1 c e 0=5.0\nConcat k 2 1 d e y\n");
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    ck_assert_int_eq(ebb_extractor_declare(x, ONE("y"), 1, NULL), EBB_OK);
    give(x, "x", &d, -20);
    ebb_blob *y = vk_extract(x, "y");
    for (int i = 0; i < 30; i++) {
        const float v = (float)i - 20;
        ck_assert_float_eq(ebb_f32(y)[i], v < 0 ? v * (i < 12 ? 6 : 10) : v);
    }
    ebb_blob_drop(y);
    ck_assert_msg(!strstr(t.text, "move b") && !strstr(t.text, "move c"), "%s", t.text);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

static void *run_often(void *net)
{
    ebb_extractor *x = open_on(net, NULL);
    for (int run = 0; run < 20; run++) {
        vk_check_alternating(x, 100 + run, (float)-run);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    return NULL;
}

START_TEST(extractors_in_threads_share_the_device)
{
    ebb_net *net = vk_net(vk_alternating);
    pthread_t other[2];
    for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&other[i], NULL, run_often, net), 0);
    run_often(net);
    for (int i = 0; i < 2; i++) pthread_join(other[i], NULL);
    vk_net_end(net);
}
END_TEST

static void fail_behind_recorded_work(ebb_extractor *x)
{
    const ebb_desc d = vec(7);
    give(x, "x", &d, -3);
    const char *const names[] = {"b", "c"};
    ebb_blob *b[2];
    ck_assert_int_eq(ebb_extractor_extract_many(x, names, 2, EBB_TAKE_PLANAR, b, NULL), EBB_E_UNSUPPORTED);
}

// A failure leaves recorded work behind, which reset and destroy forget.
START_TEST(failure_then_reset)
{
    ebb_net *net = vk_net("Input in 0 1 x\nReLU r1 1 1 x a 0=2.0\nReLU r2 1 1 a b\nFail f 1 1 x c\n");
    ebb_extractor *x = open_on(net, NULL);
    for (int run = 0; run < 2; run++) {
        fail_behind_recorded_work(x);
        ebb_extractor_reset(x);
        const ebb_desc d = vec(7);
        give(x, "x", &d, -3);
        ck_assert_float_eq(first_of(x, "a"), -6);
        ebb_extractor_reset(x);
    }
    fail_behind_recorded_work(x);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

START_TEST(no_memory_is_a_status)
{
    ebb_net *net = vk_net(vk_alternating);
    bool done = false;
    for (int call = 1; !done; call++) {
        walk_fail_at(call);
        ebb_extractor *x = NULL;
        ebb_blob *in = NULL, *b = NULL;
        ebb_error e = {0};
        const ebb_desc d = vec(9);
        ebb_status s = ebb_extractor_new(net, NULL, &x, &e);
        if (s == EBB_OK) s = ebb_extractor_make(x, &d, &in, &e);
        if (s == EBB_OK) memset(ebb_blob_data(in), 0, 9 * sizeof(float));
        if (s == EBB_OK && (s = ebb_extractor_give(x, "x", in, &e)) == EBB_OK) in = NULL;
        if (s == EBB_OK) s = ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, &e);
        ck_assert_msg(s == EBB_OK || s == EBB_E_NOMEM, "%s", e.msg);
        done = s == EBB_OK;
        ebb_blob_drop(b);
        ebb_blob_drop(in);
        walk_fail_at(0);
        if (x) {
            ebb_extractor_reset(x);
            vk_check_alternating(x, 9, -4);
        }
        ebb_extractor_destroy(x);
    }
    vk_net_end(net);
}
END_TEST

START_TEST(a_layer_may_stay_on_the_cpu)
{
    static walk_text t;
    ebb_net *net = vk_net("Input in 0 1 x\nReLU r1 1 1 x y 0=2.0 31=16\n");
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&t, net)});
    const ebb_desc d = vec(5);
    give(x, "x", &d, -3);
    ck_assert_float_eq(first_of(x, "y"), -6);
    ck_assert_msg(!strstr(t.text, "move"), "%s", t.text);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

// The device outlives a model: the next one may use it.
START_TEST(another_model)
{
    ebb_net *net = vk_net(vk_alternating);
    ebb_net_clear(net);
    static const char text[] = "7767517\n2 2\nInput in 0 1 x\nReLU r 1 1 x y 0=3.0\n";
    ck_assert_int_eq(ebb_net_load_param_mem(net, text, strlen(text), NULL), EBB_OK);
    ck_assert_int_eq(ebb_net_load_weights_mem(net, "", 0, NULL), EBB_OK);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(5);
    give(x, "x", &d, -3);
    ck_assert_float_eq(first_of(x, "y"), -9);
    ebb_extractor_destroy(x);
    vk_net_end(net);
}
END_TEST

START_TEST(no_such_device)
{
    vk_index = 99;
    ck_assert(vk_hold());
    ebb_net *net = walk_net_made(vk_on_device, vk_alternating, NULL, 0, small_layers);
    ck_assert_str_eq(ebb_net_device(net), "cpu");
    ck_assert_msg(strstr(vk_said, "there is no Vulkan device 99; this machine has "), "%s", vk_said);
    vk_net_end(net);
}
END_TEST

START_TEST(fallback_without_a_device)
{
    setenv("VK_ICD_FILENAMES", "/nonexistent", 1);
    setenv("VK_DRIVER_FILES", "/nonexistent", 1);
    ebb_net *net = walk_net_made(vk_on_device, vk_alternating, NULL, 0, small_layers);
    ck_assert_str_eq(ebb_net_device(net), "cpu");
    ck_assert_msg(strstr(vk_said, "no Vulkan device, the CPU is used"), "%s", vk_said);
    ebb_extractor *x = open_on(net, NULL);
    vk_check_alternating(x, 17, -5);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

int main(void)
{
    const test_entry always[] = {{"fallback_without_a_device", fallback_without_a_device}, {0}};
    const test_entry tests[] = {
        {"host_and_device_take_turns", host_and_device_take_turns},
        {"any_size", any_size},
        {"a_row_stays_on_the_device", a_row_stays_on_the_device},
        {"several_readers", several_readers},
        {"memory_is_used_again", memory_is_used_again},
        {"any_strides", any_strides},
        {"views_stay_on_the_device", views_stay_on_the_device},
        {"extractors_in_threads_share_the_device", extractors_in_threads_share_the_device},
        {"failure_then_reset", failure_then_reset},
        {"no_memory_is_a_status", no_memory_is_a_status},
        {"a_layer_may_stay_on_the_cpu", a_layer_may_stay_on_the_cpu},
        {"another_model", another_model},
        {"no_such_device", no_such_device},
        {0},
    };
    return vk_run_tests("vk", always, tests);
}
