// SPDX-License-Identifier: BSD-3-Clause
// witness_test.c - the witness counts what it hands out, fails when told to, and agrees with the library on a
// whole inference.
#include "witness.h"
#include "blob.h"
#include "harness.h"
#include <string.h>

START_TEST(sums)
{
    witness w = WITNESS(.least = 100, .head = 28);
    const ebb_allocator a = witness_hooks(&w);
    void *small = a.get(a.user, 99, 64), *x = a.get(a.user, 128, 64), *y = a.get(a.user, 1028, 16);
    ck_assert_uint_eq((uintptr_t)x % 64, 0);
    memset(x, 1, 128), memset(y, 1, 1028), memset(small, 1, 99);
    a.put(a.user, x, 128);
    ck_assert(w.sum.live == 1000 && w.sum.peak == 1100 && w.sum.total == 1100 && w.sum.blocks == 2);
    witness_restart(&w);
    w.fail_at = 4;
    ck_assert_ptr_null(a.get(a.user, 1, 1));
    a.put(a.user, y, 1028), a.put(a.user, small, 99);
    const witness_count sum = witness_sum(&w);
    ck_assert(sum.live == 0 && sum.peak == 1000 && sum.total == 1100 && sum.blocks == 0 && sum.calls == 4);
}
END_TEST

// Two blobs of 40,000 bytes at a time, of three: each is far larger than any header.
START_TEST(agrees_with_the_library)
{
    static const char text[] = "7767517\n3 3\nInput a 0 1 a\nSoftmax b 1 1 a b\n"
                               "Pooling c 1 1 b c 0=1 1=3 3=1\n";
    witness w =
        WITNESS(.least = 20000, .head = (sizeof(ebb_storage) + EBB_ALIGN - 1) / EBB_ALIGN * EBB_ALIGN);
    const ebb_net_options opt = {.allocator = witness_hooks(&w)};
    ebb_net *net;
    ebb_extractor *x;
    ebb_error e;
    ebb_blob *a, *c;
    ebb_mem_count count[EBB_MEM_KINDS];
    ck_assert_int_eq(ebb_net_new(&opt, &net, &e), EBB_OK);
    ck_assert_int_eq(ebb_net_load_param_mem(net, text, strlen(text), &e), EBB_OK);
    ck_assert_int_eq(ebb_net_load_weights_mem(net, "", 0, &e), EBB_OK);
    ck_assert_int_eq(ebb_extractor_new(net, NULL, &x, &e), EBB_OK);
    const ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){1, 100, 100});
    ck_assert_int_eq(ebb_extractor_make(x, &d, &a, &e), EBB_OK);
    memset(ebb_blob_data(a), 0, 40000);
    ck_assert_int_eq(ebb_extractor_give(x, "a", a, &e), EBB_OK);
    ck_assert_int_eq(ebb_extractor_extract(x, "c", EBB_TAKE_PLANAR, &c, &e), EBB_OK);
    ebb_extractor_memory(x, count);
    ck_assert_uint_eq(count[EBB_MEM_BLOB].peak, witness_sum(&w).peak);
    ck_assert_uint_eq(count[EBB_MEM_BLOB].live, witness_sum(&w).live);
    ebb_blob_drop(c);
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
    ck_assert_uint_eq(witness_sum(&w).blocks, 0);
}
END_TEST

int main(void)
{
    return run_tests("witness", (const test_entry[]){{"sums", sums},
                                                     {"agrees_with_the_library", agrees_with_the_library},
                                                     {0}});
}
