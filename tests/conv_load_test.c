// SPDX-License-Identifier: BSD-3-Clause
// conv_load_test.c - packed weights are no larger than the file's.
#include "conv_reference.h"
#include "cpu.h"
#include "kernels/kernels.h"

static size_t weight_bytes(const char *isa, const char *layer, unsigned tag)
{
    ebb_net *net = conv_net(isa, layer, tag);
    ebb_layer_info info;
    ck_assert_int_eq(ebb_net_layer(net, 1, &info, NULL), EBB_OK);
    ebb_net_destroy(net);
    return info.weight_bytes;
}

START_TEST(memory)
{
    enum { HALF = 0x01306B47, BYTE = 0x000D4B38 };
    static const struct {
        const char *layer;
        unsigned tag;
        size_t bytes;
    } cases[] = {
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

int main(void) { return run_tests("conv_load", (const test_entry[]){{"memory", memory}, {0}}); }
