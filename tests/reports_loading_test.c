// SPDX-License-Identifier: BSD-3-Clause
// reports_loading_test.c - what users reported to go wrong when files are loaded. Rule: it loads right, or an error says
// what is wrong and where; never a crash.
#include "reports.h"
#include <math.h>

// Weights in memory that begins at an odd address.
START_TEST(weights_at_any_address)
{
    for (int k = 0; k < SAMPLE_NETS; k++) {
        const sample_net *s = &sample_nets[k];
        ebb_blob *want[SAMPLE_BLOBS], *got[SAMPLE_BLOBS];
        size_t bytes;
        char *bin = sample_weights(s->weights, &bytes), *room = malloc(bytes + 32);
        for (int shift = 0; shift < 32; shift++) {
            ebb_net *net;
            ebb_error e = {0};
            memcpy(room + shift, bin, bytes);
            ck_assert(ebb_net_new(NULL, &net, &e) == EBB_OK);
            ck_assert_msg(sample_load(s, net, room + shift, bytes, &e) == EBB_OK, "%s", e.msg);
            ebb_extractor *x = open_on(net, NULL);
            ck_assert_msg(sample_run(s, net, x, 0, shift ? got : want, &e) == EBB_OK, "%s", e.msg);
            ebb_extractor_destroy(x);
            ebb_net_destroy(net);
            if (!shift) continue;
            ck_assert(sample_equal(s, got, want));
            sample_drop(s, got);
        }
        sample_drop(s, want);
        free(room);
        free(bin);
    }
}
END_TEST

// Lengths that wrap: a tiny allocation, and a wild write.
START_TEST(lengths_of_arrays)
{
    static const char *const arrays[] = {
        "-1,0", "-2147483648,0", "2147483647,0", "1000,1,2", "4294967297,1", "0,1", "1e9,1", ",", ""};
    const ebb_desc d = plane(2, 3, 3);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char text[128];
        snprintf(text, sizeof text, "Input x 0 1 x\nCrop c 1 1 x y -23309=%s\n", arrays[i]);
        refused(text, &d, "parameter 9");
    }
}
END_TEST

START_TEST(spellings_of_numbers)
{
    static const struct {
        const char *upper;
        double want;  // the upper bound; NAN: an error
    } row[] = {{"inf", INFINITY}, {"1e400", INFINITY}, {"3.402823e+38", 3.402823e+38},
               {"0x10", 16},      {"+1.0", 1},         {"1e", NAN},
               {"1.0.0", NAN},    {"--1", NAN},        {"1,5", NAN}};
    const ebb_desc d = vec(1);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[128];
        snprintf(text, sizeof text, "Input x 0 1 x\nClip c 1 1 x y 0=-inf 1=%s\n", row[i].upper);
        if (isnan(row[i].want)) {
            refused(text, &d, "parameter 1");
            continue;
        }
        ebb_net *net = walk_net(text, NULL, 0, NULL);
        ebb_extractor *x = open_on(net, NULL);
        give(x, "x", &d, 3e38f);
        ck_assert_float_eq(first_of(x, "y"), (float)fmin(row[i].want, (double)3e38f));
        ebb_extractor_destroy(x);
        walk_net_end(net);
    }
}
END_TEST

// A caller that goes on after a load that failed.
START_TEST(after_a_load_that_failed)
{
    static const char bad[] = "7767517\n3 3\nInput x 0 1 x\nTotallyNew t 1 1 x y\nReLU r 1 1 y z\n";
    static const char good[] = "7767517\n2 2\nInput x 0 1 x\nReLU r 1 1 x z\n";
    ebb_net *net;
    ebb_extractor *x;
    ebb_error e = {0};
    ck_assert(ebb_net_new(&(ebb_net_options){.allocator = walk_allocator}, &net, &e) == EBB_OK);
    ck_assert_int_eq(ebb_net_load_param_mem(net, bad, strlen(bad), &e), EBB_E_UNSUPPORTED);
    ck_assert_msg(strstr(e.msg, "'TotallyNew'") && strstr(e.msg, ":4:"), "%s", e.msg);
    ck_assert_int_eq(ebb_net_load_weights_mem(net, NULL, 0, &e), EBB_E_STATE);
    ck_assert_int_eq(ebb_extractor_new(net, NULL, &x, &e), EBB_E_STATE);
    ebb_net_clear(net);
    ck_assert(ebb_net_load_param_mem(net, good, strlen(good), &e) == EBB_OK);
    ck_assert_int_eq(ebb_extractor_new(net, NULL, &x, &e), EBB_E_STATE);
    ck_assert(ebb_net_load_weights_mem(net, NULL, 0, &e) == EBB_OK);
    walk_net_end(net);
}
END_TEST

