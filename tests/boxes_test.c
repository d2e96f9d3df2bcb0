// SPDX-License-Identifier: BSD-3-Clause
// boxes_test.c - order and suppression of boxes, and reading in c, h, w order.
#include "parts/boxes.h"
#include "harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sorts boxes with these scores and labels 0, 1, 2 … and compares the labels.
static void check_order(int n, const float *scores, const int *want)
{
    ebb_box b[16];
    for (int i = 0; i < n; i++) b[i] = (ebb_box){.score = scores[i], .label = i};
    ebb_boxes_sort(b, n);
    for (int i = 0; i < n; i++)
        ck_assert_msg(b[i].label == want[i], "place %d of %d: box %d, not %d", i, n, b[i].label, want[i]);
}

START_TEST(order_of_few)
{
    check_order(0, NULL, NULL);
    check_order(1, (float[]){0.5f}, (int[]){0});
    check_order(2, (float[]){0.5f, 0.6f}, (int[]){1, 0});
    check_order(5, (float[]){0.1f, 0.5f, 0.2f, INFINITY, 0.3f}, (int[]){3, 1, 4, 2, 0});
}
END_TEST

// Worked out by hand: the partition swaps equal scores too.
START_TEST(order_of_equal_scores)
{
    check_order(2, (float[]){1, 1}, (int[]){1, 0});
    check_order(3, (float[]){1, 1, 1}, (int[]){2, 1, 0});
    check_order(4, (float[]){1, 1, 1, 1}, (int[]){2, 3, 0, 1});
    check_order(4, (float[]){1, 2, 2, 1}, (int[]){2, 1, 3, 0});
}
END_TEST

START_TEST(order_of_many)
{
    enum { N = 3000 };
    ebb_box *b = calloc(N, sizeof *b);
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < N; i++) {
            b[i].label = i;
            b[i].score = (float[]){(float)i, (float)-i, (float)(i * 7919 % N), (float)(i % 3)}[kind];
        }
        ebb_boxes_sort(b, N);
        char seen[N] = {0};
        for (int i = 0; i < N; i++) {
            if (i) ck_assert(b[i - 1].score >= b[i].score);
            ck_assert_int_eq(seen[b[i].label]++, 0);
        }
    }
    free(b);
}
END_TEST

START_TEST(suppression)
{
    // 1 covers half of 0 (overlap 1/2), 2 touches 0, 3 is inside of 2 (overlap 1/4), 4 has no size.
    const ebb_box all[] = {{0, 0, 2, 2, 0.9f, 0},
                           {0, 0, 2, 1, 0.8f, 1},
                           {2, 0, 4, 2, 0.7f, 2},
                           {2, 0, 3, 1, 0.6f, 3},
                           {1, 1, 1, 1, 0.5f, 4}};
    static const struct {
        float threshold;
        int n, label[5];
    } want[] = {
        {0.f, 3, {0, 2, 4}}, {0.25f, 4, {0, 2, 3, 4}}, {0.49f, 4, {0, 2, 3, 4}}, {0.5f, 5, {0, 1, 2, 3, 4}}};
    for (int i = 0; i < 4; i++) {
        ebb_box b[5];
        memcpy(b, all, sizeof b);
        ck_assert_int_eq(ebb_boxes_suppress(b, 5, want[i].threshold), want[i].n);
        for (int k = 0; k < want[i].n; k++) ck_assert_int_eq(b[k].label, want[i].label[k]);
    }
    ck_assert_int_eq(ebb_boxes_suppress(NULL, 0, 0.5f), 0);
}
END_TEST

// Boxes that are no numbers overlap nothing.
START_TEST(suppression_of_nan)
{
    ebb_box b[] = {{0, 0, 2, 2, 0.9f, 0}, {NAN, 0, 2, 2, 0.8f, 1}, {0, 0, 2, 2, 0.7f, 2}};
    ck_assert_int_eq(ebb_boxes_suppress(b, 3, 0.5f), 2);
    ck_assert_int_eq(b[1].label, 1);
}
END_TEST

START_TEST(linear_order)
{
    const int dim[] = {3, 2, 5};
    const ebb_desc planar = ebb_desc_planar(EBB_F32, 3, dim), pixel = ebb_desc_pixel(EBB_F32, 3, dim);
    for (size_t i = 0; i < 30; i++) {
        ck_assert_int_eq(ebb_element(&planar, i), (ptrdiff_t)i);
        ck_assert_int_eq(ebb_element(&pixel, i), (ptrdiff_t)(i % 5 * 3 + i / 5 % 2 * 15 + i / 10));
    }
    ck_assert_int_eq(ebb_element(&(ebb_desc){.rank = 1, .dim = {9}, .stride = {4}}, 5), 20);
    ck_assert_int_eq(ebb_element(&(ebb_desc){.rank = 0}, 0), 0);
    ck_assert_int_eq(ebb_width(&planar), 5);
    ck_assert_int_eq(ebb_height(&planar), 2);
    ck_assert_int_eq(ebb_height(&(ebb_desc){.rank = 1, .dim = {9}}), 1);
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"order_of_few", order_of_few},
        {"order_of_equal_scores", order_of_equal_scores},
        {"order_of_many", order_of_many},
        {"suppression", suppression},
        {"suppression_of_nan", suppression_of_nan},
        {"linear_order", linear_order},
        {0},
    };
    return run_tests("boxes", tests);
}
