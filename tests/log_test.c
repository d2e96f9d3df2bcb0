// SPDX-License-Identifier: BSD-3-Clause
// log_test.c - lines for the caller's log.
#include "loading.h"

START_TEST(lines)
{
    log_text text = {0};
    const ebb_log log = {log_line, &text}, silent = {0};
    ebb_log_say(&log, EBB_LOG_INFO, "%s has %d", "x", 3);
    ck_assert_str_eq(text.last, "x has 3");
    char many[2000];
    memset(many, 'm', sizeof many - 1), many[sizeof many - 1] = 0;
    ebb_log_say(&log, EBB_LOG_WARNING, "%s", many);
    ck_assert_uint_eq(strlen(text.last), 511);
    ebb_log_say(&silent, EBB_LOG_WARNING, "%s", many);
    ck_assert_int_eq(text.lines, 2);
}
END_TEST

int main(void) { return run_tests("log", (const test_entry[]){{"lines", lines}, {0}}); }
