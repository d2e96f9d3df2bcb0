// SPDX-License-Identifier: BSD-3-Clause
// fit_test.c - conversions: replaced, or for one read.
#include "order.h"
#include "small_layers.h"
#include "walk.h"
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

// The conversion that one input wants must not take the memory away that another one reads.
START_TEST(a_blob_that_a_layer_reads_twice_is_not_replaced)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    ck_assert_str_eq(trace_of("Input in 0 1 x\nFork f 1 1 x a\nBoth s 2 1 a a s\n", &d, ONE("s"), 1),
                     "alloc a 120 240\nread x 0\nrelease x 120 120\n"
                     "convert a one read 120 240\nalloc s 120 360\nrelease a 120 240\nread a 1\nread a 0\n"
                     "release a 120 120\n");
    // Also where other layers read it before and behind.
    const char *text =
        trace_of("Input in 0 1 x\nFork f 1 1 x a\nPlanar p 1 1 a p\nBoth s 2 1 a a s\nPixel q 1 1 a q\n", &d,
                 (const char *const[]){"p", "s", "q"}, 3);
    ck_assert_msg(strstr(text, "read a 3\nread p 0\nrelease p 120 120\nconvert a one read 120 240\n") != NULL,
                  "%s", text);
}
END_TEST

START_TEST(another_dtype_than_f32_is_for_one_read)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    ck_assert_str_eq(trace_of("Input in 0 1 x\nNarrow n 1 1 x n\n", &d, ONE("n"), 1),
                     "convert x one read 60 180\nalloc n 120 300\nrelease x 60 240\n"
                     "read x 0\nrelease x 120 120\n");
}
END_TEST

// Each layer that cannot make a view copies, in the order that its readers want.
START_TEST(copies_lie_as_their_readers_want)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){4, 2, 3});
    static const char net[] = "Input in 0 1 x\nPixel a 1 1 x a\nReshape r 1 1 a r 0=4 1=3 2=2\n"
                              "Pixel b 1 1 r b\nFork c 1 1 r c\nPlanar e 1 1 r e\n";
    static const char pixel_r[] = "alloc r 96 192\nread a 0\nrelease a 96 96\nalloc b 96 192\n";
    static const char planar_r[] = "alloc r 96 192\nread a 0\nrelease a 96 96\n"
                                   "convert r one read 96 192\nalloc b 96 288\n";
    ck_assert_ptr_nonnull(strstr(trace_of(net, &d, (const char *const[]){"b", "c"}, 2), pixel_r));
    ck_assert_ptr_nonnull(strstr(trace_of(net, &d, (const char *const[]){"b", "e"}, 2), planar_r));
    ck_assert_ptr_nonnull(strstr(trace_of(net, &d, ONE("b"), 1), planar_r));  // e may still be asked for
}
END_TEST

static void like(int rank, const int *dim, const ptrdiff_t *stride, const ptrdiff_t *want)
{
    ebb_desc d = ebb_desc_planar(EBB_F32, rank, dim), model = d;
    memcpy(model.stride, stride, sizeof *stride * (size_t)rank);
    ebb_fit_like(&d, &model);
    for (int i = 0; i < rank; i++) ck_assert_msg(d.stride[i] == want[i], "axis %d: %td", i, d.stride[i]);
}

