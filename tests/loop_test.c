// SPDX-License-Identifier: BSD-3-Clause
// loop_test.c - walking blobs together: every element once, the same place in all operands, few long runs.
#include "harness.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static ptrdiff_t element(const ebb_desc *d, const ebb_desc *shape, int i)
{
    ptrdiff_t at = 0;
    for (int axis = shape->rank - 1; axis >= 0; axis--) {
        if (d->dim[axis] != 1) at += i % shape->dim[axis] * d->stride[axis];
        i /= shape->dim[axis];
    }
    return at;
}

// Walks n blobs and compares with the places of a walk in c, h, w order. Returns the number of runs.
static int check_walk(int n, const ebb_desc *const *d)
{
    static int visits[ROOM];
    static ptrdiff_t place[EBB_LOOP_MAX][ROOM];  // by the offset in operand 0
    const int count = (int)ebb_desc_count(d[0]);
    memset(visits, 0, sizeof visits);
    for (int i = 0; i < count; i++) {
        const ptrdiff_t at = element(d[0], d[0], i);
        visits[at]--;
        for (int k = 0; k < n; k++) place[k][at] = element(d[k], d[0], i);
    }
    ebb_loop l;
    ebb_loop_init(&l, n, d);
    for (size_t run = 0; run < l.outer; run++) {
        ptrdiff_t at[EBB_LOOP_MAX];
        ebb_loop_at(&l, run, at);
        for (int i = 0; i < l.dim[l.rank - 1]; i++) {
            const ptrdiff_t first = at[0] + i * l.stride[0][l.rank - 1];
            if (first < 0 || first >= ROOM) ck_abort_msg("run %zu goes to offset %td", run, first);
            visits[first]++;
            for (int k = 0; k < n; k++)
                if (at[k] + i * l.stride[k][l.rank - 1] != place[k][first])
                    ck_abort_msg("operand %d is at %td, want %td", k, at[k] + i * l.stride[k][l.rank - 1],
                                 place[k][first]);
        }
    }
    for (int i = 0; i < ROOM; i++)
        if (visits[i]) ck_abort_msg("offset %d: %d visits too many", i, visits[i]);
    return (int)l.outer;
}

static ebb_desc desc(int rank, int a, int b, int c, int d, bool pixel)
{
    const int dim[] = {a, b, c, d};
    return pixel ? ebb_desc_pixel(EBB_F32, rank, dim) : ebb_desc_planar(EBB_F32, rank, dim);
}

START_TEST(equal_dense_blobs_are_one_run)
{
    for (int rank = 0; rank <= 4; rank++)
        for (int pixel = 0; pixel < 2; pixel++) {
            const ebb_desc a = desc(rank, 3, 5, 4, 2, pixel);
            ck_assert_int_eq(check_walk(3, (const ebb_desc *[]){&a, &a, &a}), 1);
        }
}
END_TEST

START_TEST(runs_follow_the_first_operand)
{
    const ebb_desc planar = desc(3, 3, 5, 7, 0, false), pixel = desc(3, 3, 5, 7, 0, true);
    ck_assert_int_eq(check_walk(2, (const ebb_desc *[]){&planar, &pixel}), 3);
    ck_assert_int_eq(check_walk(2, (const ebb_desc *[]){&pixel, &planar}), 35);
}
END_TEST

START_TEST(padded_rows_are_runs)
{
    ebb_desc a = desc(3, 3, 5, 7, 0, false);
    a.stride[1] = 9, a.stride[0] = 50;
    ck_assert_int_eq(check_walk(1, (const ebb_desc *[]){&a}), 15);
    const ebb_desc b = desc(3, 3, 5, 7, 0, false);
    ck_assert_int_eq(check_walk(2, (const ebb_desc *[]){&a, &b}), 15);
}
END_TEST

