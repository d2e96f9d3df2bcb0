// SPDX-License-Identifier: BSD-3-Clause
// concat_test.c - Concat.
#include "shapes.h"

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int rank = in[0].rank, given = (int)case_param(c, 0, 0), axis = given < 0 ? given + rank : given;
    int dim[4] = {0}, index[4];
    for (int i = 0; i < rank; i++) dim[i] = in[0].dim[i];
    for (int k = 1; k < c->n_in; k++) dim[axis] += in[k].dim[axis];
    out[0] = tensor_new(rank, dim);
    int at = 0;
    for (int k = 0; k < c->n_in; at += in[k].dim[axis], k++)
        for (size_t i = 0; i < tensor_count(&in[k]); i++) {
            size_t rest = i;
            for (int a = rank - 1; a >= 0; a--) {
                index[a] = (int)(rest % (size_t)in[k].dim[a]) + (a == axis ? at : 0);
                rest /= (size_t)in[k].dim[a];
            }
            *tensor_at_(&out[0], index) = in[k].v[i];
        }
}

static layer_case make(const char *params, const char *const *in)
{
    layer_case c = {.type = "Concat", .params = params, .n_out = 1, .reference = reference};
    while (*in) add_input(&c, *in++);
    return c;
}

#define CHECK(params, ...)                                                                                   \
    do {                                                                                                     \
        const layer_case c_ = make(params, (const char *const[]){__VA_ARGS__, NULL});                        \
        layer_check(&c_);                                                                                    \
    } while (0)
#define REFUSES(status, words, params, ...)                                                                  \
    do {                                                                                                     \
        layer_case c_ = make(params, (const char *const[]){__VA_ARGS__, NULL});                              \
        c_.reference = NULL;                                                                                 \
        layer_refuses(&c_, status, words);                                                                   \
    } while (0)

START_TEST(along_every_axis)
{
    CHECK("", "17", "5", "1");
    CHECK("0=0", "5x17", "3x17");
    CHECK("0=1", "5x17", "5x1", "5x33");
    CHECK("0=0", "3x5x7", "17x5x7", "1x5x7");
    CHECK("0=1", "3x5x7", "3x1x7");
    CHECK("0=2", "3x5x7", "3x5x17");
    CHECK("0=0", "3x2x5x7", "2x2x5x7");
    CHECK("0=1", "3x2x5x7", "3x4x5x7");
    CHECK("0=2", "3x2x5x7", "3x2x1x7");
    CHECK("0=3", "3x2x5x7", "3x2x5x3");
}
END_TEST

START_TEST(negative_axes)
{
    CHECK("0=-1", "5x17", "5x3");
    CHECK("0=-3", "3x5x7", "2x5x7");
    CHECK("0=-2", "3x2x5x7", "3x2x1x7");
}
END_TEST

START_TEST(many_and_few)
{
    CHECK("", "3x5x7");
    CHECK("0=-1", "0");
    CHECK("", "2x5", "2x5", "2x5", "2x5", "2x5", "2x5", "2x5", "2x5");
}
END_TEST

START_TEST(empty_inputs_add_nothing)
{
    CHECK("", "3x5x7", "0x5x7", "2x5x7");
    CHECK("0=1", "3x0x7", "3x0x7");
}
END_TEST

START_TEST(whole_numbers_pass)
{
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        layer_case c = make("0=1", (const char *const[]){"3x5x7", "3x2x7", NULL});
        c.in[0].dtype = c.in[1].dtype = (ebb_dtype)t;
        layer_check(&c);
    }
}
END_TEST

START_TEST(other_shapes_are_refused)
{
    REFUSES(EBB_E_SHAPE, "input 1 is 3x5x8, which does not continue 3x5x7 along axis 0", "", "3x5x7",
            "3x5x8");
    REFUSES(EBB_E_SHAPE, "the inputs are too long together for axis 0", "", "2147483647x0", "1x0");
    REFUSES(EBB_E_SHAPE, "input 2", "0=1", "3x5", "3x6", "4x5");
    REFUSES(EBB_E_SHAPE, "input 1 is 5x7", "", "3x5x7", "5x7");
    REFUSES(EBB_E_SHAPE, "axis", "0=3", "3x5x7", "3x5x7");
    layer_case c = make("", (const char *const[]){"3", "4", NULL});
    c.in[1].dtype = EBB_I32;
    c.reference = NULL;
    layer_refuses(&c, EBB_E_UNSUPPORTED, "i32");
}
END_TEST

int main(void)
{
    return run_tests("concat", (const test_entry[]){
                                   {"along_every_axis", along_every_axis},
                                   {"negative_axes", negative_axes},
                                   {"many_and_few", many_and_few},
                                   {"empty_inputs_add_nothing", empty_inputs_add_nothing},
                                   {"whole_numbers_pass", whole_numbers_pass},
                                   {"other_shapes_are_refused", other_shapes_are_refused},
                                   {0},
                               });
}
