// SPDX-License-Identifier: BSD-3-Clause
// number_test.c - numbers in text.
#include "harness.h"
#include "number.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ebb_number parse(const char *s)
{
    ebb_number x;
    ck_assert_msg(ebb_number_parse(s, strlen(s), &x), "'%s' is refused", s);
    return x;
}

START_TEST(whole_numbers)
{
    static const struct {
        const char *s;
        double d;
    } t[] = {{"0", 0},
             {"-0", 0},
             {"+5", 5},
             {"007", 7},
             {"-23300", -23300},
             {"2147483647", 2147483647.},
             {"-2147483648", -2147483648.},
             {"0x10", 16},
             {"-0xfF", -255},
             {"1e3", 1000},
             {"3.0", 3},
             {"3.", 3},
             {"30e-1", 3},
             {"16777217", 16777217.},
             {"00000000000000000000000000000000000000000000000000000000000000012", 12}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) ck_assert_msg(parse(t[i].s).d == t[i].d, "%s", t[i].s);
}
END_TEST

// Every spelling of a number that is not just digits, against the C library.
START_TEST(fractions_are_nearest)
{
    static const char *const t[] = {
        ".5",
        "-.25",
        "0.1",
        "1e-1",
        "1E+2",
        "3.402823e+38",
        "1.17549435e-38",
        "1e-45",
        "1.4e-45",
        "7e-46",
        "0x1.8p1",
        "0x1p-149",
        "0x.8",
        "0X1.921fb6P+1",
        "9.999999e-01",
        "2.5e-3",
        "1e400",
        "1e-400",
        "0e999999999999",
        "1e-999999999999",
        "123456789012345678901234567890",
        "6.02214076e23",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000012345678e80",
        "3.14159265358979323846264338327950288419716939937510"};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ck_assert_msg(parse(t[i]).f == strtof(t[i], NULL), "%s: %a instead of %a", t[i], parse(t[i]).f,
                      strtof(t[i], NULL));
        const double nearest = strtod(t[i], NULL), got = parse(t[i]).d;
        const double off = LDBL_MANT_DIG > DBL_MANT_DIG ? 0 : DBL_EPSILON * fabs(nearest);
        ck_assert_msg(got == nearest || fabs(got - nearest) <= off, "%s: %a instead of %a", t[i], got,
                      nearest);
    }
}
END_TEST

// Floats of all sizes come back from what %.9g and %a print of them.
START_TEST(printed_floats_come_back)
{
    unsigned s = 1;
    for (int i = 0; i < 20000; i++) {
        s = s * 1664525 + 1013904223;
        float f;
        memcpy(&f, &s, sizeof f);
        if (!isfinite(f)) continue;
        char text[64];
        snprintf(text, sizeof text, i % 2 ? "%.9g" : "%a", (double)f);
        const float got = parse(text).f;
        ck_assert_msg(!memcmp(&got, &f, sizeof f), "%s: %a", text, (double)got);
    }
}
END_TEST

START_TEST(infinities_and_nan)
{
    ck_assert(parse("inf").f == INFINITY && parse("-inf").f == -INFINITY && parse("+Infinity").d == INFINITY);
    ck_assert(isnan(parse("nan").f) && isnan(parse("-NaN").d));
}
END_TEST

START_TEST(a_million_digits)
{
    enum { N = 1000000 };
    char *s = malloc(N);
    memset(s, '9', N);
    ebb_number x;
    ck_assert(ebb_number_parse(s, N, &x) && x.f == INFINITY);
    s[1] = '.';
    ck_assert(ebb_number_parse(s, N, &x) && x.f == 10.f);
    memset(s, '0', N);
    s[1] = '.', s[N - 1] = '1';
    ck_assert(ebb_number_parse(s, N, &x) && x.f == 0.f);
    free(s);
}
END_TEST

START_TEST(others_are_refused)
{
    static const char *const t[] = {"",     "-",    "+",     ".",   "e5", "1e",       "1e+", "0x",
                                    "0xg",  "0x1p", "1.2.3", "--1", "1-", "1,2",      " 1",  "1 ",
                                    "infx", "in",   "nano",  "12a", "1f", "0x1.8p1z", "-e"};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ebb_number x;
        ck_assert_msg(!ebb_number_parse(t[i], strlen(t[i]), &x), "'%s' is taken", t[i]);
    }
}
END_TEST

int main(void)
{
    return run_tests("number", (const test_entry[]){{"whole_numbers", whole_numbers},
                                                    {"fractions_are_nearest", fractions_are_nearest},
                                                    {"printed_floats_come_back", printed_floats_come_back},
                                                    {"infinities_and_nan", infinities_and_nan},
                                                    {"a_million_digits", a_million_digits},
                                                    {"others_are_refused", others_are_refused},
                                                    {0}});
}