START_TEST(broadcast_operands_repeat)
{
    const ebb_desc a = desc(4, 3, 2, 5, 7, false);
    for (int ones = 0; ones < 16; ones++) {
        const ebb_desc b =
            desc(4, ones & 1 ? 1 : 3, ones & 2 ? 1 : 2, ones & 4 ? 1 : 5, ones & 8 ? 1 : 7, ones % 3);
        const ebb_desc c =
            desc(4, ones & 8 ? 1 : 3, ones & 4 ? 1 : 2, ones & 2 ? 1 : 5, ones & 1 ? 1 : 7, ones % 2);
        check_walk(4, (const ebb_desc *[]){&a, &b, &c, &a});
    }
    ebb_desc repeat = a;  // sizes as the first's, strides 0
    repeat.stride[1] = repeat.stride[2] = 0;
    check_walk(2, (const ebb_desc *[]){&a, &repeat});
}
END_TEST

START_TEST(axes_of_one_element_vanish)
{
    ebb_desc a = desc(4, 1, 6, 1, 5, false);
    a.stride[0] = 1, a.stride[2] = 999;
    ck_assert_int_eq(check_walk(2, (const ebb_desc *[]){&a, &a}), 1);
}
END_TEST

// Also of a single number: whoever looks for runs without gaps finds one.
START_TEST(a_single_number_is_a_run_without_gaps)
{
    for (int rank = 0; rank < 3; rank++) {
        ebb_desc a = desc(rank, 1, 1, 1, 0, false);
        a.stride[0] = 5, a.stride[1] = 7;
        ebb_loop l;
        ebb_loop_init(&l, 3, (const ebb_desc *[]){&a, &a, &a});
        ck_assert(l.rank == 1 && l.dim[0] == 1 && l.outer == 1);
        for (int k = 0; k < 3; k++) ck_assert_int_eq(ebb_loop_step(&l, k), 1);
        ck_assert_int_eq(l.stride[3][0], 0);
    }
}
END_TEST

START_TEST(empty_blobs_have_no_runs)
{
    for (int axis = 0; axis < 3; axis++) {
        ebb_desc a = desc(3, axis == 0 ? 0 : 3, axis == 1 ? 0 : 5, axis == 2 ? 0 : 7, 0, false);
        ck_assert_int_eq(check_walk(1, (const ebb_desc *[]){&a}), 0);
    }
}
END_TEST

START_TEST(permuted_strides_are_walked_in_memory_order)
{
    ebb_desc a = desc(4, 3, 2, 5, 7, false);
    const ptrdiff_t by_axis[] = {2, 1, 42, 6};  // in memory: axis 2, 3, 0, 1
    memcpy(a.stride, by_axis, sizeof by_axis);
    ck_assert_int_eq(check_walk(1, (const ebb_desc *[]){&a}), 1);
}
END_TEST

START_TEST(more_runs_than_an_int_counts)
{
    const ebb_desc d = {.rank = 3, .dim = {65536, 65536, 2}, .stride = {1, 3, 7}};
    ebb_loop l;
    ebb_loop_init(&l, 1, (const ebb_desc *[]){&d});
    if (sizeof(size_t) < 8) return;  // no such blob there
    ck_assert_uint_eq(l.outer, (size_t)((uint64_t)65536 * 2));
    const ebb_desc all = {.rank = 4, .dim = {65536, 65536, 2, 2}, .stride = {7, 3, 5, 1}};
    ebb_loop_init(&l, 1, (const ebb_desc *[]){&all});
    ck_assert_uint_eq(l.outer, (size_t)((uint64_t)65536 * 65536 * 2));
    ptrdiff_t at[EBB_LOOP_MAX];
    ebb_loop_at(&l, l.outer - 1, at);
    ck_assert_int_eq(at[0], 7 * (ptrdiff_t)65535 + 3 * (ptrdiff_t)65535 + 5);
}
END_TEST

START_TEST(strides_beside_an_empty_axis_mean_nothing)
{
    const ebb_desc d = {.rank = 3, .dim = {0, 65536, 65536}, .stride = {1, PTRDIFF_MAX, PTRDIFF_MAX / 2}};
    ebb_loop l;
    ebb_loop_init(&l, 1, (const ebb_desc *[]){&d});
    ck_assert_uint_eq(l.outer, 0);
}
END_TEST

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

