// SPDX-License-Identifier: BSD-3-Clause
// alloc_test.c - the heap and arenas.
#include "loading.h"

START_TEST(kinds_are_counted)
{
    meter m = {0};
    ebb_heap *s;
    ck_assert_int_eq(ebb_heap_new(&(ebb_allocator){meter_get, meter_put, &m}, &s, NULL), EBB_OK);
    void *a = ebb_heap_get(s, EBB_MEM_BLOB, 1000), *b = ebb_heap_zero(s, EBB_MEM_WEIGHT, 10, 20);
    void *c = ebb_heap_get_headed(s, 64, EBB_MEM_BLOB, 500), *d = ebb_heap_get(s, EBB_MEM_META, 0);
    ck_assert(a && b && c && d);
    ck_assert_uint_eq(((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % EBB_ALIGN, 0);
    for (int i = 0; i < 200; i++) ck_assert_int_eq(((char *)b)[i], 0);
    ebb_heap_put(s, EBB_MEM_BLOB, a, 1000);
    ebb_heap_put(s, EBB_MEM_BLOB, NULL, 77);
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_heap_count(s, count);
    ck_assert(count[EBB_MEM_BLOB].live == 500 && count[EBB_MEM_BLOB].peak == 1500 &&
              count[EBB_MEM_BLOB].count == 2);
    ck_assert(count[EBB_MEM_WEIGHT].live == 200 && count[EBB_MEM_META].live == 64 &&
              count[EBB_MEM_SCRATCH].live == 0);
    ebb_heap_put(s, EBB_MEM_WEIGHT, b, 200);
    ebb_heap_put_headed(s, 64, EBB_MEM_BLOB, c, 500);
    ebb_heap_put(s, EBB_MEM_META, d, 0);
    ebb_heap_hold(s);
    ebb_heap_drop(s);
    ck_assert_int_gt(m.live, 0);
    ebb_heap_drop(s);
    ebb_heap_drop(NULL);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

START_TEST(too_much)
{
    ebb_heap *s;
    ebb_error e;
    ck_assert_int_eq(ebb_heap_new(NULL, &s, &e), EBB_OK);
    ck_assert_ptr_null(ebb_heap_get(s, EBB_MEM_BLOB, SIZE_MAX));
    ck_assert_ptr_null(ebb_heap_zero(s, EBB_MEM_BLOB, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(ebb_heap_get_headed(s, 64, EBB_MEM_BLOB, SIZE_MAX));
    ebb_arena a = {.heap = s};
    ck_assert_ptr_null(ebb_arena_get(&a, SIZE_MAX));
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_heap_count(s, count);
    ck_assert(count[EBB_MEM_BLOB].live == 0 && count[EBB_MEM_BLOB].count == 0);
    ebb_heap_drop(s);
    meter m = {.fail_at = 1};
    check_message(&e, ebb_heap_new(&(ebb_allocator){meter_get, meter_put, &m}, &s, &e), EBB_E_NOMEM,
                  "memory counter");
    check_message(&e, ebb_heap_new(&(ebb_allocator){NULL, meter_put, &m}, &s, &e), EBB_E_PARAM,
                  "both hooks, get and put");
    ck_assert_uint_eq(ebb_size_add(SIZE_MAX - 1, 2), SIZE_MAX);
    ck_assert_uint_eq(ebb_size_mul(SIZE_MAX / 2, 3), SIZE_MAX);
    ck_assert_uint_eq(ebb_size_mul(6, 7), 42);
}
END_TEST

START_TEST(arenas)
{
    meter m = {0};
    ebb_heap *s;
    ck_assert_int_eq(ebb_heap_new(&(ebb_allocator){meter_get, meter_put, &m}, &s, NULL), EBB_OK);
    ebb_arena a = {.heap = s};
    char *last = NULL;
    for (size_t n = 0; n < 9000; n = n * 2 + 1) {
        char *p = ebb_arena_get(&a, n);
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++) ck_assert_int_eq(p[i], 0);
        memset(p, 1, n);
        last = p;
    }
    ck_assert_int_eq(last[0], 1);
    ck_assert_str_eq(ebb_arena_text(&a, "hello world", 5), "hello");
    m.fail_at = m.calls + 1;
    ck_assert_ptr_null(ebb_arena_text(&a, last, 8000));
    ebb_arena_free(&a);
    ck_assert_ptr_nonnull(ebb_arena_get(&a, 8));
    ebb_arena_free(&a);
    ebb_heap_drop(s);
    ck_assert_int_eq(m.live, 0);
}
END_TEST

int main(void)
{
    return run_tests("alloc", (const test_entry[]){{"kinds_are_counted", kinds_are_counted},
                                                   {"too_much", too_much},
                                                   {"arenas", arenas},
                                                   {0}});
}
