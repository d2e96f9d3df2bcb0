// SPDX-License-Identifier: BSD-3-Clause
// unknown_test.c - a file with layer types that are not there is told all of them at once.
#include "loading.h"

#define HEAD "7767517\n2 2\nInput in 0 1 a\n"

static void refuses(const char *text, const char *words)
{
    text_fails(text, strlen(text), EBB_E_UNSUPPORTED, words);
}

START_TEST(one_type)
{
    refuses(HEAD "Prob p 1 1 a b\n",
            "param:4:1: layer 1 'p': there is no layer type 'Prob'; the nearest is 'Probe'");
    refuses(HEAD "Prob p 1 1 a b 0=1 0=2\nProbe q 1 1 b c\nProb r 1 1 c d\n",
            "param:4:1: layer 1 'p': there is no layer type 'Prob' (2 times); the nearest is 'Probe'");
    refuses(HEAD "Cast p 1 1 a b\nCast q 1 1 b c\n",
            "the layer type Cast of ncnn is not supported (2 times)");
}
END_TEST

START_TEST(several_types)
{
    refuses(HEAD "Zyx z 1 1 a b\nProb p 1 1 b c\nCast q 1 1 c d\nProb r 1 1 d e\npnnx.Output o 1 0 e\n",
            "param:4:1: there are no layer types 'Zyx' (a custom one?), 'Prob' (2 times, the nearest is "
            "'Probe'), "
            "'Cast' (of ncnn, not supported), 'pnnx.Output' (of pnnx: load the .ncnn.param that it wrote)");
}
END_TEST

START_TEST(a_long_name)
{
    char text[400], words[200];
    snprintf(text, sizeof text, HEAD "%0200d p 1 1 a b\n", 7);
    refuses(text, "there is no layer type '000");
    snprintf(text, sizeof text, HEAD "Zyx z 1 1 a b\n%0200d p 1 1 b c\n", 7);
    snprintf(words, sizeof words, "'%040d' (a custom one?)", 0);
    refuses(text, words);
}
END_TEST

// What goes wrong behind an unknown type may be its fault.
START_TEST(a_file_that_is_broken_too)
{
    refuses(HEAD "Prob p 1 1 a b\nProbe q 5 5", "layer 1 'p': there is no layer type 'Prob'");
    refuses(HEAD "Zyx", "layer 1: there is no layer type 'Zyx'");
}
END_TEST

START_TEST(without_memory)
{
    static const char text[] = HEAD "Zyx z 1 1 a b\nProb p 1 1 b c\n";
    for (long at = 1, more = 1; more; at++) {
        meter m = {0};
        ebb_error e = {0};
        ebb_net *net = test_net(&m, NULL, &e);
        m.fail_at = m.calls + at;
        const ebb_status s = load_text(net, text, &e);
        more = m.calls >= m.fail_at;
        if (more) check_message(&e, s, EBB_E_NOMEM, "no memory");
        else check_message(&e, s, EBB_E_UNSUPPORTED, "there are no layer types 'Zyx'");
        ebb_net_destroy(net);
        ck_assert_int_eq(m.live, 0);
    }
}
END_TEST

START_TEST(more_than_the_message_holds)
{
    enum { N = 5000 };
    char *text = malloc(128 * N), end[40];
    int at = sprintf(text, "7767517\n%d %d\nInput in 0 1 blob0\n", 2 * N + 1, 2 * N + 1);
    for (int i = 0; i < 2 * N; i++)
        at += sprintf(text + at, "Quite_%d q%d 1 1 blob%d blob%d\n", i % N * 7919 % N, i, i, i + 1);
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    check_message(&e, load_text(net, text, &e), EBB_E_UNSUPPORTED,
                  "there are no layer types 'Quite_0' (2 times, ");
    int shown = 0;
    for (const char *p = e.msg; (p = strstr(p, "'Quite_")); p++) shown++;
    snprintf(end, sizeof end, ", and %d more", N - shown);
    ck_assert(shown > 3 && strlen(e.msg) > strlen(end));
    ck_assert_str_eq(e.msg + strlen(e.msg) - strlen(end), end);
    ebb_net_destroy(net);
    free(text);
}
END_TEST

START_TEST(numbers_of_a_binary_file)
{
    static const int32_t cell[] = {7767517, 4,   4, 16, 0, 1, 0,    -233,    62, 1, 1, 0, 1,
                                   -233,    999, 1, 1,  1, 2, -233, 256 | 9, 1,  1, 2, 3, -233};
    bytes b = {0};
    ebb_error e = {0};
    for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) put_cell(&b, cell[i]);
    ebb_net *net = test_net(NULL, NULL, &e);
    check_message(
        &e, ebb_net_load_param_mem(net, b.v, b.n, &e), EBB_E_UNSUPPORTED,
        "byte 32: there are no layer types 'Packing' (of ncnn, not supported), 'custom 743' (a custom one?), "
        "'custom 9' (a custom one?)");
    ebb_net_destroy(net);
}
END_TEST

int main(void)
{
    return run_tests("unknown",
                     (const test_entry[]){{"one_type", one_type},
                                          {"a_long_name", a_long_name}, {"without_memory", without_memory},
        {"several_types", several_types},
                                          {"a_file_that_is_broken_too", a_file_that_is_broken_too},
                                          {"more_than_the_message_holds", more_than_the_message_holds},
                                          {"numbers_of_a_binary_file", numbers_of_a_binary_file},
                                          {0}});
}
