// SPDX-License-Identifier: BSD-3-Clause
// param_test.c - values become fields by the rows of the layer type.
#include "loading.h"
#include <math.h>

static ebb_net *probe_net(const char *values, log_text *log)
{
    char text[2000];
    snprintf(text, sizeof text, "7767517\n1 1\nProbe p 0 1 out %s\n", values);
    return net_of(text, log);
}

START_TEST(defaults)
{
    ebb_net *net = probe_net("", NULL);
    const probe *p = probe_of(net, 0);
    ck_assert(p->a == -7 && p->b == 0 && p->f == .25f && p->small == 3 && p->unit == 0);
    ck_assert(p->ints.n == 0 && p->floats.n == 0 && p->text == NULL);
    ck_assert(p->like_a == -7 && p->like_f == .25f);
    ebb_net_destroy(net);
    net = probe_net("0=5 2=1e3", NULL);
    ck_assert(probe_of(net, 0)->like_a == 5 && probe_of(net, 0)->like_f == 1000);
    ebb_net_destroy(net);
    net = probe_net("7=6 0=5", NULL);
    ck_assert(probe_of(net, 0)->like_a == 6 && probe_of(net, 0)->a == 5);
    ebb_net_destroy(net);
}
END_TEST

START_TEST(whole_numbers)
{
    static const struct {
        const char *value;
        int want;
    } t[] = {{"0=12", 12},
             {"0=-1", -1},
             {"0=+3", 3},
             {"0=3.0", 3},
             {"0=3e1", 30},
             {"0=3.000000e+00", 3},
             {"0=0x1F", 31},
             {"0=-0", 0},
             {"0=2147483647", INT32_MAX},
             {"0=-2147483648", INT32_MIN},
             {"0=000000000000000000000000000000000000004", 4},
             {"0=5,", 5},
             {"-23300=1,8", 8}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ebb_net *net = probe_net(t[i].value, NULL);
        ck_assert_msg(probe_of(net, 0)->a == t[i].want, "%s is %d", t[i].value, probe_of(net, 0)->a);
        ebb_net_destroy(net);
    }
}
END_TEST

START_TEST(floats)
{
    static const struct {
        const char *value;
        float want;
    } t[] = {{"2=1", 1},
             {"2=-2", -2},
             {"2=0.5", .5f},
             {"2=1.000000e-05", 1e-5f},
             {"2=inf", INFINITY},
             {"2=-inf", -INFINITY},
             {"2=0x1.8p3", 12},
             {"2=3.14159265358979323846264338327950288", 3.14159265f},
             {"2=16777217", 16777216},
             {"2=.5", .5f}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ebb_net *net = probe_net(t[i].value, NULL);
        ck_assert_msg(probe_of(net, 0)->f == t[i].want, "%s is %g", t[i].value, (double)probe_of(net, 0)->f);
        ebb_net_destroy(net);
    }
    ebb_net *net = probe_net("2=nan", NULL);
    ck_assert(isnan(probe_of(net, 0)->f));
    ebb_net_destroy(net);
}
END_TEST

START_TEST(arrays_old_and_new)
{
    static const struct {
        const char *value;
        int n, first, last;
    } t[] = {{"3=1,2,3", 3, 1, 3},     {"3=1,", 1, 1, 1},
             {"3=7", 1, 7, 7},         {"-23303=2,4,5", 2, 4, 5},
             {"-23303=0", 0, 0, 0},    {"-23303=1,9", 1, 9, 9},
             {"3=1.0,-2e0", 2, 1, -2}, {"-23303=3,1,2,3.0", 3, 1, 3},
             {"3=1,2,", 2, 1, 2}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        ebb_net *net = probe_net(t[i].value, NULL);
        const ebb_ints *v = &probe_of(net, 0)->ints;
        ck_assert_msg(v->n == t[i].n, "%s has %d elements", t[i].value, v->n);
        if (v->n) ck_assert(v->v[0] == t[i].first && v->v[v->n - 1] == t[i].last);
        ebb_net_destroy(net);
    }
    ebb_net *net = probe_net("4=1,2.5,-inf", NULL);
    const ebb_floats *f = &probe_of(net, 0)->floats;
    ck_assert(f->n == 3 && f->v[0] == 1 && f->v[1] == 2.5f && f->v[2] == -INFINITY);
    ebb_net_destroy(net);
    net = probe_net("-23304=2,1.000000e-01,2", NULL);
    f = &probe_of(net, 0)->floats;
    ck_assert(f->n == 2 && f->v[0] == .1f && f->v[1] == 2);
    ebb_net_destroy(net);
}
END_TEST

