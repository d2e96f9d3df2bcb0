// SPDX-License-Identifier: BSD-3-Clause
// sample_nets.c - a net of each kind. Rule: every run of one is the same to the last bit.
#include "sample_nets.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
static const char classifier[] =
    "7767517\n7 7\n"
    "Input in 0 1 x 0=9 1=9 2=3\n"
    "Convolution conv 1 1 x a 0=8 1=3 3=2 4=1 5=1 6=216 9=1\n"
    "ConvolutionDepthWise dw 1 1 a b 0=8 1=3 4=1 5=1 6=72 7=8 9=3 -23310=2,0.0,6.0\n"
    "Convolution pw 1 1 b c 0=12 1=1 5=1 6=96\n"
    "Pooling pool 1 1 c d 0=1 4=1\n"
    "InnerProduct fc 1 1 d e 0=10 1=1 2=120\n"
    "Softmax prob 1 1 e prob 0=0 1=1\n";

// Two scales of boxes.
static const char detector[] =
    "7767517\n27 33\n"
    "Input in 0 1 x 0=32 1=32 2=3\n"
    "Split s 1 3 x x0 x1 x2\n"
    "Convolution a 1 1 x0 a 0=4 1=3 3=8 4=1 5=1 6=108 9=1\n"
    "Split sa 1 4 a a0 a1 a2 a3\n"
    "Convolution b 1 1 a0 b 0=4 1=3 3=2 4=1 5=1 6=144 9=1\n"
    "Split sb 1 3 b b0 b1 b2\n"
    "Convolution loc_a 1 1 a1 la 0=16 1=1 5=1 6=64\n"
    "Permute loc_pa 1 1 la lpa 0=3\n"
    "Flatten loc_fa 1 1 lpa lfa\n"
    "Convolution conf_a 1 1 a2 ca 0=8 1=1 5=1 6=32\n"
    "Permute conf_pa 1 1 ca cpa 0=3\n"
    "Flatten conf_fa 1 1 cpa cfa\n"
    "PriorBox prior_a 2 1 a3 x1 pa -23300=1,8.0 -23301=1,16.0 -23302=1,2.0 7=1 8=0 9=-233 10=-233\n"
    "Convolution loc_b 1 1 b0 lb 0=16 1=1 5=1 6=64\n"
    "Permute loc_pb 1 1 lb lpb 0=3\n"
    "Flatten loc_fb 1 1 lpb lfb\n"
    "Convolution conf_b 1 1 b1 cb 0=8 1=1 5=1 6=32\n"
    "Permute conf_pb 1 1 cb cpb 0=3\n"
    "Flatten conf_fb 1 1 cpb cfb\n"
    "PriorBox prior_b 2 1 b2 x2 pb -23300=1,16.0 -23301=1,32.0 -23302=1,2.0 7=1 8=0 9=-233 10=-233\n"
    "Concat loc 2 1 lfa lfb loc 0=0\n"
    "Concat conf 2 1 cfa cfb conf 0=0\n"
    "Reshape conf_r 1 1 conf cr 0=2 1=-1\n"
    "Softmax conf_s 1 1 cr cs 0=1 1=1\n"
    "Flatten conf_f 1 1 cs cf\n"
    "Concat prior 2 1 pa pb prior 0=1\n"
    "DetectionOutput out 3 1 loc cf prior out 0=2 1=0.45 2=100 3=20 4=0.3\n";

static const char recurrent[] =
    "7767517\n7 10\n"
    "Input in 0 1 x 0=6 1=7\n"
    "Input h 0 1 h0 0=3 1=1\n"
    "Input c 0 1 c0 0=3 1=1\n"
    "LSTM both 1 1 x a 0=5 1=240 2=2\n"
    "GRU gru 1 1 a b 0=4 1=120\n"
    "LSTM state 3 3 b h0 c0 y h1 c1 0=3 1=48\n"
    "Softmax prob 1 1 y prob 0=1 1=1\n";

