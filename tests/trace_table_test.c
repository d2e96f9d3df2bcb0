// SPDX-License-Identifier: BSD-3-Clause
// trace_table_test.c - the release table of made-up events: who made, who freed, what the peak was made of.
#include "trace_fixture.h"
#include "loading.h"
#include <stdio.h>

enum { DATA, ONE, TWO, THREE };

static const ebb_desc shape = {EBB_F32, 2, {16, 16}, {16, 1}};
enum { SIZE = 1024 };

// The line that begins with `start` behind blanks, squeezed to single blanks; fails when there is none.
static const char *line_of(const char *text, const char *start, char line[256])
{
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        const char *from = p + strspn(p, " ");
        if (strncmp(from, start, strlen(start)) != 0) continue;
        size_t n = 0;
        for (; *from != '\n' && n < 255; from++)
            if (*from != ' ' || (n && line[n - 1] != ' ')) line[n++] = *from;
        line[n] = 0;
        return line;
    }
    ck_abort_msg("no line starts with '%s' in\n%s", start, text);
    return "";
}

static char *table_of(const ebb_event *ev, int n, collected *c)
{
    stubborn s = {false, 0};
    ebb_net *net = load_small_net(&s);
    ebb_trace *t = new_trace(net, EBB_TRACE_TABLE, c);
    send_events(t, ev, n);
    ck_assert_int_eq(ebb_trace_finish(t, NULL), EBB_OK);
    ebb_net_destroy(net);
    ck_assert_int_eq(s.held, 0);
    return c->text;
}

// data is freed by `first`, which also makes `one`; `second` makes a copy, `third` takes `one` over.
static const ebb_event story[] = {
    {EBB_EV_INPUT, -1, DATA, -1, 1, &shape, SIZE, 1024, 1024, 0, "given"},
    {EBB_EV_BEGIN, 1, -1, -1, 0, NULL, 0, 1024, 1024, 0, ""},
    {EBB_EV_ALLOC, 1, ONE, -1, 2, &shape, SIZE, 2048, 2048, 0, ""},
    {EBB_EV_READ, 1, DATA, -1, 0, &shape, 0, 2048, 2048, 0, ""},
    {EBB_EV_RELEASE, 1, DATA, -1, 0, &shape, SIZE, 1024, 2048, 0, "last read"},
    {EBB_EV_END, 1, -1, -1, 0, NULL, 0, 1024, 2048, 0, "plain"},
    {EBB_EV_BEGIN, 2, -1, -1, 0, NULL, 0, 1024, 2048, 0, ""},
    {EBB_EV_CONVERT, 2, ONE, -1, 0, &shape, SIZE, 2048, 2048, 0, "one read"},
    {EBB_EV_ALLOC, 2, TWO, -1, 1, &shape, SIZE, 3072, 3072, 0, ""},
    {EBB_EV_RELEASE, 2, ONE, -1, 0, &shape, SIZE, 2048, 3072, 0, "one read"},
    {EBB_EV_READ, 2, ONE, -1, 1, &shape, 0, 2048, 3072, 0, ""},
    {EBB_EV_END, 2, -1, -1, 0, NULL, 0, 2048, 3072, 0, "plain"},
    {EBB_EV_BEGIN, 3, -1, -1, 0, NULL, 0, 2048, 3072, 0, ""},
    {EBB_EV_STEAL, 3, THREE, ONE, 1, &shape, 0, 2048, 3072, 0, ""},
    {EBB_EV_READ, 3, ONE, -1, 0, &shape, 0, 2048, 3072, 0, ""},
    {EBB_EV_RELEASE, 3, ONE, -1, 0, &shape, 0, 2048, 3072, 0, "stolen"},
    {EBB_EV_END, 3, -1, -1, 0, NULL, 0, 2048, 3072, 0, "plain"},
    {EBB_EV_READ, -1, TWO, -1, 0, &shape, 0, 2048, 3072, 0, ""},
    {EBB_EV_RELEASE, -1, TWO, -1, 0, &shape, SIZE, 1024, 3072, 0, "last read"},
    {EBB_EV_RESET, -1, -1, -1, 0, NULL, 0, 0, 3072, 0, ""},
};

