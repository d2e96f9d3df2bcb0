// SPDX-License-Identifier: BSD-3-Clause
// convolutiondepthwise_test.c - ConvolutionDepthWise against its definition: one channel a group, and several.
#include "conv_reference.h"

static const char type[] = "ConvolutionDepthWise";

START_TEST(one_channel_each)
{
    static const conv_row rows[] = {
        {"0=1 1=3 6=9 7=1 4=1", 3, {1, 3, 5}, 9, 0},
        {"0=3 1=3 5=1 6=27 7=3 4=1", 3, {3, 4, 5}, 27, 3},
        {"0=5 1=1 5=1 6=5 7=5 9=1", 3, {5, 3, 3}, 5, 5},
        {"0=17 1=3 5=1 6=153 7=17 3=2 4=-233 9=3 -23310=2,-0.5,0.5", 3, {17, 5, 4}, 153, 17},
        {"0=33 1=2 11=3 6=198 7=33 4=-234 18=2", 3, {33, 3, 3}, 198, 0},
        {"0=67 1=3 5=1 6=603 7=67 2=2 4=2 9=2 -23310=1,0.1", 3, {67, 5, 3}, 603, 67},
        {"0=16 1=5 5=1 6=400 7=16 4=2 9=5", 3, {16, 3, 3}, 400, 16},
        {0},
    };
    conv_check(type, W_F32, rows);
}
END_TEST

START_TEST(groups)
{
    static const conv_row rows[] = {
        {"0=4 1=3 5=1 6=108 7=2 4=1", 3, {6, 4, 5}, 108, 4},
        {"0=6 1=1 6=6 7=3 3=2", 3, {3, 3, 5}, 6, 0},          // more outputs than inputs
        {"0=3 1=2 5=1 6=60 7=3", 3, {15, 3, 3}, 60, 3},       // one output each
        {"0=40 1=1 5=1 6=200 7=2 9=4", 3, {10, 2, 3}, 200, 40},
        {"0=5 1=3 5=1 6=90 7=1 4=1", 3, {2, 3, 3}, 90, 5},    // no groups
        {0},
    };
    conv_check(type, W_F32, rows);
    conv_check(type, W_F16, rows);
}
END_TEST

START_TEST(half_weights)
{
    static const conv_row rows[] = {
        {"0=5 1=3 5=1 6=45 7=5 4=1", 3, {5, 3, 3}, 45, 5},
        {"0=35 1=3 6=315 7=35", 3, {35, 4, 3}, 315, 0},
        {0},
    };
    conv_check(type, W_F16, rows);
}
END_TEST

static void check_int8(const conv_row *r, weight_kind kind, ebb_dtype in)
{
    layer_case c = conv_case(type, r, kind);
    const int at = 1 + (r->bias != 0), term = conv_id(&c, 8, 0);
    c.in[0].dtype = in;
    c.weights[at].kind = c.weights[at + 1].kind = W_RAW;
    c.weights[at].n = term % 100 == 1 ? (size_t)conv_id(&c, 7, 1) : 1;
    c.weights[at].lo = 64, c.weights[at].hi = 128;
    c.weights[at + 1].n = 1;
    c.weights[at + 1].lo = 96, c.weights[at + 1].hi = 96;
    if (term > 100) {
        c.tol = 0;
        c.weights[at + 2].kind = W_RAW;
        c.weights[at + 2].n = 1;
        c.weights[at + 2].lo = 24, c.weights[at + 2].hi = 24;
    }
    layer_check(&c);
}

START_TEST(int8)
{
    static const conv_row rows[] = {
        {"0=5 1=3 5=1 6=45 7=5 4=1 8=1", 3, {5, 3, 4}, 45, 5},
        {"0=37 1=3 5=1 6=333 7=37 4=1 3=2 8=2 9=1 18=-1", 3, {37, 3, 3}, 333, 37},
        {"0=4 1=3 5=1 6=108 7=2 4=1 8=1", 3, {6, 4, 5}, 108, 4},
        {"0=18 1=3 5=1 6=162 7=18 4=1 8=101 9=1", 3, {18, 3, 3}, 162, 18},
        {"0=9 1=1 6=27 7=3 8=102", 3, {9, 3, 2}, 27, 0},
        {0},
    };
    for (const conv_row *r = rows; r->params; r++) {
        check_int8(r, W_F32, EBB_F32);
        check_int8(r, W_I8, EBB_F32);
        check_int8(r, W_I8, EBB_I8);
    }
}
END_TEST

START_TEST(dynamic_weights)
{
    conv_check_dynamic(type, "19=1 5=1 4=1 7=5", 3, (int[]){5, 4, 3}, (int[]){5, 1, 3, 3}, 5);
    conv_check_dynamic(type, "0=0 19=1 4=-234 7=2 9=1", 3, (int[]){6, 3, 4}, (int[]){4, 3, 2, 3}, 0);
}
END_TEST

static void refuses(const char *params, int c, int weights, ebb_status s, const char *words)
{
    conv_refuses(type, &(conv_row){params, 3, {c, 5, 5}, weights, 0}, s, words);
}

START_TEST(refusals)
{
    refuses("0=8 1=3 6=72 7=0", 8, 72, EBB_E_PARAM, "group is 0");
    refuses("0=8 1=3 6=72 7=-1", 8, 72, EBB_E_PARAM, "group is -1");
    refuses("0=8 1=3 6=72 7=7", 8, 72, EBB_E_PARAM, "num_output 8 is not a multiple of group 7");
    refuses("0=8 1=3 6=72 7=8", 7, 72, EBB_E_SHAPE, "has 7 channels, the weights are for 8");
    refuses("0=8 1=3 6=72 7=8 8=3", 8, 72, EBB_E_PARAM, "int8_scale_term is 3");
}
END_TEST

int main(void)
{
    return run_tests("convolutiondepthwise", (const test_entry[]){{"one_channel_each", one_channel_each},
                                                                  {"groups", groups},
                                                                  {"half_weights", half_weights},
                                                                  {"int8", int8},
                                                                  {"dynamic_weights", dynamic_weights},
                                                                  {"refusals", refusals},
                                                                  {0}});
}
