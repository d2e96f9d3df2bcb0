// SPDX-License-Identifier: BSD-3-Clause
// order_test.c - copies between orders, shapes and dtypes, against an element by element walk.
#include "harness.h"
#include "order.h"
#include "threads.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Check's own assertions write to a pipe each time, which is too slow for millions of them.
#define CHECK(ok, ...)                                                                                       \
    do {                                                                                                     \
        if (!(ok)) ck_abort_msg(__VA_ARGS__);                                                                \
    } while (0)

// ------------------------------------------------------------------------------------------- numbers

static float from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

START_TEST(half_precision_numbers_are_what_they_say)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        const int exponent = (int)(h >> 10 & 31), mantissa = (int)(h & 1023);
        const double sign = h >> 15 ? -1 : 1, f = ebb_f16_to_f32((uint16_t)h);
        if (exponent == 31 && mantissa) {
            CHECK(isnan(f) && isnan(ebb_f16_to_f32(ebb_f32_to_f16((float)f))), "%04x: got %g, want NaN", h,
                  f);
            continue;
        }
        const double want = exponent == 31 ? sign * INFINITY
                            : exponent     ? sign * ldexp(1024 + mantissa, exponent - 25)
                                           : sign * ldexp(mantissa, -24);
        CHECK(f == want && signbit(f) == signbit(want), "%04x: got %g, want %g", h, f, want);
        CHECK(ebb_f32_to_f16((float)f) == h, "%04x: comes back as %04x", h, ebb_f32_to_f16((float)f));
    }
}
END_TEST

START_TEST(brain_floats_are_what_they_say)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        const float f = ebb_bf16_to_f32((uint16_t)h), want = from_bits(h << 16);
        const uint16_t back = ebb_f32_to_bf16(f);
        CHECK(isnan(want) ? isnan(f) : f == want && signbit(f) == signbit(want), "%04x: got %g", h,
              (double)f);
        CHECK(isnan(want) ? isnan(ebb_bf16_to_f32(back)) : back == h, "%04x: comes back as %04x", h, back);
    }
}
END_TEST

// Between two neighbours: below the middle down, above it up, in the middle to the even one.
static void check_rounding(uint16_t low, float (*widen)(uint16_t), uint16_t (*narrow)(float))
{
    const uint16_t high = low + 1;
    const double a = widen(low), b = isinf(widen(high)) ? 2 * a - (double)widen(low - 1) : widen(high);
    const float middle = (float)((a + b) / 2);
    CHECK(middle == (a + b) / 2, "no exact middle above %04x", low);
    CHECK(narrow(middle) == (low & 1 ? high : low), "%g: got %04x", (double)middle, narrow(middle));
    CHECK(narrow(nextafterf(middle, -INFINITY)) == low, "below %g: want %04x", (double)middle, low);
    CHECK(narrow(nextafterf(middle, INFINITY)) == high, "above %g: want %04x", (double)middle, high);
    CHECK(narrow(-middle) == (0x8000 | (low & 1 ? high : low)), "%g: got %04x", (double)-middle,
          narrow(-middle));
}

START_TEST(narrowing_rounds_to_nearest_even)
{
    for (uint32_t h = 1; h < 0x7c00; h++) check_rounding((uint16_t)h, ebb_f16_to_f32, ebb_f32_to_f16);
    for (uint32_t h = 1; h < 0x7f7f; h++) check_rounding((uint16_t)h, ebb_bf16_to_f32, ebb_f32_to_bf16);
    ck_assert_int_eq(ebb_f32_to_f16(1e30f), 0x7c00);
    ck_assert_int_eq(ebb_f32_to_f16(1e-30f), 0);
    ck_assert_int_eq(ebb_f32_to_f16(-1e-30f), 0x8000);
    ck_assert_int_eq(ebb_f32_to_bf16(3.4e38f), 0x7f80);
}
END_TEST

START_TEST(only_floats_convert)
{
    for (int a = EBB_F32; a <= EBB_I32; a++)
        for (int b = EBB_F32; b <= EBB_I32; b++)
            ck_assert_int_eq(ebb_order_can_convert((ebb_dtype)a, (ebb_dtype)b),
                             a == b || (a <= EBB_BF16 && b <= EBB_BF16));
}
END_TEST

// ------------------------------------------------------------------------------------------- copies

// Strides by the order of axes in memory (outermost first), with `gap` unused elements after each axis.
static void lay_out(ebb_desc *d, const int *axes, int step, int gap)
{
    ptrdiff_t at = step;
    for (int i = d->rank - 1; i >= 0; i--) {
        d->stride[axes[i]] = at;
        at = at * d->dim[axes[i]] + gap;
    }
}

static ptrdiff_t element(const ebb_desc *d, size_t i)
{
    ptrdiff_t at = 0;
    for (int axis = d->rank - 1; axis >= 0; axis--) {
        at += (ptrdiff_t)(i % (size_t)d->dim[axis]) * d->stride[axis];
        i /= (size_t)d->dim[axis];
    }
    return at;
}

