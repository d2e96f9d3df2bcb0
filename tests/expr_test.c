// SPDX-License-Identifier: BSD-3-Clause
// expr_test.c - shape expressions.
#include "parts/expr.h"
#include "harness.h"
#include "net.h"
#include <stdio.h>
#include <string.h>

// Input 0 is 3x2x5x7 (c, d, h, w), input 1 is 11x13.
static const ebb_desc inputs[] = {{.rank = 4, .dim = {3, 2, 5, 7}}, {.rank = 2, .dim = {11, 13}}};
static const ebb_shape_in shapes = {.n_in = 2, .n_out = 1, .in = inputs};

static ebb_status evaluate(const char *text, char *result, size_t room, ebb_error *e)
{
    ebb_net *net;
    ck_assert_int_eq(ebb_net_new(NULL, &net, NULL), EBB_OK);
    const ebb_init in = {.n_in = 2, .n_out = 1, .ctx = &net->arena};
    const ebb_expr *x;
    int v[EBB_EXPR_VALUES];
    size_t n = 0;
    ebb_status s = ebb_expr_compile(&in, text, &x, e);
    if (s == EBB_OK) s = ebb_expr_eval(x, &shapes, v, e);
    if (s == EBB_OK)
        for (int i = 0; i < ebb_expr_count(x); i++)
            n += (size_t)snprintf(result + n, room - n, i ? ",%d" : "%d", v[i]);
    ebb_net_destroy(net);
    return s;
}

static void check(const char *text, const char *want)
{
    char got[200] = "";
    ebb_error e = {0};
    if (evaluate(text, got, sizeof got, &e) != EBB_OK) ck_abort_msg("%s: %s", text, e.msg);
    if (strcmp(got, want)) ck_abort_msg("%s: got %s, want %s", text, got, want);
}

static void refuses(const char *text, ebb_status s, const char *words)
{
    char got[200];
    ebb_error e = {0};
    const ebb_status is = evaluate(text, got, sizeof got, &e);
    if (is != s || !strstr(e.msg, words))
        ck_abort_msg("%s: %s \"%s\", want %s", text, ebb_status_name(is), e.msg, words);
}

START_TEST(sizes_and_lists)
{
    check("0w,0h,0d,0c", "7,5,2,3");
    check("1w,1h,1d,1c", "13,11,1,1");
    check("0n", "1");
    check("-1", "-1");
    check("-1,*(0h,2),+(1c,2)", "-1,10,3");
    check("1,2,3,4,5,6,7,8", "1,2,3,4,5,6,7,8");
}
END_TEST

START_TEST(whole_numbers_stay_whole)
{
    check("+(0w,1),-(0w,9),*(0w,-3)", "8,-2,-21");
    check("//(0w,2),//(-7,2),%(7,3),%(-7,3)", "3,-3,1,2");
    check("max(0w,0h),min(0w,0h)", "7,5");
    check("abs(-5),neg(5),sign(-5),square(-5)", "5,-5,-1,25");
    check("trunc(5),floor(5),ceil(5),round(5)", "5,5,5,5");
    check("and(12,10),or(12,10),xor(12,10),lshift(3,4),rshift(48,4)", "8,14,6,48,3");
    check("*(1e3,2.0)", "2000");
    check("//(9.0,2.0)", "4");  // both are whole
    check("*(+(0w,1),-(//(0c,2),neg(0d)))", "24");
}
END_TEST

START_TEST(fractions)
{
    check("/(0w,2),/(-7,2)", "3,-3");
    check("round(/(0w,2)),ceil(/(0w,2)),floor(/(-7,2)),trunc(/(-7,2))", "4,4,-4,-3");
    check("//(7.5,2),//(-7.5,2)", "3,-4");
    check("*(0w,0.5),+(0.5,0.5)", "3,1");
    check("*(/(1,3),0c)", "1");
    check("sqrt(16),rsqrt(0.0625),reciprocal(0.25)", "4,4,4");
    check("pow(2,10),exp(0),log(1),log10(1000),round(*(erf(10),10))", "1024,1,0,3,10");
    check("sin(0),cos(0),tan(0),asin(0),acos(1),atan(0),atan2(0,1)", "0,1,0,0,0,0,0");
    check("sinh(0),cosh(0),tanh(0),asinh(0),acosh(1),atanh(0)", "0,1,0,0,0,0");
    check("fmod(7,4),fmod(-7,4),remainder(-7,4),round(logaddexp(0,0))", "3,-3,1,1");
    check("abs(-2.5),neg(2.5),sign(-2.5),square(1.5)", "2,-2,-1,2");
    check("max(2.5,1),min(2.5,1)", "2,1");
    check("2.75e0,-2.75,27.5e-1,+3", "2,-2,2,3");
}
END_TEST

