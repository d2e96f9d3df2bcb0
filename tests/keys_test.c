// SPDX-License-Identifier: BSD-3-Clause
// keys_test.c - parameters that a layer type does not know: refused, ignored when told so, or known to change
// nothing.
#include "loading.h"

// A net of one layer behind an input; NULL with *e when it does not load.
static ebb_net *load_layer(const char *layer, bool lenient, log_text *log, ebb_error *e)
{
    char text[200];
    ebb_net *net;
    const ebb_net_options opt = {.lenient = lenient, .log = log_line, .log_user = log};
    snprintf(text, sizeof text, "7767517\n2 2\nInput in 0 1 x\n%s\n", layer);
    ck_assert_int_eq(ebb_net_new(&opt, &net, e), EBB_OK);
    if (load_text(net, text, e) == EBB_OK) return net;
    ebb_net_destroy(net);
    return NULL;
}

START_TEST(what_may_change_values_is_refused)
{
    static const struct {
        const char *layer, *words;
    } t[] = {{"ReLU r 1 1 x y 0=0.5 1=4.5", "param:4:24: layer 1 'r' (ReLU): parameter 1 is 4.5, and what it "
                                            "changes is not known: ReLU has no such "
                                            "parameter; take it out, or load with `lenient` to ignore it"},
             {"Sigmoid s 1 1 x y 0=1", "parameter 0 is 1, and"},
             {"Split s 1 1 x y -23305=2,0,1", "parameter 5 is 2,0,1, and"},
             {"Sigmoid s 1 1 x y 5=0,0,1e-20", "parameter 5 is 0,0,1e-20, and"},
             {"Sigmoid s 1 1 x y 5=\"w\"", "parameter 5 is w, and"},
             {"Sigmoid s 1 1 x y 5=nan", "parameter 5 is nan, and"},
             {"Convolution c 1 1 x y 0=1 1=1 6=1 7=2", "parameter 7 is 2, and"},
             {"Convolution c 1 1 x y 0=1 1=1 6=1 7=1,1", "parameter 7 is 1,1, and"},
             {"Convolution c 1 1 x y 0=1 1=1 6=1 7=one", "parameter 7 is one, and"},
             {"Convolution c 1 1 x y 0=1 1=1 6=1 -23307=1,1", "parameter 7 is 1,1, and"},
             {"Sigmoid s 1 1 x y 5=0,x", "parameter 5 is 0,x, and"},
             {"Sigmoid s 1 1 x y 5=1234567890123456789012345678901234567890",
              "parameter 5 is 12345678901234567890123456789012, and"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        log_text log = {0};
        ebb_error e;
        ck_assert_ptr_null(load_layer(t[i].layer, false, &log, &e));
        check_message(&e, e.code, EBB_E_PARAM, t[i].words);
        ebb_net *net = load_layer(t[i].layer, true, &log, &e);
        ck_assert_msg(net != NULL, "%s", e.msg);
        ck_assert_int_eq(log.lines, 1);
        ck_assert_msg(strstr(log.last, "is not known, and is ignored") != NULL, "%s", log.last);
        ebb_net_destroy(net);
    }
}
END_TEST

START_TEST(what_changes_nothing_passes)
{
    static const char *const layers[] = {
        "Sigmoid s 1 1 x y 0=0", "Sigmoid s 1 1 x y 0=0.000000e+00 1=-0 -23302=2,0,0 -23303=0 4=0,0, 5=\"\"",
        "Sigmoid s 1 1 x y 30=1,4,0,0 31=3 32=7 33=8", "Convolution c 1 1 x y 0=1 1=1 6=1 7=1 17=3",
        "Unfold u 1 1 x y 0=12 1=3"};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        log_text log = {0};
        ebb_error e;
        ebb_net *net = load_layer(layers[i], false, &log, &e);
        ck_assert_msg(net != NULL, "%s", e.msg);
        ck_assert_int_eq(log.lines, 0);
        ebb_net_destroy(net);
    }
}
END_TEST

// The same in a binary file, whose cells are integers or floats.
START_TEST(cells)
{
    enum { MAGIC = 7767517, INPUT = 16, SIGMOID = 30, CONVOLUTION = 6, END = -233 };
    static const struct {
        int32_t cell[6];
        int n, type;
        bool good;
    } t[] = {{{9, 0}, 2, SIGMOID, true},
             {{9, INT32_MIN}, 2, SIGMOID, true},  // -0
             {{9, 1}, 2, SIGMOID, false},
             {{-23309, 2, 0, 0}, 4, SIGMOID, true},
             {{-23309, 2, 0, 1}, 4, SIGMOID, false},
             {{-23409, 4, 0x41414141}, 3, SIGMOID, false},
             {{-23409, 0}, 2, SIGMOID, true},
             {{0, 1, 1, 1, 7, 1}, 6, CONVOLUTION, true},
             {{0, 1, 1, 1, 7, 2}, 6, CONVOLUTION, false}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        bytes b = {0};
        const int32_t head[] = {MAGIC, 2, 2, INPUT, 0, 1, 0, END, t[i].type, 1, 1, 0, 1};
        for (size_t k = 0; k < sizeof head / sizeof *head; k++) put_cell(&b, head[k]);
        for (int k = 0; k < t[i].n; k++) put_cell(&b, t[i].cell[k]);
        put_cell(&b, END);
        ebb_net *net;
        ebb_error e = {0};
        ck_assert_int_eq(ebb_net_new(NULL, &net, &e), EBB_OK);
        const ebb_status s = ebb_net_load_param_mem(net, b.v, b.n, &e);
        if (t[i].good)
            ck_assert_msg(s == EBB_OK || !strstr(e.msg, "not known"), "%zu: %s", i, e.msg);
        else
            check_message(&e, s, EBB_E_PARAM, "is not known");
        ebb_net_destroy(net);
    }
}
END_TEST

int main(void)
{
    return run_tests(
        "keys", (const test_entry[]){{"what_may_change_values_is_refused", what_may_change_values_is_refused},
                                     {"what_changes_nothing_passes", what_changes_nothing_passes},
                                     {"cells", cells},
                                     {0}});
}
