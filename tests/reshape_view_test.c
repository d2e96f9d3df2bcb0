// SPDX-License-Identifier: BSD-3-Clause
// reshape_view_test.c - which reshapes are views. What the views show is checked by the layers that make
// them.
#include "shapes.h"
#include "parts/reshape_view.h"
#include <stdio.h>
#include <string.h>

static ebb_desc desc(const char *shape, bool pixel)
{
    int dim[4];
    const int rank = read_shape(shape, dim);
    return pixel ? ebb_desc_pixel(EBB_F32, rank, dim) : ebb_desc_planar(EBB_F32, rank, dim);
}

// Strides of a view as text, or "copy".
static void check(const char *from, bool pixel, const char *to, const char *want)
{
    const ebb_desc x = desc(from, pixel);
    ebb_desc y = desc(to, false);
    char text[100] = "copy";
    if (ebb_reshape_view(&x, &y)) {
        size_t n = 0;
        for (int i = 0; i < y.rank; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, i ? ",%td" : "%td", y.stride[i]);
    }
    if (strcmp(text, want))
        ck_abort_msg("%s %s to %s: %s, want %s", pixel ? "pixel" : "planar", from, to, text, want);
}

START_TEST(planar_blobs_are_always_views)
{
    check("3x5x7", false, "105", "1");
    check("105", false, "3x5x7", "35,7,1");
    check("4x6", false, "3x8", "8,1");
    check("2x3x4x5", false, "6x20", "20,1");
    check("17", false, "1x17x1x1", "17,1,1,1");
}
END_TEST

START_TEST(pixels_are_views_while_axes_do_not_mix)
{
    check("3x5x7", true, "105", "copy");
    check("3x5x7", true, "3x35", "1,3");
    check("3x5x7", true, "15x7", "copy");
    check("6x5x7", true, "2x3x35", "3,1,6");
    check("17x1x1", true, "17", "1");
    check("1x5x7", true, "35", "1");
    check("3x5x7", true, "3x1x5x7", "1,1,21,3");
    check("3x5x7x2", true, "3x70", "1,3");
    check("5x7", true, "35", "copy");
    check("5x7", true, "5x7x1", "1,5,5");
}
END_TEST

START_TEST(gaps_are_views_while_rows_stay_whole)
{
    ebb_desc x = desc("3x5x7", false), y = desc("15x7", false);
    x.stride[1] = 8, x.stride[0] = 40;
    ck_assert(ebb_reshape_view(&x, &y));
    ck_assert_int_eq(y.stride[0], 8);
    ck_assert_int_eq(y.stride[1], 1);
    y = desc("105", false);
    ck_assert(!ebb_reshape_view(&x, &y));
    x.stride[0] = 50;
    y = desc("15x7", false);
    ck_assert(!ebb_reshape_view(&x, &y));
}
END_TEST

START_TEST(empty_blobs_are_views)
{
    check("0x5x7", true, "0", "1");
    check("3x0", false, "0x3x2", "6,2,1");
}
END_TEST

int main(void)
{
    return run_tests("reshape_view",
                     (const test_entry[]){
                         {"planar_blobs_are_always_views", planar_blobs_are_always_views},
                         {"pixels_are_views_while_axes_do_not_mix", pixels_are_views_while_axes_do_not_mix},
                         {"gaps_are_views_while_rows_stay_whole", gaps_are_views_while_rows_stay_whole},
                         {"empty_blobs_are_views", empty_blobs_are_views},
                         {0},
                     });
}