START_TEST(rows)
{
    char line[256];
    collected *c = calloc(1, sizeof *c);
    const char *text = table_of(story, sizeof story / sizeof *story, c);
    ck_assert_str_eq(line_of(text, "(the caller)", line),
                     "(the caller) data 16x16 1.0 KiB given 1.0 KiB 1.0 KiB 1.0 KiB *");
    ck_assert_str_eq(line_of(text, "1 ", line),
                     "1 first ReLU one 16x16 1.0 KiB new 2.0 KiB 1.0 KiB 2.0 KiB * data 1.0 KiB");
    ck_assert_str_eq(line_of(text, "2 ", line), "2 second ReLU one 16x16 1.0 KiB to planar, one read 3.0 KiB "
                                                "2.0 KiB 3.0 KiB * one 1.0 KiB (one read)");
    ck_assert_str_eq(line_of(text, "two", line), "two 16x16 1.0 KiB new");
    ck_assert_ptr_nonnull(
        strstr(line_of(text, "3 ", line), "16x16 0 B takes over one 2.0 KiB 2.0 KiB 3.0 KiB"));
    ck_assert_ptr_null(strstr(text, "stolen"));
    free(c);
}
END_TEST

START_TEST(peak)
{
    char line[256];
    collected *c = calloc(1, sizeof *c);
    const char *text = table_of(story, sizeof story / sizeof *story, c);
    const char *end = strstr(text, "\npeak: ");
    ck_assert_ptr_nonnull(end);
    ck_assert_str_eq(line_of(end, "peak:", line), "peak: 3.0 KiB (3072 bytes) in second, made of");
    ck_assert_str_eq(line_of(end, "2.0 KiB", line), "2.0 KiB one 16x16 waits for second, third");
    ck_assert_str_eq(line_of(end, "1.0 KiB", line), "1.0 KiB two 16x16 waits for the caller");
    ck_assert_str_eq(line_of(end, "all blobs:", line),
                     "all blobs: 4.0 KiB (4096 bytes); peak: 3.0 KiB, which is 75.0% of them");
    ck_assert_str_eq(line_of(end, "3 layers", line),
                     "3 layers ran; 0 views, 1 steal (1.0 KiB not allocated), 1 conversion");
    free(c);
}
END_TEST

// A released whole lives on in its view: the bytes are the view's then, also in the account of the peak.
START_TEST(views_keep_storage)
{
    static const ebb_event ev[] = {
        {EBB_EV_INPUT, -1, DATA, -1, 1, &shape, SIZE, 1024, 1024, 0, "given"},
        {EBB_EV_BEGIN, 1, -1, -1, 0, NULL, 0, 1024, 1024, 0, ""},
        {EBB_EV_VIEW, 1, ONE, DATA, 1, &shape, 0, 1024, 1024, 0, ""},
        {EBB_EV_RELEASE, 1, DATA, ONE, 0, &shape, 0, 1024, 1024, 0, "last read"},
        {EBB_EV_BEGIN, 2, -1, -1, 0, NULL, 0, 1024, 1024, 0, ""},
        {EBB_EV_ALLOC, 2, TWO, -1, 1, &shape, SIZE, 2048, 2048, 0, ""},
        {EBB_EV_RELEASE, 2, ONE, -1, 0, &shape, SIZE, 1024, 2048, 0, "last read"},
    };
    char line[256];
    collected *c = calloc(1, sizeof *c);
    const char *text = table_of(ev, sizeof ev / sizeof *ev, c);
    ck_assert_str_eq(line_of(text, "1 ", line),
                     "1 first ReLU one 16x16 0 B view of data 1.0 KiB 1.0 KiB 1.0 KiB data (one keeps it)");
    const char *end = strstr(text, "\npeak: ");
    ck_assert_str_eq(line_of(end, "1.0 KiB  one", line), "1.0 KiB one 16x16 waits for second");
    free(c);
}
END_TEST

// More blobs in one row than the first allocation holds.
START_TEST(many_in_a_row)
{
    enum { N = 100 };
    ebb_event ev[N];
    for (int i = 0; i < N; i++)
        ev[i] = (ebb_event){EBB_EV_ALLOC, 1, ONE, -1, 1, &shape, 1, (size_t)i + 1, (size_t)i + 1, 0, ""};
    collected *c = calloc(1, sizeof *c);
    const char *text = table_of(ev, N, c);
    int lines = 0;
    for (const char *p = text; (p = strstr(p, " new")); p++) lines++;
    ck_assert_int_eq(lines, N);
    free(c);
}
END_TEST

