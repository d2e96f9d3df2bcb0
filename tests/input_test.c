// SPDX-License-Identifier: BSD-3-Clause
// input_test.c - Input: hints of every rank, and the caller's shape against them.
#include "harness.h"
#include <stdio.h>
#include <string.h>

static ebb_net *load(const char *params)
{
    char text[200];
    ebb_net *net;
    ebb_error e = {0};
    snprintf(text, sizeof text, "7767517\n2 2\nInput in 0 1 x %s\nReLU relu 1 1 x y\n", params);
    ck_assert_int_eq(ebb_net_new(NULL, &net, NULL), EBB_OK);
    if (ebb_net_load_param_mem(net, text, strlen(text), &e) || ebb_net_load_weights_mem(net, "", 0, &e))
        ck_abort_msg("%s: %s", params, e.msg);
    return net;
}

START_TEST(hints_are_offered)
{
    static const struct { const char *params, *shape; } rows[] = {
        {"0=7", "7"}, {"0=7 1=5", "5x7"}, {"0=7 1=5 2=3", "3x5x7"}, {"0=7 1=5 11=2 2=3", "3x2x5x7"}};
    for (int i = 0; i < 4; i++) {
        ebb_net *net = load(rows[i].params);
        ebb_desc d;
        char text[64];
        ck_assert(ebb_net_input_hint(net, 0, &d));
        ck_assert_str_eq(ebb_desc_text(&d, text, sizeof text), rows[i].shape);
        ebb_net_destroy(net);
    }
    ebb_net *net = load("");
    ebb_desc d;
    ck_assert(!ebb_net_input_hint(net, 0, &d));
    ebb_net_destroy(net);
}
END_TEST

START_TEST(the_callers_shape_decides)
{
    ebb_net *net = load("0=7 1=5 2=3");
    ebb_extractor *x;
    ebb_blob *y;
    ebb_error e = {0};
    const float data[] = {1, -2};
    const ebb_desc d = ebb_desc_planar(EBB_F32, 1, (const int[]){2});
    ck_assert_int_eq(ebb_extractor_new(net, NULL, &x, &e), EBB_OK);
    ck_assert_int_eq(ebb_extractor_copy(x, "x", &d, data, &e), EBB_OK);
    ck_assert_int_eq(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &y, &e), EBB_OK);
    ck_assert_int_eq(ebb_blob_desc(y)->dim[0], 2);
    ck_assert(((const float *)ebb_blob_data(y))[0] == 1 && ((const float *)ebb_blob_data(y))[1] == 0);
    ebb_blob_drop(y);
    ebb_extractor_reset(x);
    ck_assert_int_ne(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &y, &e), EBB_OK);  // nothing was set
    ck_assert_ptr_nonnull(strstr(e.msg, "x"));
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
}
END_TEST

int main(void)
{
    return run_tests("input", (const test_entry[]){{"hints", hints_are_offered},
                                                   {"callers_shape", the_callers_shape_decides},
                                                   {0}});
}
