// SPDX-License-Identifier: BSD-3-Clause
// names_test.c - blobs by name, and what is proposed for a name that is none.
#include "loading.h"

#define HEAD "7767517\n"

START_TEST(finding_blobs)
{
    ebb_net *net = net_of(
        HEAD "4 5\nInput in 0 1 data\nProbe conv 1 1 data #4\nProbe two 1 2 #4 x y\nProbe none 1 0 y\n",
        NULL);
    ebb_error e;
    ck_assert_int_eq(ebb_net_blob_index(net, "data", &e), 0);
    ck_assert_int_eq(ebb_net_blob_index(net, "#0", &e), 0);
    ck_assert_int_eq(ebb_net_blob_index(net, "#4", &e), 1);  // its name comes first
    ck_assert_int_eq(ebb_net_blob_index(net, "nothing", NULL), -1);
    static const struct {
        const char *name, *words;
    } t[] = {
        {"Data", "there is no blob 'Data'; the nearest is 'data'"},
        {"conv", "'conv' is a layer, not a blob; its output is '#4'"},
        {"two", "'two' is a layer, not a blob; its 2 outputs start with 'x'"},
        {"none", "'none' is a layer, not a blob, and it has no outputs"},
        {"something", "there is no blob 'something', and none with a similar name"},
        {"", "there is no blob ''"},
        {"#7", "there is no blob #7: they go from #0 to #3"},
        {"#99999999999999999999", "they go from #0 to #3"},
        {"#-1", "'#-1' is no blob: a blob's number is written like #7"},
        {"#1x", "'#1x' is no blob"},
        {"#", "'#' is no blob"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ck_assert_int_eq(ebb_net_blob_index(net, t[i].name, &e), -1);
        check_message(&e, e.code, EBB_E_NAME, t[i].words);
    }
    ebb_net_destroy(net);
}
END_TEST

int main(void)
{
    return run_tests("names", (const test_entry[]){{"finding_blobs", finding_blobs}, {0}});
}
