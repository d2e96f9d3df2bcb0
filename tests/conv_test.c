// SPDX-License-Identifier: BSD-3-Clause
// conv_test.c - what convolutions count: multiply-adds.
#include "conv_reference.h"
#include "net.h"
#include "walk.h"

static double macs(const char *layer, int rank, const int *dim)
{
    ebb_net *net = conv_net(NULL, layer, 0);
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

int main(void) { return run_tests("conv", (const test_entry[]){{"work", work}, {0}}); }
