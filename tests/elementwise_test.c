// SPDX-License-Identifier: BSD-3-Clause
// elementwise_test.c - the walk that elementwise layers share: every element once, in stretches that fit.
#include "parts/elementwise.h"
#include "harness.h"
#include <stdatomic.h>
#include <stdlib.h>

typedef struct seen {
    const ebb_loop *l;
    int piece;
    atomic_int *visits;
} seen;

static void count(const void *ctx, const ptrdiff_t at[EBB_LOOP_MAX], size_t n, int worker)
{
    const seen *s = ctx;
    if (worker != 0 || n < 1 || n > (size_t)s->piece) ck_abort_msg("%zu elements for worker %d", n, worker);
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t a = at[0] + (ptrdiff_t)i * ebb_loop_step(s->l, 0),
                        b = at[1] + (ptrdiff_t)i * ebb_loop_step(s->l, 1);
        if (a != b) ck_abort_msg("operands are at %td and %td", a, b);
        atomic_fetch_add(&s->visits[a], 1);
    }
}

static void check_walk(const ebb_desc *d, int piece)
{
    const ebb_cpu cpu = {.threads = 1};
    ebb_loop l;
    ebb_loop_init(&l, 2, (const ebb_desc *[]){d, d});
    seen s = {.l = &l, .piece = piece, .visits = calloc(30000, sizeof *s.visits)};
    ck_assert_ptr_nonnull(s.visits);
    ebb_walk(&cpu, &l, piece, count, &s);
    size_t all = 0;
    for (int i = 0; i < 30000; i++) {
        if (s.visits[i] > 1) ck_abort_msg("offset %d was visited %d times", i, s.visits[i]);
        all += (size_t)s.visits[i];
    }
    ck_assert_uint_eq(all, ebb_desc_count(d));
    free(s.visits);
}

START_TEST(every_element_once)
{
    static const int shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {1, 1, 9000}, {130, 3, 1}, {17, 0, 3}, {2, 40, 33}};
    static const int pieces[] = {1, 3, 16, 4096};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int p = 0; p < 4; p++)
            for (int pad = 0; pad < 3; pad++) {
                ebb_desc d = ebb_desc_planar(EBB_F32, 3, shapes[i]);
                d.stride[1] += pad;
                d.stride[0] = d.stride[1] * d.dim[1] + pad;
                check_walk(&d, pieces[p]);
                d = ebb_desc_pixel(EBB_F32, 3, shapes[i]);
                d.stride[2] += pad;
                d.stride[1] = d.stride[2] * d.dim[2] + pad;
                check_walk(&d, pieces[p]);
            }
}
END_TEST

START_TEST(axes_are_found)
{
    int at;
    ck_assert(ebb_find_axis(0, 3, &at, NULL) == EBB_OK && at == 0);
    ck_assert(ebb_find_axis(2, 3, &at, NULL) == EBB_OK && at == 2);
    ck_assert(ebb_find_axis(-1, 3, &at, NULL) == EBB_OK && at == 2);
    ck_assert(ebb_find_axis(-3, 3, &at, NULL) == EBB_OK && at == 0);
    ck_assert(ebb_find_axis(-2, 1, &at, NULL) == EBB_OK && at == 0);
    ck_assert_int_eq(ebb_find_axis(3, 3, NULL, NULL), EBB_E_SHAPE);
    ck_assert_int_eq(ebb_find_axis(-4, 3, NULL, NULL), EBB_E_SHAPE);
}
END_TEST

int main(void)
{
    return run_tests(
        "elementwise",
        (const test_entry[]){{"every_element_once", every_element_once}, {"axes", axes_are_found}, {0}});
}
