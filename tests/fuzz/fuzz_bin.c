// SPDX-License-Identifier: BSD-3-Clause
// fuzz_bin.c - any bytes as the weights of a few nets that use every way of reading them. Rule: they load or
// the message says why not, and what loads can be run.
#include "fuzz.h"
#include <stdio.h>
#include <string.h>

#define IN "Input x 0 1 x "

// seeds.py knows them by their place in this list.
static const char *const nets[] = {
    /* 0 */ IN "0=5 1=5 2=2\nConvolution c 1 1 x y 0=4 1=3 4=1 5=1 6=72 9=2 -23310=1,0.1",
    /* 1 */ IN "0=5 1=5 2=2\nConvolution c 1 1 x y 0=4 1=1 5=1 6=8 8=1",
    /* 2 */
    IN "0=4 1=4 2=2\nConvolution a 1 1 x a 0=3 1=1 5=1 6=6 8=101\nConvolution b 1 1 a y 0=2 1=3 4=1 6=54 8=1",
    /* 3 */ IN "0=6 1=5 2=4\nConvolutionDepthWise c 1 1 x y 0=4 1=3 4=-233 5=1 6=36 7=4",
    /* 4 */ IN "0=6 1=5 2=4\nConvolutionDepthWise c 1 1 x y 0=8 1=1 6=16 7=2 8=1",
    /* 5 */ IN "0=6\nInnerProduct p 1 1 x y 0=5 1=1 2=30",
    /* 6 */ IN "0=6\nInnerProduct p 1 1 x y 0=5 1=1 2=30 8=1",
    /* 7 */ IN "0=4 1=3\nLSTM l 1 1 x y 0=3 1=96 2=2",
    /* 8 */ IN "0=4 1=3\nLSTM l 1 1 x y 0=2 1=48 3=3 8=1",
    /* 9 */ IN "0=4 1=3\nGRU g 1 1 x a 0=3 1=36\nRNN r 1 1 a y 0=2 1=6 2=1",
    /* 10 */ "MemoryData m 0 1 m 0=3 1=2 2=2 21=0\nMemoryData n 0 1 n 0=3\nBinaryOp b 2 1 m n y 0=2",
    /* 11 */
    IN
    "0=4 1=3 2=2\nBatchNorm b 1 1 x a 0=2\nScale s 1 1 a b 0=2 1=1\nPReLU p 1 1 b c 0=2\nBias c 1 1 c y 0=2",
    /* 12 */
    IN "0=4 1=3 2=2\nLayerNorm l 1 1 x a 0=4\nGroupNorm g 1 1 a b 0=1 1=2\nRMSNorm r 1 1 b c "
       "0=4\nInstanceNorm i 1 1 c y 0=2",
    /* 13 */ IN "0=3\nEmbed e 1 1 x y 0=4 1=5 2=1 3=20",
    /* 14 */ IN "0=3\nEmbed e 1 1 x y 0=4 1=5 3=20 18=2",
    /* 15 */ IN "0=4 1=3\nMultiHeadAttention m 1 1 x y 0=4 1=2 2=16",
    /* 16 */ IN "0=4 1=3\nMultiHeadAttention m 1 1 x y 0=4 1=2 2=16 18=2",
    /* 17 */ IN "0=4 1=3\nGemm g 1 1 x y 3=1 5=1 6=1 7=0 8=5 9=4 10=4",
    /* 18 */ IN "0=4 1=3\nGemm g 1 1 x y 3=1 5=1 6=1 7=0 8=5 9=4 10=4 18=2",
    /* 19 */ IN "0=40 1=3\nGemm g 1 1 x y 3=1 5=1 6=1 7=0 8=3 9=40 10=-1 18=610",
    /* 20 */
    "Input a 0 1 a 0=4 1=3\n" IN
    "0=4 1=3\nQuantize q 1 1 a q 0=3\nRequantize r 1 1 x b 0=3 1=1 2=3\nDequantize d 1 1 x y 0=1 1=3",
    /* 21 */ IN "0=4 1=4 2=3\nNormalize n 1 1 x y 0=0 1=1 2=0.01 3=3",
};

int fuzz_bin(const uint8_t *data, size_t bytes)
{
    fuzz_file f;
    if (!fuzz_begin(&f, data, bytes)) return 0;
    const unsigned which = f.bytes ? f.data[--f.bytes] % (sizeof nets / sizeof *nets) : 0;
    char text[512];
    int layers = 1;
    for (const char *p = nets[which]; *p; p++) layers += *p == '\n';
    snprintf(text, sizeof text, "7767517\n%d 0\n%s\n", layers, nets[which]);
    ebb_net *net = fuzz_new_net(&f.how);
    ebb_error e;
    if (fuzz_ok(ebb_net_load_param_mem(net, text, strlen(text), &e), &e))
        fuzz_ok(ebb_net_load_weights_mem(net, f.data, f.bytes, &e), &e);
    fuzz_run(net, &f.how);
    fuzz_end(&f);
    return 0;
}
