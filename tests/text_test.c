// SPDX-License-Identifier: BSD-3-Clause
// text_test.c - the syntax of .param text, and what a malformed file is told.
#include "loading.h"

#define HEAD "7767517\n"

START_TEST(line_ends_and_spaces)
{
    static const char *const t[] = {
        HEAD "2 2\nInput in 0 1 data\nProbe p 1 1 data out 0=4\n",
        HEAD "2 2\r\nInput in 0 1 data\r\nProbe p 1 1 data out 0=4\r\n",
        HEAD "2 2\nInput in 0 1 data\nProbe p 1 1 data out 0=4",
        HEAD "2 2\nInput in 0 1 data\nProbe p 1 1 data out 0=4   \n\n\n",
        "\xef\xbb\xbf" HEAD "2 2\nInput in 0 1 data\nProbe p 1 1 data out 0=4\n",
        "\n\n  7767517 2 2\n\tInput\tin 0 1 data\n\n\nProbe  p   1 1   data  out\t0=4\n",
        "7767517\r2 2\rInput in 0 1 data\rProbe p 1 1 data out 0=4\r",
        HEAD "2 2 Input in 0 1 data Probe p 1 1 data out 0=4",
        HEAD "2 2\nInput in 0 1\ndata\nProbe p 1 1\ndata out\n0=4\n",
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        log_text log = {0};
        ebb_net *net = net_of(t[i], &log);
        ck_assert_int_eq(ebb_net_layer_count(net), 2);
        ck_assert_int_eq(ebb_net_blob_count(net), 2);
        ck_assert_str_eq(ebb_net_blob_name(net, 1), "out");
        ck_assert_int_eq(probe_of(net, 1)->a, 4);
        ck_assert_int_eq(log.lines, 0);
        ebb_net_destroy(net);
    }
}
END_TEST

START_TEST(a_string_with_its_end)
{
    ebb_error e;
    ebb_net *net = test_net(NULL, NULL, &e);
    static const char text[] = HEAD "1 1\nInput in 0 1 data\n\0\0";
    ck_assert_int_eq(ebb_net_load_param_mem(net, text, sizeof text, &e), EBB_OK);
    ebb_net_destroy(net);
}
END_TEST

START_TEST(strings)
{
    static const struct {
        const char *value, *want;
    } t[] = {{"5=\"0w,*(0h,2),-1\"", "0w,*(0h,2),-1"},
             {"5=0w,-1", "0w,-1"},
             {"5=\"\"", ""},
             {"5=\"with a space\"", "with a space"},
             {"5=12", "12"},
             {"5=-1,2", "-1,2"},
             {"5=\"3=4\" 0=1", "3=4"}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "1 1\nProbe p 0 1 out %s\n", t[i].value);
        ebb_net *net = net_of(text, NULL);
        ck_assert_str_eq(probe_of(net, 0)->text, t[i].want);
        ebb_net_destroy(net);
    }
}
END_TEST

START_TEST(names_of_any_length_and_letters)
{
    enum { N = 3000 };
    char name[N + 1], text[3 * N];
    memset(name, 'n', N);
    name[N] = 0;
    snprintf(text, sizeof text, HEAD "2 2\nInput caf\xc3\xa9 0 1 %s\nProbe /a/b:0 1 1 %s Input\n", name,
             name);
    ebb_net *net = net_of(text, NULL);
    ck_assert_str_eq(ebb_net_blob_name(net, 0), name);
    ck_assert_int_eq(ebb_net_blob_index(net, name, NULL), 0);
    ck_assert_int_eq(ebb_net_blob_index(net, "Input", NULL), 1);
    ebb_net_destroy(net);
}
END_TEST

