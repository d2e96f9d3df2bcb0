// SPDX-License-Identifier: BSD-3-Clause
// types_test.c - layer types by name and by number.
#include "loading.h"

START_TEST(the_numbers_of_layer_types)
{
    ck_assert_str_eq(ebb_ncnn_type(0), "AbsVal");
    ck_assert_str_eq(ebb_ncnn_type(6), "Convolution");
    ck_assert_str_eq(ebb_ncnn_type(16), "Input");
    ck_assert_str_eq(ebb_ncnn_type(50), "Interp");
    ck_assert_str_eq(ebb_ncnn_type(79), "MultiHeadAttention");
    ck_assert_str_eq(ebb_ncnn_type(109), "RotaryEmbed");
    ck_assert_ptr_null(ebb_ncnn_type(110));
    ck_assert_ptr_null(ebb_ncnn_type(-1));
}
END_TEST

// Every built-in type is found; those of ncnn that are not built in say so.
START_TEST(types_by_name)
{
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    for (int i = 0; ebb_ncnn_type(i); i++) {
        const ebb_layer_type *t;
        const ebb_status s = ebb_types_find(&net->types, ebb_ncnn_type(i), &t, &e);
        if (s == EBB_OK)
            ck_assert_str_eq(t->name, ebb_ncnn_type(i));
        else
            check_message(&e, s, EBB_E_UNSUPPORTED, "of ncnn is not supported");
    }
    ebb_net_destroy(net);
}
END_TEST

int main(void)
{
    return run_tests("types", (const test_entry[]){{"the_numbers_of_layer_types", the_numbers_of_layer_types},
                                                   {"types_by_name", types_by_name},
                                                   {0}});
}
