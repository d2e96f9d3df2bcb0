// SPDX-License-Identifier: BSD-3-Clause
// draft_test.c - telling files apart by their first bytes, and layer types by name.
#include "loading.h"
#include "draft.h"

START_TEST(files_that_are_no_param)
{
    static const struct {
        const char *data;
        size_t n;
        const char *words;
    } t[] = {
        {"", 0, "param: the file is empty"},
        {"\n\n", 2, "param: the file is empty"},
        {"\xef\xbb\xbf", 3, "param: the file is empty"},
        {"hello", 5, "the file does not start with 7767517; it looks like text, but no .param"},
        {"7767485\n3 3\n", 12,
         "this is a .param of the old version 7767485; convert it again, to version 7767517"},
        {"\xbd\x85\x76\x00\x01\x00\x00\x00", 8, "this is a .param of the old version 7767485"},
        {"\x47\x6b\x30\x01\x00\x3c\x00\x3c", 8, "are .param and .bin interchanged?"},
        {"version https://git-lfs.github.com/spec/v1\n", 43, "a Git LFS pointer"},
        {"PK\x03\x04", 4, "a zip or PyTorch archive"},
        {"\x1f\x8b\x08", 3, "a gzip file"},
        {"<!DOCTYPE html>", 15, "a web page"},
        {"\x08\x07\x12", 3, "an ONNX file"},
        {"776751", 6, "text, but no .param"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) text_fails(t[i].data, t[i].n, EBB_E_FORMAT, t[i].words);
}
END_TEST

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
        const ebb_status s = ebb_draft_type(net, ebb_ncnn_type(i), &t, &e);
        if (s == EBB_OK)
            ck_assert_str_eq(t->name, ebb_ncnn_type(i));
        else
            check_message(&e, s, EBB_E_UNSUPPORTED, "of ncnn is not supported");
    }
    ebb_net_destroy(net);
}
END_TEST

START_TEST(long_paths_keep_their_end)
{
    ebb_error e = {0};
    char label[400];
    memset(label, 'd', sizeof label);
    strcpy(label + 380, "/net.param");
    const ebb_draft d = {.label = label, .data = "a\nbc", .bytes = 4};
    const ebb_status s = ebb_fail(&e, EBB_E_FORMAT, "wrong");
    ck_assert_int_eq(ebb_draft_place(&d, NULL, d.data + 3, s, &e), EBB_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "/net.param:2:2: wrong"));
    ck_assert_int_eq(ebb_draft_place(&d, NULL, d.data, EBB_E_FORMAT, NULL), EBB_E_FORMAT);
}
END_TEST

int main(void)
{
    return run_tests("draft", (const test_entry[]){{"files_that_are_no_param", files_that_are_no_param},
                                                   {"the_numbers_of_layer_types", the_numbers_of_layer_types},
                                                   {"types_by_name", types_by_name},
                                                   {"long_paths_keep_their_end", long_paths_keep_their_end},
                                                   {0}});
}