START_TEST(wrong_counts_are_told)
{
    log_text log = {0};
    ebb_net *net = net_of(HEAD "1 9\nInput in 0 1 data\n", &log);
    ck_assert_int_eq(log.lines, 1);
    ck_assert_str_eq(log.last,
                     "param: the header's count of blobs is 9, but the layers name 1; all are made");
    ebb_net_destroy(net);
    net = net_of(HEAD "1 3\nInput in 0 1 data\nProbe p 1 1 data b\nProbe q 1 1 b c", &log);
    ck_assert_int_eq(log.lines, 2);
    ck_assert_str_eq(log.last,
                     "param: the header's count of layers is 1, but 3 stand in the file; all are loaded");
    ck_assert_int_eq(ebb_net_layer_count(net), 3);
    ebb_net_destroy(net);
}
END_TEST

#define IN HEAD "2 2\nInput in 0 1 data\n"

START_TEST(malformed_files)
{
    static const struct {
        const char *text;
        ebb_status s;
        const char *words;
    } t[] = {
        {HEAD, EBB_E_FORMAT, "param:2:1: the file ends where the number of layers should stand"},
        {HEAD "x 1\n", EBB_E_FORMAT, "param:2:1: 'x' stands where the number of layers should stand"},
        {HEAD "1.5 1\n", EBB_E_FORMAT, "'1.5' stands where the number of layers"},
        {HEAD "-1 1\n", EBB_E_FORMAT, "'-1' stands where the number of layers"},
        {HEAD "nan 1\n", EBB_E_FORMAT, "'nan' stands where the number of layers"},
        {HEAD "1                \n", EBB_E_FORMAT, "the file ends where the number of blobs should stand"},
        {HEAD "0 0\n", EBB_E_FORMAT, "the header counts no layers"},
        {HEAD "1000000 3\nInput in 0 1 data\n", EBB_E_FORMAT,
         "the number of layers is 1000000, more than the 21 bytes left in the file can hold"},
        {HEAD "99999999999999999999 3\n", EBB_E_FORMAT,
         "the number of layers is 99999999999999999999, more than"},
        {HEAD "1 2000000000\nInput in 0 1 data\n", EBB_E_FORMAT,
         "the number of blobs is 2000000000, more than"},
        {IN, EBB_E_FORMAT,
         "param:4:1: layer 1: the file ends after 1 of the 2 layers that the header counts"},
        {IN "Probe", EBB_E_FORMAT, "layer 1: the file ends where the name of a layer should stand"},
        {IN "Probe p", EBB_E_FORMAT,
         "layer 1 'p' (Probe): the file ends where the number of inputs should stand"},
        {IN "Probe p one 1 data b", EBB_E_FORMAT, "'one' stands where the number of inputs"},
        {IN "Probe p 1", EBB_E_FORMAT, "the file ends where the number of outputs should stand"},
        {IN "Probe p 1 500000 data b", EBB_E_FORMAT,
         "param:4:11: layer 1 'p' (Probe): the number of outputs is 500000, more than the 7 bytes"},
        {IN "Probe p 2 1 data b 0=1", EBB_E_FORMAT,
         "param:4:20: layer 1 'p' (Probe): the layer's counts are 2 in and 1 out, but names that follow are "
         "2"},
        {IN "Probe p 1 2 data b", EBB_E_FORMAT,
         "the layer's counts are 1 in and 2 out, but names that follow are 2"},
        {HEAD "2 2\nInput in 0 2 data\nProbe p 1 1 data out\n", EBB_E_FORMAT,
         "param:4:1: layer 0 'in' (Input): the layer's counts are 0 in and 2 out, but names that follow are "
         "1"},
        {IN "Probe p 1 1 data b c 0=1", EBB_E_FORMAT,
         "param:4:20: layer 2: 'c' follows the 1 input and 1 output names of layer 'p'; expected key=value "
         "or a new line"},
        {IN "Prob p 1 1 data b", EBB_E_UNSUPPORTED,
         "param:4:1: layer 1 'p': there is no layer type 'Prob'; the nearest is 'Probe'"},
        {IN "Xyzzyplugh p 1 1 data b", EBB_E_UNSUPPORTED,
         "there is no layer type 'Xyzzyplugh'; a custom one is added before loading"},
        {IN "pnnx.Output p 1 0 data", EBB_E_UNSUPPORTED,
         "pnnx.Output is a type of pnnx: load the .ncnn.param"},
        {IN "Probe p 1 1 data b 0=", EBB_E_FORMAT,
         "param:4:20: layer 1 'p' (Probe): parameter 0 has no value"},
        {IN "Probe p 1 1 data b 1.5=3", EBB_E_FORMAT, "'1.5=3' follows the 1 input and 1 output names"},
        {IN "Probe p 1 1 data b 15x=3", EBB_E_FORMAT, "'15x=3' follows"},
        {HEAD "1234567890123456789012345678901234567890123456789012345678901234x 1\n", EBB_E_FORMAT,
         "'1234567890123456789012345678901234567890123456789012345678901234' stands"},
        {IN "Probe p 1 1 data b 0= 1=2", EBB_E_FORMAT, "parameter 0 has no value"},
        {IN "Probe p 1 1 data b 64=1", EBB_E_FORMAT,
         "64 is no parameter key: keys go from 0 to 63, and from -23300 down for arrays"},
        {IN "Probe p 1 1 data b -1=1", EBB_E_FORMAT, "-1 is no parameter key"},
        {IN "Probe p 1 1 data b -23400=1,1", EBB_E_FORMAT, "-23400 is no parameter key"},
        {IN "Probe p 1 1 data b 99999999999999999999999999999999999999999999999999999=1", EBB_E_FORMAT,
         "is no parameter key"},
        {IN "Probe p 1 1 data b 5=\"abc", EBB_E_FORMAT, "the string of parameter 5 has no end"},
        {IN "Probe p 1 1 data b 5=\"abc\nx\"", EBB_E_FORMAT, "the string of parameter 5 has no end"},
        {IN "Probe p 1 1 data b 5=\"abc\"d", EBB_E_FORMAT, "characters follow the string of parameter 5"},
        {IN "Probe p 1 1 data b =4", EBB_E_FORMAT, "'=4' follows the 1 input and 1 output names"},
        {IN "Probe p 1 1 data b\nhello", EBB_E_UNSUPPORTED,
         "param:5:1: layer 2: there is no layer type 'hello'"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        text_fails(t[i].text, strlen(t[i].text), t[i].s, t[i].words);
}
END_TEST

// Names, lists and layers that each need memory of their own; the header counts half of the layers.
START_TEST(without_memory)
{
    enum { OUT = 300, LAYERS = 130, LONG = 5000, ROOM = 60000 };
    char *text = malloc(ROOM);
    int n = sprintf(text, HEAD "%d %d\nInput in 0 %d", LAYERS / 2, OUT + LAYERS + 1, OUT);
    for (int i = 0; i < OUT; i++) n += sprintf(text + n, " n%d", i);
    n += sprintf(text + n, "\nProbe %0*d 1 1 n0 %0*d 5=%0*d\n", LONG, 1, LONG, 2, LONG, 3);
    for (int i = 0; i < LAYERS - 1; i++) n += sprintf(text + n, "Probe p%d 1 1 n1 m%d 0=2 3=1,2\n", i, i);
    ck_assert_int_lt(n, ROOM);
    loads_with_memory_only(text, (size_t)n);
    free(text);
}
END_TEST

START_TEST(a_zero_byte)
{
    static const char text[] = HEAD "1 1\nInput in 0 1 da\0ta\n";
    text_fails(text, sizeof text - 1, EBB_E_FORMAT, "param:3:16: a zero byte stands in the text");
}
END_TEST

int main(void)
{
    return run_tests(
        "text", (const test_entry[]){{"line_ends_and_spaces", line_ends_and_spaces},
                                     {"a_string_with_its_end", a_string_with_its_end},
                                     {"strings", strings},
                                     {"names_of_any_length_and_letters", names_of_any_length_and_letters},
                                     {"wrong_counts_are_told", wrong_counts_are_told},
                                     {"malformed_files", malformed_files},
                                     {"without_memory", without_memory}, {"a_zero_byte", a_zero_byte},
                                     {0}});
}