START_TEST(the_same_order_without_gaps)
{
    like(3, (const int[]){4, 2, 3}, (const ptrdiff_t[]){100, 10, 1}, (const ptrdiff_t[]){6, 3, 1});
    like(3, (const int[]){4, 2, 3}, (const ptrdiff_t[]){1, 50, 5}, (const ptrdiff_t[]){1, 12, 4});
    like(3, (const int[]){4, 2, 3}, (const ptrdiff_t[]){10, 1, 100}, (const ptrdiff_t[]){2, 1, 8});
    like(3, (const int[]){4, 2, 3}, (const ptrdiff_t[]){0, 0, 0}, (const ptrdiff_t[]){6, 3, 1});
    like(1, (const int[]){7}, (const ptrdiff_t[]){3}, (const ptrdiff_t[]){1});
    const int dim[] = {4, 2, 3}, other[] = {4, 2, 5};
    ebb_desc d = ebb_desc_planar(EBB_F32, 3, other), model = ebb_desc_planar(EBB_F32, 3, dim), planar = d;
    ebb_desc pixel = d;
    ebb_desc_pixel_strides(&pixel);
    ebb_desc_pixel_strides(&model);
    ebb_fit_like(&d, &model);
    ck_assert_mem_eq(d.stride, pixel.stride, sizeof d.stride);
    ebb_desc_planar_strides(&model);
    ebb_fit_like(&d, &model);
    ck_assert_mem_eq(d.stride, planar.stride, sizeof d.stride);
}
END_TEST

// A part with gaps becomes one without, whatever its order.
START_TEST(what_is_converted_has_no_gaps)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 2, (const int[]){3, 64});
    ebb_net *net = small_net("Input in 0 1 x\nFork f 1 1 x a\n"
                             "Slice s 1 2 a b c -23300=2,1,-233 1=1\nNarrow n 1 1 b n\n",
                             NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_blob *n;
    give(x, "x", &d, 1);
    ck_assert_int_eq(ebb_extractor_extract(x, "n", EBB_TAKE_PLANAR, &n, NULL), EBB_OK);
    for (int i = 0; i < 3; i++) ck_assert_float_eq(ebb_f32(n)[i], 2.f + 64 * (float)i);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 2 * 3 * 64 * 4);
    ebb_blob_drop(n);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

START_TEST(integers_are_not_converted_by_themselves)
{
    ebb_net *net = small_net("Input in 0 1 x\nNarrow n 1 1 x n\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = ebb_desc_planar(EBB_I32, 1, (const int[]){3});
    ebb_blob *n;
    ebb_error e = {0};
    ck_assert_int_eq(ebb_extractor_copy(x, "x", &d, (const int[]){1, 2, 3}, NULL), EBB_OK);
    ck_assert_int_eq(ebb_extractor_extract(x, "n", EBB_TAKE_PLANAR, &n, &e), EBB_E_UNSUPPORTED);
    ck_assert_msg(strstr(e.msg, "i32 elements cannot be read here") != NULL, "%s", e.msg);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// A caller or a view still looks at the old order: it must stay, and is freed by whoever looks last.
START_TEST(what_others_hold_is_not_replaced)
{
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){5, 2, 3});
    const char *text = trace_of("Input in 0 1 x\nPlanar f 1 1 x f\nPixel p 1 1 f p\n", &d,
                                (const char *const[]){"f", "p"}, 2);
    ck_assert_msg(strstr(text, "convert f one read") && !strstr(text, "convert f replaced"), "%s", text);
    text = trace_of(
        "Input in 0 1 x\nPlanar f 1 1 x f\nSplit s 1 2 f f0 f1\nPixel p 1 1 f0 p\nPixel q 1 1 f1 q\n", &d,
        (const char *const[]){"p", "q"}, 2);
    ck_assert_msg(strstr(text, "convert f0 one read") && strstr(text, "convert f1 replaced"), "%s", text);
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("fit", (const test_entry[]){T(a_conversion_replaces_where_all_readers_agree),
                                                 T(a_conversion_copies_for_one_read_where_they_do_not),
                                                 T(a_blob_that_a_layer_reads_twice_is_not_replaced),
                                                 T(another_dtype_than_f32_is_for_one_read),
                                                 T(copies_lie_as_their_readers_want),
                                                 T(the_same_order_without_gaps),
                                                 T(what_is_converted_has_no_gaps),
                                                 T(integers_are_not_converted_by_themselves),
                                                 T(what_others_hold_is_not_replaced),
                                                 {0}});
}
