// SPDX-License-Identifier: BSD-3-Clause
// trace_json_test.c - every key of every kind, byte by byte; the logical form without what differs between
// runs.
#include "trace_fixture.h"
#include <stdio.h>

enum { DATA, ONE, TWO, THREE };

static const ebb_desc planar = {EBB_F32, 2, {2, 3}, {3, 1}}, pixel = {EBB_I8, 3, {4, 5, 6}, {1, 24, 4}},
                      both = {EBB_I32, 1, {7}, {1}}, strided = {EBB_F16, 2, {2, 3}, {6, 2}};

static const ebb_event events[] = {
    {EBB_EV_INPUT, -1, DATA, -1, 1, &planar, 24, 24, 24, 0, "copied"},
    {EBB_EV_BEGIN, 1, -1, -1, 0, NULL, 0, 24, 24, 0, "again"},
    {EBB_EV_ALLOC, 1, ONE, -1, 2, &pixel, 120, 144, 144, 0, ""},
    {EBB_EV_SCRATCH, 1, -1, -1, 0, NULL, 64, 144, 144, 0, ""},
    {EBB_EV_UNSCRATCH, 1, -1, -1, 0, NULL, 64, 144, 144, 0, ""},
    {EBB_EV_CONVERT, 1, DATA, -1, 0, &strided, 12, 156, 156, 0, "one read"},
    {EBB_EV_READ, 1, DATA, -1, 0, &planar, 0, 156, 156, 0, ""},
    {EBB_EV_RELEASE, 1, DATA, TWO, 0, &planar, 0, 156, 156, 0, "last read"},
    {EBB_EV_END, 1, -1, -1, 0, NULL, 0, 156, 156, 1234567890123.0, "winograd"},
    {EBB_EV_VIEW, 2, TWO, ONE, 3, &both, 0, 156, 156, 0, ""},
    {EBB_EV_STEAL, 3, THREE, ONE, 1, &both, 0, 156, 156, 0, ""},
    {EBB_EV_GROW, 3, TWO, ONE, 1, &both, 0, 156, 156, 0, "in place"},
    {EBB_EV_MOVE, 3, TWO, -1, 0, &both, 28, 184, 184, 0, "replaced"},
    {EBB_EV_SHRINK, 3, TWO, -1, 0, &both, 0, 184, 184, 0, ""},
    {EBB_EV_SUBMIT, -1, -1, -1, 0, NULL, 0, 184, 184, 0, ""},
    {EBB_EV_RESET, -1, -1, -1, 0, NULL, 0, 0, 184, 0, ""},
};
enum { EVENTS = sizeof events / sizeof *events };

#define FIRST  "\"layer\":\"first\",\"type\":\"ReLU\""
#define SECOND "\"layer\":\"second\",\"type\":\"ReLU\""
#define THIRD  "\"layer\":\"third\",\"type\":\"ReLU\""
#define NAME3  "\"blob\":\"a\\\"b\\\\c\\u0001\xc3\xa9\\u00ff\""
#define SEVEN  "\"dtype\":\"i32\",\"shape\":[7],\"order\":\"both\""

static const char logical[] =
    "{\"ev\":\"input\",\"blob\":\"data\",\"dtype\":\"f32\",\"shape\":[2,3],\"order\":\"planar\",\"bytes\":24,"
    "\"live\":24,"
    "\"peak\":24,\"reads\":1,\"why\":\"copied\"}\n"
    "{\"ev\":\"begin\"," FIRST ",\"why\":\"again\"}\n"
    "{\"ev\":\"alloc\"," FIRST
    ",\"blob\":\"one\",\"dtype\":\"i8\",\"shape\":[4,5,6],\"order\":\"pixel\",\"bytes\":120,"
    "\"live\":144,\"peak\":144,\"reads\":2}\n"
    "{\"ev\":\"convert\"," FIRST
    ",\"blob\":\"data\",\"dtype\":\"f16\",\"shape\":[2,3],\"order\":\"strided\",\"bytes\":12,"
    "\"live\":156,\"peak\":156,\"why\":\"one read\"}\n"
    "{\"ev\":\"read\"," FIRST ",\"blob\":\"data\",\"reads\":0}\n"
    "{\"ev\":\"release\"," FIRST
    ",\"blob\":\"data\",\"bytes\":0,\"live\":156,\"peak\":156,\"other\":\"two\",\"why\":\"last "
    "read\"}\n"
    "{\"ev\":\"view\"," SECOND ",\"blob\":\"two\"," SEVEN
    ",\"bytes\":0,\"live\":156,\"peak\":156,\"other\":\"one\",\"reads\":3}\n"
    "{\"ev\":\"steal\"," THIRD "," NAME3 "," SEVEN
    ",\"bytes\":0,\"live\":156,\"peak\":156,\"other\":\"one\",\"reads\":1}\n"
    "{\"ev\":\"grow\"," THIRD ",\"blob\":\"two\"," SEVEN
    ",\"bytes\":0,\"live\":156,\"peak\":156,\"other\":\"one\",\"reads\":1,"
    "\"why\":\"in place\"}\n"
    "{\"ev\":\"move\"," THIRD ",\"blob\":\"two\"," SEVEN
    ",\"bytes\":28,\"live\":184,\"peak\":184,\"why\":\"replaced\"}\n"
    "{\"ev\":\"shrink\"," THIRD ",\"blob\":\"two\"," SEVEN "}\n";