START_TEST(moves_and_growth)
{
    enum { MIB = 1 << 20, LARGE = 3 * MIB };
    static const ebb_event ev[] = {
        {EBB_EV_BEGIN, 1, -1, -1, 0, NULL, 0, 0, 0, 0, ""},
        {EBB_EV_ALLOC, 1, ONE, -1, 2, &shape, LARGE, LARGE, LARGE, 0, ""},
        {EBB_EV_END, 1, -1, -1, 0, NULL, 0, LARGE, LARGE, 0, "plain"},
        {EBB_EV_BEGIN, 2, -1, -1, 0, NULL, 0, LARGE, LARGE, 0, ""},
        {EBB_EV_MOVE, 2, ONE, -1, 1, &shape, MIB, LARGE + MIB, LARGE + MIB, 0, "to the device"},
        {EBB_EV_GROW, 2, TWO, ONE, 1, &shape, 0, LARGE + MIB, LARGE + MIB, 0, "in place"},
        {EBB_EV_SHRINK, 2, TWO, -1, 0, &shape, 0, LARGE, LARGE + MIB, 0, ""},
        {EBB_EV_END, 2, -1, -1, 0, NULL, 0, LARGE, LARGE + MIB, 0, "plain"},
    };
    static const char *const words[] = {"3.00 MiB", "moves, to the device", "grows one, in place", "shrinks",
                                        "1 move between host and device"};
    collected *c = calloc(1, sizeof *c);
    const char *text = table_of(ev, sizeof ev / sizeof *ev, c);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_msg(strstr(text, words[i]) != NULL, "'%s' is not in\n%s", words[i], text);
    free(c);
}
END_TEST

START_TEST(nothing_happened)
{
    collected *c = calloc(1, sizeof *c);
    ck_assert_str_eq(table_of(NULL, 0, c), "");
    free(c);
}
END_TEST

#define LONG_NAME "0123456789012345678901234567890123456789_the_end"

// Each allocation of a new table fails in turn; then one of long names, which lose their beginning.
START_TEST(memory_and_long_names)
{
    static const char net_text[] = "7767517\n2 2\nInput in 0 1 a\nReLU " LONG_NAME " 1 1 a b" LONG_NAME "\n";
    static const ebb_event ev[] = {{EBB_EV_BEGIN, 1, -1, -1, 0, NULL, 0, 0, 0, 0, ""},
                                   {EBB_EV_ALLOC, 1, 1, -1, 1, &shape, SIZE, SIZE, SIZE, 0, ""},
                                   {EBB_EV_END, 1, -1, -1, 0, NULL, 0, SIZE, SIZE, 0, "plain"}};
    collected *c = calloc(1, sizeof *c);
    meter m = {0};
    ebb_error e = {.msg = ""};
    ebb_trace *t = NULL;
    ebb_net *net = test_net(&m, NULL, &e);
    ck_assert_int_eq(load_text(net, net_text, &e), EBB_OK);
    ck_assert_int_eq(ebb_net_load_weights_mem(net, "", 0, &e), EBB_OK);
    const long live = m.live;
    for (long at = 1; !t; at++) {
        m.fail_at = m.calls + at;
        const ebb_status s = ebb_trace_new(net, EBB_TRACE_TABLE, collect, c, &t, &e);
        if (m.calls < m.fail_at) {
            ck_assert_int_eq(s, EBB_OK);
            break;
        }
        check_message(&e, s, EBB_E_NOMEM, "no memory");
        ck_assert_int_eq(m.live, live);
    }
    m.fail_at = 0;
    send_events(t, ev, 3);
    ck_assert_int_eq(ebb_trace_finish(t, NULL), EBB_OK);
    ck_assert_msg(strstr(c->text, " ..") && strstr(c->text, "_the_end ") && !strstr(c->text, "b" LONG_NAME),
                  "%s", c->text);
    ebb_net_destroy(net);
    ck_assert_int_eq(m.live, 0);
    free(c);
}
END_TEST

int main(void)
{
    const test_entry tests[] = {{"rows", rows},
                                {"peak", peak},
                                {"views keep storage", views_keep_storage},
                                {"many in a row", many_in_a_row},
                                {"moves and growth", moves_and_growth},
                                {"nothing happened", nothing_happened},
                                {"memory and long names", memory_and_long_names},
                                {NULL, NULL}};
    return run_tests("trace_table", tests);
}
