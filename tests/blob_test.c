// SPDX-License-Identifier: BSD-3-Clause
// blob_test.c - shapes, and who owns their storage.
#include "loading.h"

static ebb_desc desc(ebb_dtype t, int rank, int a, int b, int c, int d)
{
    return ebb_desc_planar(t, rank, (const int[]){a, b, c, d});
}

START_TEST(dense_strides)
{
    const int dim[] = {3, 4, 5};
    const ebb_desc p = ebb_desc_planar(EBB_F32, 3, dim), x = ebb_desc_pixel(EBB_F16, 3, dim);
    ck_assert(p.stride[0] == 20 && p.stride[1] == 5 && p.stride[2] == 1);
    ck_assert(x.stride[0] == 1 && x.stride[1] == 15 && x.stride[2] == 3);
    ck_assert_uint_eq(ebb_desc_order(&p), EBB_PLANAR);
    ck_assert_uint_eq(ebb_desc_order(&x), EBB_PIXEL);
    ck_assert(ebb_desc_dense(&p) && ebb_desc_dense(&x) && ebb_desc_same_shape(&p, &x));
    ck_assert(ebb_desc_bytes(&p) == 240 && ebb_desc_bytes(&x) == 120 && ebb_desc_span(&p) == 60 &&
              ebb_desc_count(&x) == 60);
    const ebb_desc line = ebb_desc_pixel(EBB_F32, 1, dim);
    ck_assert(line.rank == 1 && line.stride[0] == 1 && line.stride[1] == 0);
    const ebb_desc row = desc(EBB_F32, 1, 9, 0, 0, 0), column = desc(EBB_F32, 3, 7, 1, 1, 0),
                   none = ebb_desc_pixel(EBB_F32, 0, NULL);
    ck_assert_uint_eq(ebb_desc_order(&row), EBB_PLANAR | EBB_PIXEL);
    ck_assert_uint_eq(ebb_desc_order(&column), EBB_PLANAR | EBB_PIXEL);
    ck_assert_uint_eq(ebb_desc_order(&none), EBB_PLANAR | EBB_PIXEL);
    const ebb_desc steep = {.rank = 2, .dim = {3, 1}, .stride = {2, 9}},
                   flat = {.rank = 2, .dim = {1, 3}, .stride = {9, 2}};
    ck_assert_uint_eq(ebb_desc_order(&steep), EBB_PLANAR);
    ck_assert_uint_eq(ebb_desc_order(&flat), EBB_PIXEL);
    ck_assert(!ebb_desc_same_shape(&row, &column) && ebb_desc_count(&none) == 1);
}
END_TEST

START_TEST(holes_and_repeats)
{
    ebb_desc d = desc(EBB_F32, 2, 4, 5, 0, 0);
    d.stride[0] = 8;
    ck_assert(!ebb_desc_dense(&d));
    ck_assert_uint_eq(ebb_desc_span(&d), 29);
    d.stride[0] = 0;
    ck_assert(!ebb_desc_dense(&d));
    d.stride[0] = 1, d.stride[1] = 4;
    ck_assert(ebb_desc_dense(&d));
    d.dim[0] = 3, d.dim[1] = 2, d.stride[0] = 2, d.stride[1] = 1;
    ck_assert(ebb_desc_dense(&d));
    d.dim[0] = 2, d.dim[1] = 2, d.stride[0] = 1, d.stride[1] = 2;
    ck_assert(ebb_desc_dense(&d));
    d.stride[1] = 1;  // both step alike
    ck_assert(!ebb_desc_dense(&d));
    d.dim[1] = 1, d.stride[1] = 0;  // a step of an axis of one is not made
    ck_assert(ebb_desc_dense(&d));
    d.dim[1] = 3, d.stride[0] = 3, d.stride[1] = 0;
    ck_assert(!ebb_desc_dense(&d));
    d = (ebb_desc){.rank = 3, .dim = {3, 2, 4}, .stride = {8, 4, 1}};
    ck_assert(ebb_desc_dense(&d));
    d.stride[2] = 2;
    ck_assert(!ebb_desc_dense(&d));
    d = (ebb_desc){.rank = 1, .dim = {-1}, .stride = {1}};
    ck_assert(!ebb_desc_dense(&d));
}
END_TEST

START_TEST(sizes_of_zero_and_too_large)
{
    ebb_desc d = desc(EBB_F32, 3, 3, 0, 5, 0);
    const ebb_desc vast = {.rank = 2, .dim = {3, 0}, .stride = {PTRDIFF_MAX, PTRDIFF_MAX}};
    const ebb_desc negative = {.rank = 1, .dim = {-3}, .stride = {1}};
    ck_assert(ebb_desc_span(&vast) == 0 && ebb_desc_span(&negative) == SIZE_MAX);
    ck_assert(ebb_stride_mul(6, 7) == 42 && ebb_stride_mul(PTRDIFF_MAX, 2) == -2);
    ck_assert(ebb_desc_count(&d) == 0 && ebb_desc_bytes(&d) == 0 && ebb_desc_span(&d) == 0 &&
              ebb_desc_dense(&d));
    const int big = INT32_MAX;
    d = desc(EBB_I8, 4, big, big, big, big);
    ck_assert_uint_eq(ebb_desc_bytes(&d), SIZE_MAX);
    d = desc(EBB_F32, 2, big, big, 0, 0);
    ck_assert_uint_eq(ebb_desc_bytes(&d), SIZE_MAX);
    d = desc(EBB_F32, 2, -1, 0, 0, 0);
    ck_assert_uint_eq(ebb_desc_bytes(&d), SIZE_MAX);
    d = desc(EBB_F32, 4, 0, big, big, big);
    ck_assert_uint_eq(ebb_desc_bytes(&d), 0);
}
END_TEST

