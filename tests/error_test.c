// SPDX-License-Identifier: BSD-3-Clause
// error_test.c - status names and messages.
#include "loading.h"
#include "error.h"

START_TEST(names)
{
    ck_assert_str_eq(ebb_status_name(EBB_OK), "EBB_OK");
    ck_assert_str_eq(ebb_status_name(EBB_E_SHAPE), "EBB_E_SHAPE");
    ck_assert_str_eq(ebb_status_text(EBB_E_DEVICE), "device failure");
    ck_assert_str_eq(ebb_status_name((ebb_status)999), "unknown status");
    ck_assert_str_eq(ebb_status_text((ebb_status)-1), "unknown status");
    ck_assert_int_gt((int)strlen(ebb_version()), 0);
}
END_TEST

static ebb_status tries(ebb_status s)
{
    EBB_TRY(s);
    return EBB_E_IO;
}

START_TEST(messages)
{
    ebb_error e = {0};
    ck_assert_int_eq(ebb_fail(&e, EBB_E_PARAM, "a %d\nb\rc", 5), EBB_E_PARAM);
    ck_assert_str_eq(e.msg, "a 5 b c");
    ck_assert(e.code == EBB_E_PARAM && e.line > 0 && strstr(e.file, "error_test.c"));
    ck_assert_int_eq(ebb_error_prefix(&e, EBB_E_PARAM, "layer %d: ", 3), EBB_E_PARAM);
    ck_assert_str_eq(e.msg, "layer 3: a 5 b c");
    ck_assert_int_eq(ebb_fail(NULL, EBB_E_IO, "x"), EBB_E_IO);
    ck_assert_int_eq(ebb_error_prefix(NULL, EBB_E_IO, "x"), EBB_E_IO);
    ck_assert_int_eq(tries(EBB_E_NAME), EBB_E_NAME);
    ck_assert_int_eq(tries(EBB_OK), EBB_E_IO);
}
END_TEST

START_TEST(long_messages_are_cut)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    text[1999] = 0;
    ebb_error e;
    ebb_fail(&e, EBB_E_IO, "%s", text);
    ck_assert_uint_eq(strlen(e.msg), sizeof e.msg - 1);
    for (int i = 0; i < 5; i++) ebb_error_prefix(&e, EBB_E_IO, "%s: ", text + 1700);
    ck_assert_uint_eq(strlen(e.msg), sizeof e.msg - 1);
}
END_TEST

int main(void)
{
    return run_tests("error", (const test_entry[]){{"names", names},
                                                   {"messages", messages},
                                                   {"long_messages_are_cut", long_messages_are_cut},
                                                   {0}});
}
