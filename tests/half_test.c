// SPDX-License-Identifier: BSD-3-Clause
// half_test.c - stored floats and back: every f16 and bf16 number, in every kernel table; nets in half precision.
#include "cpu.h"
#include "parts/half.h"
#include "order.h"
#include "small_layers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same(float a, float b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

START_TEST(every_number_widens_and_narrows)
{
    enum { ALL = 65536 };
    uint16_t *x = malloc(ALL * sizeof *x), *back = malloc(ALL * sizeof *back);
    float *y = malloc(ALL * sizeof *y);
    for (int i = 0; i < ALL; i++) x[i] = (uint16_t)i;
    const ebb_kernels *k;
    for (int t = 0; (k = ebb_cpu_table(t)); t++)
        for (int bf = 0; bf < 2; bf++) {
            const ebb_dtype type = bf ? EBB_BF16 : EBB_F16;
            ebb_half_load(k, type, y, x, 1, ALL);
            for (int i = 0; i < ALL; i++) {
                const float want = bf ? ebb_bf16_to_f32(x[i]) : ebb_f16_to_f32(x[i]);
                ck_assert_msg(same(y[i], want), "%s %d: %g is not %g", k->isa, i, (double)y[i], (double)want);
            }
            ebb_half_store(k, type, back, 1, y, ALL);
            for (int i = 0; i < ALL; i++)
                ck_assert_msg(isnan(y[i]) || back[i] == x[i], "%s %x becomes %x", k->isa, x[i], back[i]);
        }
    free(x), free(back), free(y);
}
END_TEST

START_TEST(narrowing_rounds_to_even)
{
    const ebb_kernels *k;
    for (int t = 0; (k = ebb_cpu_table(t)); t++)
        for (int n = 1; n < 40; n++) {
            float x[40];
            uint16_t h[41], b[41];
            for (int i = 0; i < n; i++)
                x[i] = ldexpf((float)rand() / (float)RAND_MAX - 0.5f, rand() % 60 - 40);
            h[n] = b[n] = 0x1234;
            ebb_half_store(k, EBB_F16, h, 1, x, (size_t)n);
            ebb_half_store(k, EBB_BF16, b, 1, x, (size_t)n);
            for (int i = 0; i < n; i++) {
                ck_assert_msg(h[i] == ebb_f32_to_f16(x[i]), "%s: %a becomes %x", k->isa, (double)x[i], h[i]);
                ck_assert_msg(b[i] == ebb_f32_to_bf16(x[i]), "%s: %a becomes %x", k->isa, (double)x[i], b[i]);
            }
            ck_assert(h[n] == 0x1234 && b[n] == 0x1234);
        }
}
END_TEST

// The blobs of ReLU take half the bytes; a layer that writes f32 only keeps doing so.
START_TEST(a_net_stores_what_its_precision_says)
{
    for (int p = EBB_PRECISION_F32; p <= EBB_PRECISION_BF16; p++) {
        ebb_net *net;
        ebb_error e = {0};
        static const char text[] = "7767517\n5 5\nInput in 0 1 x\nReLU a 1 1 x a 0=0.5\nReLU b 1 1 a b\nReLU "
                                   "c 1 1 b c 31=6\nFork d 1 1 b d\n";
        ck_assert(ebb_net_new(&(ebb_net_options){.precision = (ebb_precision)p}, &net, &e) == EBB_OK);
        for (int i = 0; small_layers[i]; i++)
            ck_assert(ebb_net_add_layer(net, small_layers[i], &e) == EBB_OK);
        ck_assert_msg(ebb_net_load_param_mem(net, text, strlen(text), &e) == EBB_OK, "%s", e.msg);
        ck_assert_msg(ebb_net_load_weights_mem(net, NULL, 0, &e) == EBB_OK, "%s", e.msg);
        ebb_extractor *x = open_on(net, NULL);
        const ebb_desc d = ebb_desc_planar(EBB_F32, 2, (const int[]){3, 21});
        float data[63];
        for (int i = 0; i < 63; i++) data[i] = (float)(i - 30);
        ck_assert(ebb_extractor_borrow(x, "x", &d, data, &e) == EBB_OK);
        ebb_blob *b[3];
        ck_assert_msg(ebb_extractor_extract_many(x, (const char *const[]){"a", "c", "d"}, 3, EBB_TAKE_AS_IS,
                                                 b, &e) == EBB_OK,
                      "%s", e.msg);
        static const ebb_dtype types[] = {EBB_F32, EBB_F16, EBB_BF16};
        ck_assert_int_eq(ebb_blob_desc(b[0])->dtype, types[p]);
        ck_assert_int_eq(ebb_blob_desc(b[1])->dtype, EBB_F32);
        ck_assert_int_eq(ebb_blob_desc(b[2])->dtype, EBB_F32);
        for (int i = 0; i < 63; i++) ck_assert_float_eq(ebb_f32(b[1])[i], i > 30 ? data[i] : 0);
        for (int i = 0; i < 3; i++) ebb_blob_drop(b[i]);
        ebb_extractor_destroy(x);
        ebb_net_destroy(net);
    }
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests("half", (const test_entry[]){T(every_number_widens_and_narrows),
                                                  T(narrowing_rounds_to_even),
                                                  T(a_net_stores_what_its_precision_says),
                                                  {0}});
}
