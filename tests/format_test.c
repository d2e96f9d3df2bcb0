// SPDX-License-Identifier: BSD-3-Clause
// format_test.c - telling files apart by their first bytes.
#include "loading.h"

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

int main(void)
{
    return run_tests("format", (const test_entry[]){{"files_that_are_no_param", files_that_are_no_param}, {0}});
}
