// SPDX-License-Identifier: BSD-3-Clause
// conv_test.c - what convolutions hold and count: packed weights are no larger than the file's, multiply-adds.
#include "conv_reference.h"
#include "cpu.h"
#include "kernels/kernels.h"
#include "net.h"
#include "walk.h"
#include <stdio.h>

// A net of one layer whose weights are all zero, behind this tag.
static bool read_zeros(void *user, void *to, size_t bytes)
{
    unsigned *tag = user;
    memset(to, 0, bytes);
    if (bytes == sizeof *tag) memcpy(to, tag, sizeof *tag), *tag = 0;
    return true;
}

static ebb_net *load(const char *isa, const char *layer, unsigned tag)
{
    char text[300];
    snprintf(text, sizeof text, "7767517\n2 2\nInput in 0 1 a\n%s\n", layer);
    const ebb_net_options opt = {.isa = isa};
    const ebb_reader r = {read_zeros, &tag};
    ebb_net *net;
    ebb_error e = {0};
    if (ebb_net_new(&opt, &net, &e) || ebb_net_load_param_mem(net, text, strlen(text), &e) ||
        ebb_net_load_weights_reader(net, &r, &e))
        ck_abort_msg("%s: %s", layer, e.msg);
    return net;
}

static size_t weight_bytes(const char *isa, const char *layer, unsigned tag)
{
    ebb_net *net = load(isa, layer, tag);
    ebb_layer_info info;
    ck_assert_int_eq(ebb_net_layer(net, 1, &info, NULL), EBB_OK);
    ebb_net_destroy(net);
    return info.weight_bytes;
}

START_TEST(memory)
{
    enum { HALF = 0x01306B47, BYTE = 0x000D4B38 };
    static const struct { const char *layer; unsigned tag; size_t bytes; } cases[] = {
        {"Convolution c 1 1 a b 0=3 1=3 6=1728", 0, 1728 * 4},
        {"Convolution c 1 1 a b 0=255 1=1 5=1 6=8415", 0, 8415 * 4 + 255 * 4},
        {"Convolution c 1 1 a b 0=17 1=3 6=5049", HALF, 5049 * 2},
        {"Convolution c 1 1 a b 0=33 1=1 6=1056 8=1", BYTE, 1056 + 33 * 4},
        {"ConvolutionDepthWise c 1 1 a b 0=100 1=3 6=900 7=100", 0, 900 * 4},
        {"ConvolutionDepthWise c 1 1 a b 0=100 1=3 6=900 7=100", HALF, 900 * 2},
        {"ConvolutionDepthWise c 1 1 a b 0=60 1=3 6=3240 7=10", 0, 3240 * 4},
        {"Deconvolution c 1 1 a b 0=5 1=4 6=560", 0, 560 * 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = 0; ebb_isa_name(t); t++) {
            const size_t vector = (size_t)ebb_cpu_table(t)->width * 4;
            const size_t got = weight_bytes(ebb_isa_name(t), cases[i].layer, cases[i].tag);
            ck_assert_msg(got >= cases[i].bytes && got <= cases[i].bytes + vector + 64,
                          "%s [%s]: %zu bytes, %zu in the file", cases[i].layer, ebb_isa_name(t), got,
                          cases[i].bytes);
        }
}
END_TEST

static double macs(const char *layer, int rank, const int *dim)
{
    ebb_net *net = load(NULL, layer, 0);
    const ebb_node *n = &net->g.nodes[1];
    const ebb_desc in = ebb_desc_planar(EBB_F32, rank, dim);
    const ebb_shape_in s = {1, 1, &in};
    ebb_desc out = {.dtype = EBB_F32};
    ck_assert_int_eq(n->type->shape(n->state, &s, &out, NULL), EBB_OK);
    _Alignas(16) unsigned char work[2048] = {0};
    const ebb_plan_in want = {.n_in = 1, .n_out = 1, .in = &in, .out = &out, .wanted = (const bool[]){true},
                              .threads = 1, .memory_limit = SIZE_MAX, .k = net->k};
    ebb_plan plan = {.in = (ebb_plan_input[1]){{0}}, .out = (ebb_plan_output[1]){{0}}, .work = work};
    ebb_plan_default(n->type, &want, &plan);
    ck_assert_uint_le(n->type->work_size, sizeof work);
    ck_assert_int_eq(n->type->plan(n->state, &want, &plan, NULL), EBB_OK);
    ebb_net_destroy(net);
    return plan.macs;
}

START_TEST(work)
{
    ck_assert_double_eq(macs("Convolution c 1 1 a b 0=7 1=3 4=1 6=315", 3, (int[]){5, 4, 6}),
                        7 * 24 * 5 * 9.0);
    ck_assert_double_eq(macs("ConvolutionDepthWise c 1 1 a b 0=6 1=2 6=24 7=6", 3, (int[]){6, 3, 3}),
                        6 * 4 * 4.0);
    ck_assert_double_eq(macs("ConvolutionDepthWise c 1 1 a b 0=4 1=1 6=12 7=2", 3, (int[]){6, 2, 2}),
                        4 * 4 * 3.0);
    ck_assert_double_eq(macs("Deconvolution c 1 1 a b 0=3 1=4 3=2 6=96", 3, (int[]){2, 5, 5}),
                        25 * 2 * 3 * 16.0);
    ck_assert_double_eq(macs("Convolution3D c 1 1 a b 0=2 1=2 6=48", 4, (int[]){3, 2, 2, 2}), 2 * 3 * 8.0);
}
END_TEST

int main(void) { return run_tests("conv", (const test_entry[]){{"memory", memory}, {"work", work}, {0}}); }
