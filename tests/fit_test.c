// SPDX-License-Identifier: BSD-3-Clause
// fit_test.c - conversions: replaced, or for one read.
#include "small_layers.h"
#include <string.h>

START_TEST(a_conversion_replaces_where_all_readers_agree)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    ck_assert_str_eq(
        trace_of("Input in 0 1 x\nPixel a 1 1 x a\nPixel b 1 1 x b\nBinaryOp s 2 1 a b s\n", &d, ONE("s"), 1),
        "convert x replaced 120 240\nrelease x 120 120\n"
        "alloc a 120 240\nread x 1\nalloc b 120 360\nread x 0\nrelease x 120 240\n"
        "steal s from a 240\nread a 0\nrelease a 0 240\nread b 0\nrelease b 120 120\n"
        "convert s replaced 120 240\nrelease s 120 120\n");
}
END_TEST

START_TEST(a_conversion_copies_for_one_read_where_they_do_not)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    ck_assert_str_eq(trace_of("Input in 0 1 x\nPixel a 1 1 x a\nPlanar b 1 1 x b\nConcat s 2 1 a b s\n", &d,
                              (const char *const[]){"a", "b"}, 2),
                     "convert x one read 120 240\nalloc a 120 360\nrelease x 120 240\nread x 1\n"
                     "convert a replaced 120 360\nrelease a 120 240\nread a 0\nrelease a 120 120\n"
                     "alloc b 120 240\nread x 0\nrelease x 120 120\nread b 0\nrelease b 120 0\n");
}
END_TEST

int main(void)
{
#define T(f) {#f, f}
    return run_tests("fit", (const test_entry[]){T(a_conversion_replaces_where_all_readers_agree),
                                                 T(a_conversion_copies_for_one_read_where_they_do_not),
                                                 {0}});
}