// Small whole numbers, which every dtype holds.
static void put(ebb_dtype t, void *p, int v)
{
    const float f = (float)v;
    const uint16_t f16 = ebb_f32_to_f16(f), bf16 = ebb_f32_to_bf16(f);
    const int8_t i8 = (int8_t)v;
    const void *const from[] = {&f, &f16, &bf16, &i8, &v};
    memcpy(p, from[t], ebb_dtype_bytes(t));
}

enum { UNTOUCHED = 0x5a };

static void check_copy(const ebb_desc *to, const ebb_desc *from, ebb_pool *pool)
{
    const size_t cy = ebb_dtype_bytes(to->dtype), cx = ebb_dtype_bytes(from->dtype), n = ebb_desc_count(from);
    const size_t bytes = ebb_desc_span(to) * cy + 16;
    char *x = calloc(ebb_desc_span(from) + 1, cx), *y = malloc(bytes), *want = malloc(bytes);
    ck_assert_ptr_nonnull(x);
    ck_assert_ptr_nonnull(y);
    ck_assert_ptr_nonnull(want);
    memset(y, UNTOUCHED, bytes), memset(want, UNTOUCHED, bytes);
    for (size_t i = 0; i < n; i++) {
        put(from->dtype, x + element(from, i) * (ptrdiff_t)cx, (int)(i * 7 % 101));
        put(to->dtype, want + element(to, i) * (ptrdiff_t)cy, (int)(i * 7 % 101));
    }
    ebb_order_copy(to, y, from, x, pool, pool ? 2 : 1);
    char a[64], b[64];
    for (size_t i = 0; i < bytes; i++)
        CHECK(y[i] == want[i], "%s %s to %s %s, strides %td.. to %td..: byte %zu is %02x, want %02x",
              ebb_desc_text(from, a, sizeof a), ebb_dtype_name(from->dtype), ebb_desc_text(to, b, sizeof b),
              ebb_dtype_name(to->dtype), from->stride[0], to->stride[0], i, y[i] & 255, want[i] & 255);
    free(x), free(y), free(want);
}

static const int memory_orders[][4] = {{0, 1, 2, 3}, {1, 2, 3, 0}, {3, 2, 1, 0}, {2, 0, 3, 1}};

// The axes of memory order i for this rank.
static void axes_for(int rank, int i, int *axes)
{
    for (int k = 0, n = 0; k < 4; k++)
        if (memory_orders[i][k] < rank) axes[n++] = memory_orders[i][k];
}

static void check_layouts(ebb_desc to, ebb_desc from, ebb_pool *pool)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int gaps = 0; gaps < 4; gaps++) {
                int a[4], b[4];
                axes_for(to.rank, i, a), axes_for(from.rank, j, b);
                lay_out(&to, a, gaps == 3 ? 2 : 1, gaps & 1 ? 3 : 0);
                lay_out(&from, b, gaps == 3 ? 3 : 1, gaps & 2 ? 5 : 0);
                check_copy(&to, &from, pool);
            }
}

static ebb_desc shape(ebb_dtype t, const int *s)
{
    ebb_desc d = {.dtype = t};
    for (; d.rank < 4 && s[d.rank] >= 0; d.rank++) d.dim[d.rank] = s[d.rank];
    return d;
}