// A whole array where one number should stand is 0, as in ncnn; commas in the new form are a mistake.
START_TEST(arrays_in_place_of_numbers)
{
    static const struct {
        const char *value, *words;
    } t[] = {
        {"-23300=2,2,3",
         "param: layer 0 'p' (Probe): parameter 0 (a) is one number, but has an array of 2; it counts as 0"},
        {"-23302=3,1,2,3", "parameter 2 (f) is one number, but has an array of 3; it counts as 0"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        log_text log = {0};
        ebb_net *net = probe_net(t[i].value, &log);
        ck_assert(i == 0 ? probe_of(net, 0)->a == 0 : probe_of(net, 0)->f == 0);
        ck_assert_int_eq(log.lines, 1);
        ck_assert_msg(strstr(log.last, t[i].words) != NULL, "%s", log.last);
        ebb_net_destroy(net);
    }
}
END_TEST

START_TEST(the_last_of_two_counts)
{
    log_text log = {0};
    ebb_net *net = probe_net("0=1 3=4,5 0=2 -23303=1,6 1=9 0=3", &log);
    ck_assert(probe_of(net, 0)->a == 3 && probe_of(net, 0)->b == 9);
    ck_assert(probe_of(net, 0)->ints.n == 1 && probe_of(net, 0)->ints.v[0] == 6);
    ck_assert_int_eq(log.lines, 2);
    ck_assert_str_eq(
        log.last, "param: layer 0 'p' (Probe): parameter 3 stands there more than once; the last one counts");
    ebb_net_destroy(net);
}
END_TEST

START_TEST(wrong_values)
{
    static const struct {
        const char *value, *words;
    } t[] = {
        {"0=1.5", "param:3:19: layer 0 'p' (Probe): parameter 0 (a) is 1.5; it takes whole numbers"},
        {"0=abc", "param:3:19: layer 0 'p' (Probe): parameter 0 (a) has 'abc' where a number should stand"},
        {"0=1,2", "parameter 0 (a) is one number, but has 2"},
        {"-23300=0", "parameter 0 (a) is one number, but has 0"},
        {"-23306=2,1,2", "parameter 6 (small) is one number, but has 2"},
        {"2=2.f", "parameter 2 (f) has '2.f', a number as C spells it: write it without the 'f'"},
        {"0=5L", "parameter 0 (a) has '5L', a number as C spells it: write it without the 'L'"},
        {"4=1,1e-3F", "parameter 4 (floats) has '1e-3F', a number as C spells it"},
        {"2=f", "parameter 2 (f) has 'f' where a number should stand"},
        {"0=2147483648", "parameter 0 (a) is 2.14748e+09, which is no 32-bit integer"},
        {"0=1e40", "parameter 0 (a) is 1e+40, which is no 32-bit integer"},
        {"0=inf", "parameter 0 (a) is inf, which is no 32-bit integer"},
        {"0=nan", "is nan, which is no 32-bit integer"},
        {"0=\"1\"", "parameter 0 (a) is a string, but takes numbers"},
        {"2=1.2.3", "parameter 2 (f) has '1.2.3' where a number should stand"},
        {"3=1,,2", "param:3:21: layer 0 'p' (Probe): parameter 3 (ints) has '' where a number should stand"},
        {"3=1,x", "param:3:21: layer 0 'p' (Probe): parameter 3 (ints) has 'x' where"},
        {"3=1,2.5", "parameter 3 (ints) is 2.5; it takes whole numbers"},
        {"-23303=3,1,2", "the array of parameter 3 (ints) has 2 elements, but says 3"},
        {"-23303=1,1,2", "the array of parameter 3 (ints) has 2 elements, but says 1"},
        {"-23303=-1", "has 0 elements, but says -1"},
        {"-23303=1000000000,1", "has 1 elements, but says 1e+09"},
        {"-23303=x,1", "parameter 3 (ints) has 'x' where a number should stand"},
        {"-23305=1,1", "parameter 5 (text) takes a string, but has numbers"},
        {"6=0", "parameter 6 (small) is 0; it goes from 1 to 9"},
        {"6=10", "parameter 6 (small) is 10; it goes from 1 to 9"},
        {"9=1.5", "parameter 9 (unit) is 1.5; it goes from -1 to 1"},
        {"9=nan", "parameter 9 (unit) is nan; it goes from -1 to 1"},
        {"30=1,x", "parameter 30 (shape hints) has 'x' where a number should stand"},
        {"31=abc", "parameter 31 (feature mask) has 'abc' where a number should stand"},
        {"1=666", "param:3:1: layer 0 'p' (Probe): b is evil"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char text[200];
        snprintf(text, sizeof text, "7767517\n1 1\nProbe p 0 1 out %s\n", t[i].value);
        text_fails(text, strlen(text), EBB_E_PARAM, t[i].words);
    }
}
END_TEST

// A default out of range makes a parameter that must be given.
START_TEST(a_missing_value)
{
    static const ebb_param rows[] = {{.id = 2, .name = "size", .type = EBB_P_INT, .min = 1, .max = INT32_MAX},
                                     {0}};
    ebb_layer_type needy = probe_type;
    needy.name = "Needy", needy.params = rows, needy.init = NULL, needy.shape_only = NULL,
    needy.state_size = sizeof(int);
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    ck_assert_int_eq(ebb_net_add_layer(net, &needy, &e), EBB_OK);
    check_message(&e, load_text(net, "7767517\n1 1\nNeedy n 0 1 a 2=0\n", &e), EBB_E_PARAM,
                  "parameter 2 (size) is 0; the least is 1");
    ebb_net_clear(net);
    check_message(&e, load_text(net, "7767517\n1 1\nNeedy n 0 1 a\n", &e), EBB_E_PARAM,
                  "param:3:1: layer 0 'n' (Needy): parameter 2 (size) is missing");
    ebb_net_destroy(net);
}
END_TEST

START_TEST(a_long_array)
{
    enum { N = 20000 };
    char *text = malloc(20 * N);
    int at = sprintf(text, "7767517\n1 1\nProbe p 0 1 out -23303=%d", N);
    for (int i = 0; i < N; i++) at += sprintf(text + at, ",%d", i * 1000);
    ebb_net *net = net_of(text, NULL);
    ck_assert_int_eq(probe_of(net, 0)->ints.n, N);
    ck_assert_int_eq(probe_of(net, 0)->ints.v[N - 1], (N - 1) * 1000);
    ebb_net_destroy(net);
    free(text);
}
END_TEST

int main(void)
{
    return run_tests("param", (const test_entry[]){{"defaults", defaults},
                                                   {"whole_numbers", whole_numbers},
                                                   {"floats", floats},
                                                   {"arrays_old_and_new", arrays_old_and_new},
                                                   {"arrays_in_place_of_numbers", arrays_in_place_of_numbers},
                                                   {"the_last_of_two_counts", the_last_of_two_counts},
                                                   {"wrong_values", wrong_values},
                                                   {"a_missing_value", a_missing_value},
                                                   {"a_long_array", a_long_array},
                                                   {0}});
}
