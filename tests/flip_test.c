// SPDX-License-Identifier: BSD-3-Clause
// flip_test.c - Flip.
#include "shapes.h"

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    double axes[4];
    bool backwards[4] = {false};
    const int n = case_array(c, 0, axes, 4);
    for (int i = 0; i < n; i++) backwards[axes[i] < 0 ? (int)axes[i] + in[0].rank : (int)axes[i]] = true;
    out[0] = tensor_new(in[0].rank, in[0].dim);
    for (size_t i = 0; i < tensor_count(&in[0]); i++) {
        int index[4];
        place_of(&in[0], i, index);
        for (int k = 0; k < in[0].rank; k++)
            if (backwards[k]) index[k] = in[0].dim[k] - 1 - index[k];
        *tensor_at_(&out[0], index) = in[0].v[i];
    }
}

static layer_case make(const char *params, const char *shape)
{
    layer_case c = {.type = "Flip", .params = params, .n_out = 1, .reference = reference};
    add_input(&c, shape);
    return c;
}

static void check(const char *params, const char *shape)
{
    const layer_case c = make(params, shape);
    layer_check(&c);
}

START_TEST(flip)
{
    check("", "3x5x7");
    check("-23300=1,0", "17");
    check("-23300=1,-1", "5x17");
    check("-23300=2,0,1", "5x17");
    check("-23300=1,0", "3x5x17");
    check("-23300=1,1", "3x5x17");
    check("-23300=2,0,-1", "3x5x17");
    check("0=0,1,2", "33x1x5");
    check("-23300=1,1", "3x2x5x7");
    check("-23300=4,0,1,2,3", "3x2x5x7");
    check("-23300=2,1,1", "3x5");
    check("-23300=2,0,1", "3x0x5");
}
END_TEST

START_TEST(whole_numbers_pass)
{
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        layer_case c = make("-23300=2,0,2", "3x5x7");
        c.in[0].dtype = (ebb_dtype)t;
        layer_check(&c);
    }
}
END_TEST

START_TEST(axes_that_do_not_exist_are_refused)
{
    layer_case c = make("-23300=1,2", "5x17");
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "axis");
    c.params = "-23300=1,-3";
    layer_refuses(&c, EBB_E_SHAPE, "axis");
}
END_TEST

int main(void)
{
    return run_tests("flip", (const test_entry[]){
                                 {"flip", flip},
                                 {"whole_numbers_pass", whole_numbers_pass},
                                 {"axes_that_do_not_exist_are_refused", axes_that_do_not_exist_are_refused},
                                 {0},
                             });
}
