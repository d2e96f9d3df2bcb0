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

START_TEST(types_by_name)
{
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    for (int i = 0; ebb_ncnn_type(i); i++) {
        const ebb_layer_type *t = ebb_types_named(&net->types, ebb_ncnn_type(i));
        if (t) ck_assert_str_eq(t->name, ebb_ncnn_type(i));
        ck_assert_ptr_eq(ebb_types_numbered(&net->types, i), t);
        ck_assert(ebb_types_of_ncnn(ebb_ncnn_type(i)));
    }
    ck_assert(!ebb_types_of_ncnn("Probe"));
    ck_assert_str_eq(ebb_types_numbered(&net->types, EBB_CUSTOM)->name, "Probe");
    ck_assert_str_eq(ebb_types_numbered(&net->types, EBB_CUSTOM | 3)->name, "Constant");
    static const int none[] = {110, EBB_CUSTOM | 4, -1, INT32_MIN};
    for (int i = 0; i < 4; i++) ck_assert_ptr_null(ebb_types_numbered(&net->types, none[i]));
    ck_assert_str_eq(ebb_types_nearest(&net->types, "prob"), "Probe");
    ck_assert_str_eq(ebb_types_nearest(&net->types, "Convolutoin"), "Convolution");
    ck_assert_ptr_null(ebb_types_nearest(&net->types, "Xyzzyplugh"));
    ebb_net_destroy(net);
}
END_TEST

int main(void)
{
    return run_tests("types", (const test_entry[]){{"the_numbers_of_layer_types", the_numbers_of_layer_types},
                                                   {"types_by_name", types_by_name},
                                                   {0}});
}