static const char attention[] =
    "7767517\n23 29\n"
    "Input in 0 1 x 0=8 1=5\n"
    "Input past_k 0 1 pk 0=4 1=3 2=2\n"
    "Input past_v 0 1 pv 0=4 1=3 2=2\n"
    "Split s 1 2 x x0 x1\n"
    "LayerNorm norm 1 1 x0 n 0=8\n"
    "Split sn 1 3 n n0 n1 n2\n"
    "Gemm q 1 1 n0 q 3=1 5=1 6=1 8=8 9=8 10=4\n"
    "Gemm k 1 1 n1 k 3=1 5=1 6=1 8=8 9=8 10=4\n"
    "Gemm v 1 1 n2 v 3=1 5=1 6=1 8=8 9=8 10=-1\n"
    "Reshape q_r 1 1 q qr 0=4 1=2 2=-1\n"
    "Permute q_p 1 1 qr qp 0=2\n"
    "Reshape k_r 1 1 k kr 0=4 1=2 2=-1\n"
    "Permute k_p 1 1 kr kp 0=2\n"
    "Reshape v_r 1 1 v vr 0=4 1=2 2=-1\n"
    "Permute v_p 1 1 vr vp 0=2\n"
    "SDPA attend 5 3 qp kp vp pk pv o k_all v_all 7=1\n"
    "Permute o_p 1 1 o op 0=2\n"
    "Reshape o_r 1 1 op or 0=8 1=-1\n"
    "Gemm out 1 1 or g 3=1 5=1 6=1 8=8 9=8 10=4\n"
    "BinaryOp add 2 1 g x1 sum 0=0\n"
    "GELU gelu 1 1 sum act\n"
    "Slice cut 1 2 act left right -23300=2,3,-233 1=1\n"
    "Concat join 2 1 right left y 0=1\n";

static const char eight[] =
    "7767517\n6 6\n"
    "Input in 0 1 x 0=7 1=6 2=4\n"
    "Convolution a 1 1 x a 0=8 1=3 4=1 5=1 6=288 8=101 9=1\n"
    "ConvolutionDepthWise b 1 1 a b 0=8 1=3 4=1 5=1 6=72 7=8 8=101\n"
    "Convolution c 1 1 b c 0=6 1=1 5=1 6=48 8=101 9=1\n"
    "Convolution d 1 1 c d 0=5 1=3 5=1 6=270 8=1\n"
    "InnerProduct e 1 1 d y 0=9 1=1 2=900 8=1\n";

const sample_net sample_nets[SAMPLE_NETS] = {
    {"classifier", classifier, "t216 r8 t72 r8 h96 r12 t120 r10", {"prob", "c"}, 2},
    {"detector", detector, "t108 r4 t144 r4 t64 r16 h32 r8 t64 r16 h32 r8", {"out"}, 1},
    {"recurrent", recurrent, "t240 t40 t200 h120 t16 t48 t48 t12 h36", {"prob", "h1", "c1"}, 3},
    {"attention", attention, "r8 r8 h64 t8 t64 t8 t64 h64 t8", {"y", "k_all", "v_all"}, 3},
    {"eight", eight, "b288 r8 s8 s1 s1 b72 r8 s8 s1 s1 b48 r6 s6 s1 s1 t270 r5 s5 s1 b900 r9 s9 s1", {"y", "d"}, 2},
};
// clang-format on

// ------------------------------------------------------------------------------------------- weights

static float weight(size_t i) { return (float)((int)(i * 37 % 65) - 32) / 128; }

// One tensor of n elements; returns its bytes, and writes them unless to is NULL.
static size_t write_tensor(char kind, size_t n, unsigned char *to)
{
    static const unsigned char tags[][4] = {
        ['t'] = {0}, ['h'] = {0x47, 0x6b, 0x30, 0x01}, ['b'] = {0x38, 0x4b, 0x0d, 0}};
    const size_t each = kind == 'b' ? 1 : kind == 'h' ? 2 : 4, head = kind == 'r' || kind == 's' ? 0 : 4;
    const size_t bytes = head + (n * each + 3) / 4 * 4;
    if (!to) return bytes;
    memset(to, 0, bytes);
    if (head) memcpy(to, tags[(int)kind], head);
    for (size_t i = 0; i < n; i++) {
        const float f = kind == 's' ? 20 + (float)(i % 5) : weight(i);
        const uint16_t half =
            (uint16_t)((i % 2 ? 0x8000 : 0) | 0x3000 | (i * 37 % 61) << 4);  // about 0.125 to 0.25
        const int8_t byte = (int8_t)((int)(i * 37 % 255) - 127);
        memcpy(to + head + i * each,
               kind == 'b'   ? (const void *)&byte
               : kind == 'h' ? (const void *)&half
                             : &f,
               each);
    }
    return bytes;
}

