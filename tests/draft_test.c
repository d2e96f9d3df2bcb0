// SPDX-License-Identifier: BSD-3-Clause
// draft_test.c - messages that say where in a file they belong.
#include "loading.h"
#include "draft.h"

START_TEST(long_paths_keep_their_end)
{
    ebb_error e = {0};
    char label[400];
    memset(label, 'd', sizeof label);
    strcpy(label + 380, "/net.param");
    const ebb_draft d = {.label = label, .data = "a\nbc", .bytes = 4};
    const ebb_status s = ebb_fail(&e, EBB_E_FORMAT, "wrong");
    ck_assert_int_eq(ebb_draft_place(&d, NULL, d.data + 3, s, &e), EBB_E_FORMAT);
    ck_assert_ptr_nonnull(strstr(e.msg, "/net.param:2:2: wrong"));
    ck_assert_int_eq(ebb_draft_place(&d, NULL, d.data, EBB_E_FORMAT, NULL), EBB_E_FORMAT);
}
END_TEST

int main(void)
{
    return run_tests("draft", (const test_entry[]){{"long_paths_keep_their_end", long_paths_keep_their_end}, {0}});
}