START_TEST(malformed_text_is_refused)
{
    refuses("0w,", EBB_E_PARAM, "character 4: a value is missing");
    refuses(",0w", EBB_E_PARAM, "missing");
    refuses("+(0w)", EBB_E_PARAM, "'+' needs 2 arguments");
    refuses("+(0w,1", EBB_E_PARAM, "')'");
    refuses("+(0w,1,2)", EBB_E_PARAM, "')'");
    refuses("neg(1,2)", EBB_E_PARAM, "')'");
    refuses("+", EBB_E_PARAM, "'+' needs 2 arguments");
    refuses("0w)", EBB_E_PARAM, "')' where a ','");
    refuses("frobnicate(1)", EBB_E_PARAM, "'frobnicate' is no number");
    refuses("0x", EBB_E_PARAM, "'0x' is no number");
    refuses("1.2.3", EBB_E_PARAM, "'1.2.3'");
    refuses("1e", EBB_E_PARAM, "'1e'");
    refuses("1e+", EBB_E_PARAM, "'1e+'");
    refuses("-", EBB_E_PARAM, "'-' needs 2");
    refuses(".", EBB_E_PARAM, "'.'");
    refuses("2w", EBB_E_PARAM, "no input 2, the layer has 2");
    refuses("1,2,3,4,5,6,7,8,9", EBB_E_PARAM, "more than 8 values");
}
END_TEST

START_TEST(limits)
{
    char deep[1000] = "", wide[1000] = "";
    for (int i = 0; i < 40; i++) strcat(deep, "neg(");
    strcat(deep, "1");
    for (int i = 0; i < 40; i++) strcat(deep, ")");
    refuses(deep, EBB_E_PARAM, "nested");
    for (int i = 0; i < 30; i++) strcat(wide, "+(1,");
    strcat(wide, "1");
    for (int i = 0; i < 30; i++) strcat(wide, ")");
    check(wide, "31");
    char many[1000] = "", chain[300] = "";
    for (int i = 0; i < 10; i++) strcat(chain, "+(1,");
    strcat(chain, "1");
    for (int i = 0; i < 10; i++) strcat(chain, ")");
    for (int i = 0; i < 7; i++) sprintf(many + strlen(many), "%s%s", i ? "," : "", chain);
    refuses(many, EBB_E_PARAM, "more than 128");
}
END_TEST

START_TEST(impossible_numbers_are_refused)
{
    refuses("//(1,0)", EBB_E_SHAPE, "divides by zero");
    refuses("%(1,0)", EBB_E_SHAPE, "divides by zero");
    refuses("/(1,-(0w,7))", EBB_E_SHAPE, "divides by zero");
    refuses("fmod(1,0.0)", EBB_E_SHAPE, "divides by zero");
    refuses("square(1000000)", EBB_E_SHAPE, "no possible size");
    refuses("lshift(1,31)", EBB_E_SHAPE, "no possible size");
    refuses("lshift(1,32)", EBB_E_SHAPE, "by 32 bits");
    refuses("rshift(1,-1)", EBB_E_SHAPE, "by -1 bits");
    refuses("log(0)", EBB_E_SHAPE, "no possible size");
    refuses("sqrt(-1)", EBB_E_SHAPE, "no possible size");
    refuses("round(1e20)", EBB_E_SHAPE, "no possible size");
    refuses("and(1,2.5)", EBB_E_SHAPE, "whole numbers");
}
END_TEST

START_TEST(no_text_is_no_list)
{
    const ebb_init in = {0};
    const ebb_expr *x;
    ck_assert_int_eq(ebb_expr_compile(&in, NULL, &x, NULL), EBB_OK);
    ck_assert_int_eq(ebb_expr_count(x), 0);
    ck_assert_int_eq(ebb_expr_compile(&in, "", &x, NULL), EBB_OK);
    ck_assert_ptr_null(x);
}
END_TEST

int main(void)
{
    return run_tests("expr", (const test_entry[]){
                                 {"sizes_and_lists", sizes_and_lists},
                                 {"whole_numbers_stay_whole", whole_numbers_stay_whole},
                                 {"fractions", fractions},
                                 {"malformed_text_is_refused", malformed_text_is_refused},
                                 {"limits", limits},
                                 {"impossible_numbers_are_refused", impossible_numbers_are_refused},
                                 {"no_text_is_no_list", no_text_is_no_list},
                                 {0},
                             });
}