static size_t write_all(const char *spec, unsigned char *to)
{
    size_t bytes = 0;
    for (const char *p = spec; *p; p += *p == ' ') {
        char *end;
        const char kind = *p;
        const size_t n = strtoul(p + 1, &end, 10);
        bytes += write_tensor(kind, n, to ? to + bytes : NULL);
        p = end;
    }
    return bytes;
}

void *sample_weights(const char *spec, size_t *bytes)
{
    *bytes = write_all(spec, NULL);
    void *bin = malloc(*bytes);
    if (bin) write_all(spec, bin);
    return bin;
}

ebb_status sample_load(const sample_net *s, ebb_net *net, const void *bin, size_t bytes, ebb_error *e)
{
    const ebb_status st = ebb_net_load_param_mem(net, s->text, strlen(s->text), e);
    return st == EBB_OK ? ebb_net_load_weights_mem(net, bin, bytes, e) : st;
}

// ------------------------------------------------------------------------------------------- runs

static ebb_status set_input(const ebb_net *net, ebb_extractor *x, int nth, int blob, int variant,
                            ebb_error *e)
{
    ebb_desc d;
    ebb_blob *b;
    const char *name = ebb_net_blob_name(net, blob);
    if (!ebb_net_input_hint(net, blob, &d)) return EBB_E_STATE;
    ebb_status s = ebb_extractor_make(x, &d, &b, e);
    if (s != EBB_OK) return s;
    float *to = ebb_blob_data(b);
    for (size_t i = 0; i < ebb_desc_count(&d); i++)
        to[i] = (float)((i + (size_t)variant * 5) * 29 % 127) / 64 - 1;
    const bool given = nth % 2 == 0;
    s = given ? ebb_extractor_give(x, name, b, e) : ebb_extractor_copy(x, name, &d, to, e);
    if (!given || s != EBB_OK) ebb_blob_drop(b);
    return s;
}

ebb_status sample_set(const ebb_net *net, ebb_extractor *x, int variant, ebb_error *e)
{
    int in[SAMPLE_BLOBS];
    const int n = ebb_net_inputs(net, in, SAMPLE_BLOBS);
    for (int i = 0; i < n; i++) {
        const ebb_status st = set_input(net, x, i, in[i], variant, e);
        if (st != EBB_OK) return st;
    }
    return EBB_OK;
}

ebb_status sample_run(const sample_net *s, const ebb_net *net, ebb_extractor *x, int variant, ebb_blob **out,
                      ebb_error *e)
{
    memset(out, 0, (size_t)s->n_out * sizeof *out);
    const ebb_status st = sample_set(net, x, variant, e);
    if (st != EBB_OK) return st;
    return ebb_extractor_extract_many(x, s->out, s->n_out, EBB_TAKE_PLANAR, out, e);
}

bool sample_equal(const sample_net *s, ebb_blob *const *a, ebb_blob *const *b)
{
    for (int i = 0; i < s->n_out; i++) {
        if (!a[i] && !b[i]) continue;
        if (!a[i] || !b[i] || !ebb_desc_same_shape(ebb_blob_desc(a[i]), ebb_blob_desc(b[i]))) return false;
        const size_t bytes =
            ebb_desc_count(ebb_blob_desc(a[i])) * ebb_dtype_bytes(ebb_blob_desc(a[i])->dtype);
        if (bytes && memcmp(ebb_blob_data(a[i]), ebb_blob_data(b[i]), bytes) != 0) return false;
    }
    return true;
}

void sample_drop(const sample_net *s, ebb_blob **out)
{
    for (int i = 0; i < s->n_out; i++) {
        ebb_blob_drop(out[i]);
        out[i] = NULL;
    }
}