START_TEST(all_orders_of_one_shape)
{
    static const int shapes[][4] = {{17, -1},        {1, -1},          {5, 33, -1},  {3, 17, 19, -1},
                                    {33, 1, 18, -1}, {16, 16, 16, -1}, {7, 3, 5, 2}, {1, 1, 1, 1},
                                    {20, 2, 17, 16}, {4, 40, 50, -1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_layouts(shape(EBB_F32, shapes[i]), shape(EBB_F32, shapes[i]), NULL);
}
END_TEST

START_TEST(reshapes)
{
    static const int shapes[][2][4] = {
        {{24, -1}, {2, 3, 4, -1}},      {{2, 3, 4, -1}, {24, -1}},          {{6, 4, -1}, {2, 3, 4, -1}},
        {{4, 6, -1}, {3, 8, -1}},       {{5, 4, 3, 2}, {2, 3, 4, 5}},       {{35, 1, 6, -1}, {7, 5, 2, 3}},
        {{12, 10, -1}, {8, 15, -1}},    {{1, 24, 1, 1}, {24, -1}},          {{16, 9, 11, -1}, {16, 99, -1}},
        {{64, 48, 9, -1}, {27648, -1}}, {{3, 41, 67, -1}, {67, 41, 3, -1}}, {{4, 9, 16, 25}, {16, 9, 4, 25}},
        {{6, 6, 6, 6}, {3, 12, 3, 12}},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_layouts(shape(EBB_F32, shapes[i][0]), shape(EBB_F32, shapes[i][1]), NULL);
}
END_TEST

START_TEST(single_numbers)
{
    static const int none[] = {-1}, one[] = {1, 1, 1, 1};
    for (int i = 0; i < 4; i++) {
        ebb_desc to = shape(EBB_F32, i & 1 ? one : none), from = shape(EBB_F32, i & 2 ? one : none);
        for (int k = 0; k < 4; k++) to.stride[k] = 5 + k, from.stride[k] = 9 - k;
        float x = 3, y[2] = {7, 7};
        ebb_order_copy(&to, y, &from, &x, NULL, 1);
        ck_assert(y[0] == 3 && y[1] == 7);
    }
}
END_TEST

START_TEST(all_dtypes)
{
    static const int a[] = {5, 7, 19, -1}, b[] = {7, 95, -1};
    for (int to = EBB_F32; to <= EBB_I32; to++)
        for (int from = EBB_F32; from <= EBB_I32; from++) {
            if (!ebb_order_can_convert((ebb_dtype)to, (ebb_dtype)from)) continue;
            check_layouts(shape((ebb_dtype)to, a), shape((ebb_dtype)from, a), NULL);
            check_layouts(shape((ebb_dtype)to, b), shape((ebb_dtype)from, a), NULL);
        }
}
END_TEST

START_TEST(on_two_threads)
{
    static const int a[] = {33, 40, 51, -1}, b[] = {40, 33, 51, -1}, flat[] = {67320, -1};
    ebb_pool *pool;
    ck_assert_int_eq(ebb_pool_new(2, NULL, &pool, NULL), EBB_OK);
    check_layouts(shape(EBB_F32, a), shape(EBB_F32, a), pool);
    check_layouts(shape(EBB_F32, a), shape(EBB_F32, b), pool);
    check_layouts(shape(EBB_F16, flat), shape(EBB_F32, a), pool);
    ebb_pool_destroy(pool);
}
END_TEST

START_TEST(a_source_of_stride_0_repeats)
{
    const int dim[] = {5, 6, 7};
    for (int axis = 0; axis < 3; axis++) {
        const ebb_desc to = ebb_desc_pixel(EBB_F32, 3, dim);
        ebb_desc from = ebb_desc_planar(EBB_F32, 3, dim);
        from.stride[axis] = 0;
        float x[210], y[210];
        for (int i = 0; i < 210; i++) x[i] = (float)i;
        ebb_order_copy(&to, y, &from, x, NULL, 1);
        for (size_t i = 0; i < 210; i++) ck_assert_float_eq(y[element(&to, i)], x[element(&from, i)]);
    }
}
END_TEST

START_TEST(a_source_may_run_backwards)
{
    const int dim[] = {5, 6, 7};
    for (int axes = 0; axes < 8; axes++) {
        const ebb_desc to = ebb_desc_pixel(EBB_F32, 3, dim), forwards = ebb_desc_planar(EBB_F32, 3, dim);
        ebb_desc from = forwards;
        float x[210], y[210], *first = x;
        for (int i = 0; i < 210; i++) x[i] = (float)i;
        for (int i = 0; i < 3; i++)
            if (axes >> i & 1) first += (dim[i] - 1) * from.stride[i], from.stride[i] = -from.stride[i];
        ebb_copy(&(const ebb_cpu){.threads = 1}, &to, y, &from, first);
        for (size_t i = 0; i < 210; i++) ck_assert_float_eq(y[element(&to, i)], first[element(&from, i)]);
    }
}
END_TEST

START_TEST(nothing_is_copied_of_empty_blobs)
{
    static const int a[] = {0, 5, 3, -1}, b[] = {4, 0, -1};
    check_layouts(shape(EBB_F32, a), shape(EBB_F32, a), NULL);
    check_layouts(shape(EBB_F32, a), shape(EBB_F32, b), NULL);
}
END_TEST

int main(void)
{
    return run_tests(
        "order", (const test_entry[]){
                     {"half_precision_numbers_are_what_they_say", half_precision_numbers_are_what_they_say},
                     {"brain_floats_are_what_they_say", brain_floats_are_what_they_say},
                     {"narrowing_rounds_to_nearest_even", narrowing_rounds_to_nearest_even},
                     {"only_floats_convert", only_floats_convert},
                     {"all_orders_of_one_shape", all_orders_of_one_shape},
                     {"reshapes", reshapes},
                     {"single_numbers", single_numbers},
                     {"all_dtypes", all_dtypes},
                     {"on_two_threads", on_two_threads},
                     {"a_source_of_stride_0_repeats", a_source_of_stride_0_repeats},
                     {"a_source_may_run_backwards", a_source_may_run_backwards},
                     {"nothing_is_copied_of_empty_blobs", nothing_is_copied_of_empty_blobs},
                     {0},
                 });
}
