// SPDX-License-Identifier: BSD-3-Clause
// identity_test.c - Split, Noop and DeepCopy.
#include "shapes.h"

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    for (int k = 0; k < c->n_out; k++) {
        const tensor *x = &in[c->n_in == 1 ? 0 : k];
        out[k] = tensor_new(x->rank, x->dim);
        for (size_t i = 0; i < tensor_count(x); i++) out[k].v[i] = x->v[i];
    }
}

static const char *const shapes[] = {"17", "1", "5x33", "3x17x5", "3x2x5x7", "0x5", "3x0x2"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

START_TEST(split)
{
    for (int i = 0; i < SHAPES; i++)
        for (int n = 1; n <= 8; n += 2) {
            layer_case c = {.type = "Split", .n_out = n, .reference = reference};
            add_input(&c, shapes[i]);
            layer_check(&c);
        }
}
END_TEST

START_TEST(whole_numbers_pass)
{
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        layer_case c = {.type = "Split", .n_out = 2, .reference = reference};
        add_input(&c, "3x5x7");
        c.in[0].dtype = (ebb_dtype)t;
        layer_check(&c);
    }
}
END_TEST

START_TEST(noop)
{
    layer_case c = {.type = "Noop", .reference = reference};
    for (int i = 0; i < SHAPES; i++) {
        add_input(&c, shapes[i]);
        c.n_out++;
        layer_check(&c);
    }
    c.n_out -= 2;  // the last inputs are only pulled
    layer_check(&c);
    c.n_in = 1;
    layer_refuses(&c, EBB_E_PARAM, "1 inputs and 5 outputs");
}
END_TEST

START_TEST(deepcopy)
{
    for (int i = 0; i < SHAPES; i++) {
        layer_case c = {.type = "DeepCopy", .n_out = 1, .reference = reference};
        add_input(&c, shapes[i]);
        layer_check(&c);
    }
}
END_TEST

int main(void)
{
    return run_tests("same", (const test_entry[]){
                                 {"split", split},
                                 {"whole_numbers_pass", whole_numbers_pass},
                                 {"noop", noop},
                                 {"deepcopy", deepcopy},
                                 {0},
                             });
}