static void check_stretches(const ebb_desc *d, int piece)
{
    const ebb_cpu cpu = {.threads = 1};
    ebb_loop l;
    ebb_loop_init(&l, 2, (const ebb_desc *[]){d, d});
    seen s = {.l = &l, .piece = piece, .visits = calloc(30000, sizeof *s.visits)};
    ck_assert_ptr_nonnull(s.visits);
    ebb_loop_run(&cpu, &l, piece, count, &s);
    size_t all = 0;
    for (int i = 0; i < 30000; i++) {
        if (s.visits[i] > 1) ck_abort_msg("offset %d was visited %d times", i, s.visits[i]);
        all += (size_t)s.visits[i];
    }
    ck_assert_uint_eq(all, ebb_desc_count(d));
    free(s.visits);
}

START_TEST(stretches_cover_every_element_once)
{
    static const int shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {1, 1, 9000}, {130, 3, 1}, {17, 0, 3}, {2, 40, 33}};
    static const int pieces[] = {1, 3, 16, 4096};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int p = 0; p < 4; p++)
            for (int pad = 0; pad < 3; pad++) {
                ebb_desc d = ebb_desc_planar(EBB_F32, 3, shapes[i]);
                d.stride[1] += pad;
                d.stride[0] = d.stride[1] * d.dim[1] + pad;
                check_stretches(&d, pieces[p]);
                d = ebb_desc_pixel(EBB_F32, 3, shapes[i]);
                d.stride[2] += pad;
                d.stride[1] = d.stride[2] * d.dim[2] + pad;
                check_stretches(&d, pieces[p]);
            }
}
END_TEST

START_TEST(rows_are_taken_off)
{
    ebb_desc d = desc(3, 3, 5, 7, 0, false);
    d.stride[1] = 9, d.stride[0] = 50;
    const ptrdiff_t guard = 77;
    ebb_loop l;
    ebb_loop_init(&l, 2, (const ebb_desc *[]){&d, &d});
    l.stride[2][0] = guard;
    ck_assert_int_eq(ebb_loop_take_row(&l), 7);
    ck_assert(l.rank == 2 && l.outer == 3 && l.dim[0] == 3 && l.dim[1] == 5);
    ck_assert(ebb_loop_step(&l, 0) == 9 && l.stride[1][0] == 50);
    ck_assert_int_eq(ebb_loop_take_row(&l), 5);
    ck_assert(l.rank == 1 && l.outer == 1 && l.dim[0] == 3 && ebb_loop_step(&l, 1) == 50);
    ck_assert_int_eq(ebb_loop_take_row(&l), 3);  // one row of nothing further is left
    ck_assert(l.rank == 1 && l.outer == 1 && l.dim[0] == 1);
    ck_assert(l.stride[0][0] == 0 && l.stride[1][0] == 0 && l.stride[2][0] == guard);
}
END_TEST

int main(void)
{
    return run_tests("loop", (const test_entry[]){
                                 {"equal_dense_blobs_are_one_run", equal_dense_blobs_are_one_run},
                                 {"runs_follow_the_first_operand", runs_follow_the_first_operand},
                                 {"padded_rows_are_runs", padded_rows_are_runs},
                                 {"broadcast_operands_repeat", broadcast_operands_repeat},
                                 {"axes_of_one_element_vanish", axes_of_one_element_vanish},
                                 {"a_single_number_is_a_run_without_gaps",
                                  a_single_number_is_a_run_without_gaps},
                                 {"empty_blobs_have_no_runs", empty_blobs_have_no_runs},
                                 {"permuted_strides_are_walked_in_memory_order",
                                  permuted_strides_are_walked_in_memory_order},
                                 {"more_runs_than_an_int_counts", more_runs_than_an_int_counts},
                                 {"strides_beside_an_empty_axis_mean_nothing",
                                  strides_beside_an_empty_axis_mean_nothing},
                                 {"stretches_cover_every_element_once", stretches_cover_every_element_once},
                                 {"rows_are_taken_off", rows_are_taken_off},
                                 {0},
                             });
}