START_TEST(texts)
{
    char text[32], small[6];
    ebb_desc d = desc(EBB_F32, 3, 3, 227, 227, 0);
    ck_assert_str_eq(ebb_desc_text(&d, text, sizeof text), "3x227x227");
    ck_assert_str_eq(ebb_desc_text(&d, small, sizeof small), "3x227");
    const ebb_desc most = desc(EBB_F32, 4, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX);
    ck_assert_str_eq(EBB_SHAPE(&most), "2147483647x2147483647x2147483647x2147483647");
    ck_assert_msg(EBB_SHAPE(&d) != EBB_SHAPE(&most), "two shapes in one expression share their text");
    d.rank = 0;
    ck_assert_str_eq(ebb_desc_text(&d, text, sizeof text), "scalar");
    d.rank = -1;
    ck_assert_str_eq(ebb_desc_text(&d, text, sizeof text), "");
    text[0] = 'z';
    ebb_desc_text(&d, text, 0);  // no room at all: nothing is written
    ck_assert_int_eq(text[0], 'z');
    ck_assert_str_eq(ebb_dtype_name(EBB_BF16), "bf16");
    ck_assert_uint_eq(ebb_dtype_bytes(EBB_I8), 1);
    ck_assert_uint_eq(ebb_dtype_bytes(EBB_I32), 4);
}
END_TEST

static void count_free(void *user, ebb_storage *s)
{
    (void)s;
    ++*(int *)user;
}

START_TEST(the_last_reference_frees)
{
    meter m = {0};
    ebb_heap *s;
    ck_assert_int_eq(ebb_heap_new(&(ebb_allocator){meter_get, meter_put, &m}, &s, NULL), EBB_OK);
    int frees = 0, memory[4] = {1, 2, 3, 4};
    ebb_storage *own = ebb_storage_new(s, 100),
                *around = ebb_storage_around(s, memory, sizeof memory, false, count_free, &frees);
    ebb_storage *ghost = ebb_storage_ghost(s, 1 << 30, EBB_ON_DEVICE);
    ck_assert_uint_eq((uintptr_t)own->data % EBB_ALIGN, 0);
    ck_assert(own->writable && !around->writable && ghost->ghost && !ghost->data);
    const ebb_desc d = desc(EBB_I32, 1, 2, 0, 0, 0);
    ebb_blob *b = ebb_blob_handle(s, &d, around, 2);
    ck_assert_int_eq(ebb_storage_refs(around), 2);
    ebb_storage_drop(around);
    ck_assert_ptr_eq(ebb_blob_hold(b), b);
    ebb_blob_drop(b);
    ebb_heap_drop(s);  // storages and handles hold the heap
    ck_assert_int_eq(((int *)ebb_blob_data(b))[0], 3);
    ebb_blob_shrink(b, 0, 3);
    ck_assert_int_eq(ebb_blob_desc(b)->dim[0], 2);
    ebb_blob_shrink(b, 0, 0);
    ck_assert_int_eq(ebb_blob_desc(b)->dim[0], 0);
    ck_assert_int_eq(frees, 0);
    ebb_blob_drop(b);
    ck_assert_int_eq(frees, 1);
    ebb_storage_drop(ghost);
    ebb_storage_drop(own);
    ebb_storage_drop(NULL);
    ebb_blob_drop(NULL);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

START_TEST(without_memory)
{
    meter m = {0};
    ebb_heap *s;
    ck_assert_int_eq(ebb_heap_new(&(ebb_allocator){meter_get, meter_put, &m}, &s, NULL), EBB_OK);
    ck_assert_ptr_null(ebb_storage_new(s, SIZE_MAX));
    const ebb_desc d = desc(EBB_I32, 1, 2, 0, 0, 0);
    m.fail_at = m.calls + 1;
    ck_assert_ptr_null(ebb_storage_around(s, NULL, 0, true, NULL, NULL));
    m.fail_at = m.calls + 1;
    ck_assert_ptr_null(ebb_blob_handle(s, &d, NULL, 0));
    ebb_heap_drop(s);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

int main(void)
{
    return run_tests("blob",
                     (const test_entry[]){{"dense_strides", dense_strides},
                                          {"holes_and_repeats", holes_and_repeats},
                                          {"sizes_of_zero_and_too_large", sizes_of_zero_and_too_large},
                                          {"texts", texts},
                                          {"the_last_reference_frees", the_last_reference_frees},
                                          {"without_memory", without_memory},
                                          {0}});
}
