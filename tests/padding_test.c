// SPDX-License-Identifier: BSD-3-Clause
// padding_test.c - Padding.
#include "shapes.h"
#include <math.h>

// The element that position i of a padded axis shows, -1: the constant.
static int source(int type, int i, int n)
{
    if (i >= 0 && i < n) return i;
    if (type == 1) return i < 0 ? 0 : n - 1;
    if (type == 2) return i < 0 ? -i : 2 * (n - 1) - i;
    return -1;
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    static const int before_ids[] = {2, 0, 7}, after_ids[] = {3, 1, 8};  // of w, h, and c or d
    const int rank = in[0].rank, type = (int)case_param(c, 4, 0);
    const bool by_channel = case_param(c, 6, 0) != 0 && rank >= 3;
    int before[4] = {0}, dim[4], index[4];
    for (int i = 0; i < rank; i++) {
        const int inner = rank - 1 - i;
        before[i] = inner < 3 ? (int)case_param(c, before_ids[inner], 0) : 0;
        dim[i] = in[0].dim[i] + before[i] + (inner < 3 ? (int)case_param(c, after_ids[inner], 0) : 0);
    }
    out[0] = tensor_new(rank, dim);
    for (size_t i = 0; i < tensor_count(&out[0]); i++) {
        bool inside = true;
        place_of(&out[0], i, index);
        const int channel = index[0];
        for (int k = 0; k < rank; k++) {
            index[k] = source(type, index[k] - before[k], in[0].dim[k]);
            inside &= index[k] >= 0;
        }
        out[0].v[i] = inside       ? *tensor_at_(&in[0], index)
                      : by_channel ? weights[0].v[channel]
                                   : case_param(c, 5, 0);
    }
}

static layer_case make(const char *params, const char *shape)
{
    layer_case c = {.type = "Padding", .params = params, .n_out = 1, .reference = reference};
    const int n = (int)case_param(&c, 6, 0);
    if (n) c.weights[0].kind = W_RAW, c.weights[0].n = (size_t)n;
    add_input(&c, shape);
    return c;
}

static void check(const char *params, const char *shape)
{
    const layer_case c = make(params, shape);
    layer_check(&c);
}

static void refuses(const char *params, const char *shape, ebb_status s, const char *words)
{
    layer_case c = make(params, shape);
    c.reference = NULL;
    layer_refuses(&c, s, words);
}

START_TEST(no_border_is_a_view)
{
    check("", "3x5x7");
    check("4=2", "17");
    check("6=3", "3x5x7");
}
END_TEST

START_TEST(constant)
{
    check("2=2 3=3 5=-3.5", "17");
    check("0=1 1=2 2=3 3=4", "5x7");
    check("0=1 1=2 2=3 3=4 5=1.25", "3x5x17");
    check("0=1 1=2 2=3 3=4 7=2 8=1 5=1.25", "3x5x7");
    check("7=2 8=1 5=-1.0", "33x5x3");
    check("0=1 3=4 7=2 8=1", "3x2x5x7");
    check("0=1 1=1 5=2.0", "3x0x5");
    check("0=9 5=2.0", "1x1x1");
}
END_TEST

START_TEST(constant_by_channel)
{
    check("0=1 1=2 2=3 3=4 6=3", "3x5x7");
    check("7=1 8=2 6=6", "3x5x7");
    check("0=1 1=1 7=1 8=2 6=3", "3x4x5x7");
    check("0=1 1=1 5=0.5 6=3", "3x5");  // rows are no channels
}
END_TEST

START_TEST(edge)
{
    check("2=2 3=3 4=1", "17");
    check("0=1 1=2 2=3 3=4 4=1", "5x7");
    check("0=1 1=2 2=3 3=4 4=1", "17x5x3");
    check("0=6 1=2 2=3 3=9 7=4 8=1 4=1", "3x5x7");
    check("0=1 3=4 7=2 8=3 4=1", "3x2x5x7");
    check("0=3 1=3 2=3 3=3 4=1", "1x1x1");
    check("0=1 4=1", "0x5x7");
}
END_TEST

START_TEST(reflect)
{
    check("2=2 3=3 4=2", "17");
    check("0=1 1=2 2=3 3=4 4=2", "5x7");
    check("0=1 1=2 2=3 3=4 4=2", "17x5x7");
    check("0=4 1=4 2=6 3=6 7=2 8=2 4=2", "3x5x7");
    check("0=1 3=4 7=1 8=1 4=2", "3x2x5x7");
}
END_TEST

START_TEST(whole_numbers)
{
    for (int t = EBB_I8; t <= EBB_I32; t++)
        for (int type = 0; type < 3; type++) {
            static const char *const params[] = {"0=1 2=2 5=-3.0", "0=1 2=2 4=1", "0=1 2=2 4=2"};
            layer_case c = make(params[type], "3x5x7");
            c.in[0].dtype = (ebb_dtype)t;
            layer_check(&c);
        }
}
END_TEST

START_TEST(not_a_number_is_a_value)
{
    layer_case c = make("0=1 2=1 5=nan", "3x5");
    layer_check(&c);
}
END_TEST

START_TEST(impossible_borders_are_refused)
{
    refuses("2=17 4=2", "17", EBB_E_SHAPE, "a border of 17 cannot come from the 17 elements of axis 0");
    refuses("0=1 4=1", "3x0x5", EBB_E_SHAPE, "from the 0 elements of axis 1");
    refuses("2=2147483647", "17", EBB_E_SHAPE, "too long");
    refuses("2=-1", "17", EBB_E_PARAM, "left");
    refuses("4=3", "17", EBB_E_PARAM, "type");
    refuses("0=1 6=4", "3x5x7", EBB_E_SHAPE, "4 values for 3 channels");
    refuses("0=-233 1=-233 2=-233 3=-233", "17", EBB_E_UNSUPPORTED, "its borders are numbers in input 1");
    layer_case two = make("2=1", "17");
    two.n_in = 2, two.reference = NULL;
    two.in[1].rank = 1, two.in[1].dim[0] = 4;
    layer_refuses(&two, EBB_E_UNSUPPORTED, "write them as 0=top");
    layer_case c = make("0=1 6=3", "3x5x7");
    c.in[0].dtype = EBB_I8;
    c.reference = NULL;
    layer_refuses(&c, EBB_E_UNSUPPORTED, "values per channel are for floats");
}
END_TEST

int main(void)
{
    return run_tests("padding", (const test_entry[]){
                                    {"no_border_is_a_view", no_border_is_a_view},
                                    {"constant", constant},
                                    {"constant_by_channel", constant_by_channel},
                                    {"edge", edge},
                                    {"reflect", reflect},
                                    {"whole_numbers", whole_numbers},
                                    {"not_a_number_is_a_value", not_a_number_is_a_value},
                                    {"impossible_borders_are_refused", impossible_borders_are_refused},
                                    {0},
                                });
}