START_TEST(logical_lines)
{
    stubborn s = {false, 0};
    collected *c = calloc(1, sizeof *c);
    ebb_net *net = load_small_net(&s);
    ebb_trace *t = new_trace(net, EBB_TRACE_LOGICAL, c);
    send_events(t, events, EVENTS);
    ck_assert_int_eq(ebb_trace_finish(t, NULL), EBB_OK);
    ck_assert_str_eq(c->text, logical);
    ebb_net_destroy(net);
    ck_assert_int_eq(s.held, 0);
    free(c);
}
END_TEST

// Takes ,"us":N out of a line and returns N.
static long long cut_time(char *line)
{
    char *key = strstr(line, ",\"us\":");
    ck_assert_ptr_nonnull(key);
    char *end;
    const long long us = strtoll(key + 6, &end, 10);
    memmove(key, end, strlen(end) + 1);
    return us;
}

START_TEST(full_lines)
{
    static const char *const others[] = {
        "{\"ev\":\"scratch\"," FIRST ",\"bytes\":64}",
        "{\"ev\":\"unscratch\"," FIRST ",\"bytes\":64}",
        "{\"ev\":\"end\"," FIRST ",\"macs\":1234567890123,\"why\":\"winograd\"}",
        "{\"ev\":\"submit\"}",
        "{\"ev\":\"reset\"}",
    };
    stubborn s = {false, 0};
    collected *c = calloc(1, sizeof *c);
    ebb_net *net = load_small_net(&s);
    ebb_trace *t = new_trace(net, EBB_TRACE_FULL, c);
    send_events(t, events, EVENTS);
    ck_assert_int_eq(ebb_trace_finish(t, NULL), EBB_OK);
    long long before = 0;
    int lines = 0, found = 0;
    for (char *line = strtok(c->text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        const long long us = cut_time(line);
        ck_assert_int_ge(us, before);
        before = us;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) found += !strcmp(line, others[i]);
        if (strstr(logical, line)) found++;
    }
    ck_assert_int_eq(lines, EVENTS);
    ck_assert_int_eq(found, EVENTS);
    ebb_net_destroy(net);
    free(c);
}
END_TEST

// Lines that are longer than the writer's buffer come out whole.
START_TEST(long_names)
{
    enum { LONG = 3000 };
    char *param = calloc(1, 2 * LONG + 200), *name = calloc(1, LONG + 1);
    memset(name, '"', LONG);
    snprintf(param, 2 * LONG + 200, "7767517\n1 1\nInput in 0 1 %s\n", name);
    ebb_net *net;
    ebb_error e = {.msg = ""};
    ck_assert_int_eq(ebb_net_new(NULL, &net, NULL), EBB_OK);
    const ebb_status loaded = ebb_net_load_param_mem(net, param, strlen(param), &e);
    ck_assert_msg(loaded == EBB_OK && ebb_net_load_weights_mem(net, "", 0, &e) == EBB_OK, "%s", e.msg);
    collected *c = calloc(1, sizeof *c);
    ebb_trace *t = new_trace(net, EBB_TRACE_LOGICAL, c);
    send_events(t, &(const ebb_event){EBB_EV_READ, -1, 0, -1, 0, NULL, 0, 0, 0, 0, ""}, 1);
    ck_assert_int_eq(ebb_trace_finish(t, NULL), EBB_OK);
    ck_assert_uint_eq(c->n, strlen("{\"ev\":\"read\",\"blob\":\"\",\"reads\":0}\n") + 2 * LONG);
    ck_assert_str_eq(c->text + c->n - 13, "\",\"reads\":0}\n");
    ebb_net_destroy(net);
    free(c);
    free(param);
    free(name);
}
END_TEST

int main(void)
{
    const test_entry tests[] = {{"logical lines", logical_lines},
                                {"full lines", full_lines},
                                {"long names", long_names},
                                {NULL, NULL}};
    return run_tests("trace_json", tests);
}
