// SPDX-License-Identifier: BSD-3-Clause
// shufflechannel_test.c - ShuffleChannel.
#include "shapes.h"

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int channels = in[0].dim[0], given = (int)case_param(c, 0, 1);
    const int groups = case_param(c, 1, 0) != 0 ? channels / given : given;
    const size_t plane = channels ? tensor_count(&in[0]) / (size_t)channels : 0;
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (int k = 0; k < channels; k++) {
        const int members = channels / groups, to = k % members * groups + k / members;
        for (size_t i = 0; i < plane; i++) out[0].v[(size_t)to * plane + i] = in[0].v[(size_t)k * plane + i];
    }
}

static void check(const char *params, const char *shape)
{
    layer_case c = {.type = "ShuffleChannel", .params = params, .n_out = 1, .reference = reference};
    add_input(&c, shape);
    layer_check(&c);
}

static void refuses(const char *params, const char *shape, ebb_status s, const char *words)
{
    layer_case c = {.type = "ShuffleChannel", .params = params, .n_out = 1};
    add_input(&c, shape);
    layer_refuses(&c, s, words);
}

START_TEST(groups)
{
    check("", "5x3x7");
    check("0=2", "6x3x5");
    check("0=3", "33x5x3");
    check("0=5", "5x1x7");
    check("0=2", "34x3x5");
    check("0=2", "6x4x3x5");
    check("0=2", "0x3x5");
    check("0=2", "4x0x5");
}
END_TEST

START_TEST(reverse)
{
    check("0=2 1=1", "6x3x5");
    check("0=3 1=1", "33x5x3");
    check("0=3 1=1", "12x4x3x5");
    check("0=2 1=1", "0x3x5");
}
END_TEST

START_TEST(unequal_groups_are_refused)
{
    refuses("0=4", "6x3x5", EBB_E_SHAPE, "6 channels do not make 4 equal groups");
    refuses("0=0", "6x3x5", EBB_E_PARAM, "group");
    refuses("0=2", "6x5", EBB_E_SHAPE, "6x5");
}
END_TEST

int main(void)
{
    return run_tests("shufflechannel", (const test_entry[]){
                                           {"groups", groups},
                                           {"reverse", reverse},
                                           {"unequal_groups_are_refused", unequal_groups_are_refused},
                                           {0},
                                       });
}