// The .bin where the .param should be, and the like: a count of rubbish, and a hang.
START_TEST(other_kinds_of_files)
{
    static const struct {
        const char *data;
        size_t bytes;
    } file[] = {{"", 0},
                {"\0\0\0\0\0\0\x80\x3f", 8},
                {"\x89PNG\r\n\x1a\n", 8},
                {"7767517", 7},
                {"7767517\n", 8},
                {"7767516\n1 1\n", 12},
                {"\xdd\x85\x76\0", 4},
                {"\xdd\x85\x76\0\xff\xff\xff\x7f\xff\xff\xff\x7f", 12},
                {"7767517\n2147483647 2147483647\n", 30},
                {"7767517\n-1 -1\n", 14},
                {"7767517\n1 1\nInput x 0 2147483647 x", 34}};
    ebb_net *net;
    ebb_error e = {0};
    ck_assert(ebb_net_new(&(ebb_net_options){.allocator = walk_allocator}, &net, &e) == EBB_OK);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        ebb_mem_count m[EBB_MEM_KINDS];
        const ebb_status s = ebb_net_load_param_mem(net, file[i].data, file[i].bytes, &e);
        ck_assert_msg(s == EBB_E_FORMAT && e.msg[0], "file %zu: %s: %s", i, ebb_status_name(s), e.msg);
        ebb_net_memory(net, m);
        ck_assert_uint_lt(m[EBB_MEM_META].peak, 1 << 20);
        ebb_net_clear(net);
    }
    walk_net_end(net);
}
END_TEST

// 14.4 GB go in and 28.8 come out; where a size has 32 bits, such an input is refused.
static void predict_gigabytes(ebb_net *net)
{
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.memory_limit = 1 << 20});
    ebb_prediction p;
    ebb_error e = {0};
    const ebb_desc d = plane(1, 60000, 60000);
    ck_assert(ebb_extractor_expect(x, "x", &d, &e) != EBB_OK && e.msg[0]);
    ebb_extractor_destroy(x);
    if (sizeof(size_t) == 4) return;
    x = open_on(net, &(ebb_extractor_options){.memory_limit = (size_t)20000000000});
    ck_assert(ebb_extractor_expect(x, "x", &d, &e) == EBB_OK);
    ck_assert_int_eq(ebb_extractor_predict(x, ONE("y"), 1, NULL, &p, &e), EBB_E_LIMIT);
    ck_assert_msg(strstr(e.msg, "57600000000 bytes") != NULL, "%s", e.msg);
    ebb_extractor_destroy(x);
    x = open_on(net, NULL);
    ck_assert(ebb_extractor_expect(x, "x", &d, &e) == EBB_OK);
    ck_assert_msg(ebb_extractor_predict(x, ONE("y"), 1, NULL, &p, &e) == EBB_OK, "%s", e.msg);
    ck_assert(p.blob_peak >= (size_t)28800000000);
    ebb_extractor_destroy(x);
}

// A size computed in an int turned negative.
START_TEST(sizes_beyond_31_bits)
{
    void *bin;
    ebb_net *net = net_with("Input x 0 1 x\nConvolution c 1 1 x y 0=2 1=3 4=1 6=18\n", "t18", &bin);
    predict_gigabytes(net);
    walk_net_end(net);
    free(bin);
    const ebb_desc small = plane(1, 2, 2);
    refused("Input x 0 1 x\nReshape r 1 1 x y 0=65536 1=65536\n", &small, "65536");
    refused("Input x 0 1 x\nTile t 1 1 x y -23302=2,2000000000,2000000000\n", &small, "layer 1");
    refused("Input x 0 1 x\nPadding p 1 1 x y 0=2000000000 1=2000000000 2=2000000000 3=2000000000\n", &small,
            "layer 1");
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests("reports_loading", (const test_entry[]){T(weights_at_any_address),
                                                             T(lengths_of_arrays),
                                                             T(spellings_of_numbers),
                                                             T(after_a_load_that_failed),
                                                             T(other_kinds_of_files),
                                                             T(sizes_beyond_31_bits),
                                                             {0}});
}
