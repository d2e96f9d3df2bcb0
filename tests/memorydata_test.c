// SPDX-License-Identifier: BSD-3-Clause
// memorydata_test.c - MemoryData: sizes, plain and tagged weights, and none at all.
#include "harness.h"

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)in;
    const int key[] = {2, 11, 1, 0};
    int rank = 0, dim[4];
    for (int i = 0; i < 4; i++)
        if (case_param(c, key[i], 0) > 0) dim[rank++] = (int)case_param(c, key[i], 0);
    if (rank == 0) dim[rank++] = 1;
    out[0] = tensor_new(rank, dim);
    for (size_t i = 0; c->weights[0].kind != W_END && i < tensor_count(out); i++) out[0].v[i] = w[0].v[i];
}

static void check(const char *params, weight_kind kind, size_t n)
{
    const layer_case c = {.type = "MemoryData",
                          .params = params,
                          .n_out = 1,
                          .reference = reference,
                          .weights = {{kind, n, 0, 0}}};
    layer_check(&c);
}

START_TEST(sizes)
{
    check("0=7", W_RAW, 7);
    check("0=3 1=5", W_RAW, 15);
    check("0=3 1=5 2=2", W_RAW, 30);
    check("0=3 1=1 11=5 2=2", W_RAW, 30);
    check("", W_END, 0);
}
END_TEST

START_TEST(tagged)
{
    check("0=3 1=5 21=0", W_F32, 15);
    check("0=3 1=5 21=0", W_F16, 15);
}
END_TEST

START_TEST(refusals)
{
    layer_case c = {.type = "MemoryData", .params = "0=3 2=5", .n_out = 1, .weights = {{W_RAW, 15, 0, 0}}};
    layer_refuses(&c, EBB_E_PARAM, "the sizes w 3, h 0, d 0, c 5 leave one out");
    c.params = "0=3 1=1 11=5";
    layer_refuses(&c, EBB_E_PARAM, "leave one out");
    c.params = "0=-3";
    layer_refuses(&c, EBB_E_PARAM, "w");
    c.params = "0=2147483647 1=2147483647 2=2147483647";
    layer_refuses(&c, EBB_E_PARAM, "more weights than memory can address");
}
END_TEST

int main(void)
{
    return run_tests("memorydata",
                     (const test_entry[]){{"sizes", sizes}, {"tagged", tagged}, {"refusals", refusals}, {0}});
}
