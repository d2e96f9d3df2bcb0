// SPDX-License-Identifier: BSD-3-Clause
// trace_test.c - traces of real runs: the dry walk tells the same story, and memory that is missing is
// reported.
#include "trace_fixture.h"

static const int dims[] = {2, 3};

static ebb_extractor *start(ebb_net *net, ebb_observer o, bool expect)
{
    static const float numbers[6] = {1, -2, 3, -4, 5, -6};
    ebb_error e = {.msg = ""};
    ebb_extractor *x;
    const ebb_extractor_options opt = {.observer = o};
    const ebb_desc d = ebb_desc_planar(EBB_F32, 2, dims);
    ck_assert_msg(ebb_extractor_new(net, &opt, &x, &e) == EBB_OK, "%s", e.msg);
    if (expect) {
        ck_assert_msg(ebb_extractor_expect(x, "data", &d, &e) == EBB_OK, "%s", e.msg);
        return x;
    }
    ebb_blob *b;
    ck_assert_msg(ebb_extractor_make(x, &d, &b, &e) == EBB_OK, "%s", e.msg);
    memcpy(ebb_blob_data(b), numbers, sizeof numbers);
    ck_assert_msg(ebb_extractor_give(x, "data", b, &e) == EBB_OK, "%s", e.msg);
    return x;
}

static const char *const wanted[] = {"two", "#3"};

static void extract_and_drop(ebb_extractor *x)
{
    ebb_error e = {.msg = ""};
    ebb_blob *out[2];
    ck_assert_msg(ebb_extractor_extract_many(x, wanted, 2, EBB_TAKE_PLANAR, out, &e) == EBB_OK, "%s", e.msg);
    ebb_blob_drop(out[0]);
    ebb_blob_drop(out[1]);
}

START_TEST(dry_and_real_are_the_same)
{
    stubborn s = {false, 0};
    collected *real = calloc(1, sizeof *real), *dry = calloc(1, sizeof *dry);
    ebb_net *net = load_small_net(&s);
    ebb_error e = {.msg = ""};
    ebb_trace *t = new_trace(net, EBB_TRACE_LOGICAL, real);
    ebb_extractor *x = start(net, ebb_trace_observer(t), false);
    extract_and_drop(x);
    ebb_extractor_destroy(x);
    ck_assert_int_eq(ebb_trace_finish(t, &e), EBB_OK);

    t = new_trace(net, EBB_TRACE_LOGICAL, dry);
    const ebb_observer o = ebb_trace_observer(t);
    ebb_prediction p;
    x = start(net, (ebb_observer){0}, true);
    ck_assert_msg(ebb_extractor_predict(x, wanted, 2, &o, &p, &e) == EBB_OK, "%s", e.msg);
    ebb_extractor_destroy(x);
    ck_assert_int_eq(ebb_trace_finish(t, &e), EBB_OK);

    const char *after_input = strchr(real->text, '\n') + 1;
    ck_assert_str_eq(dry->text, after_input);
    ck_assert_uint_gt(dry->n, 0);
    ebb_net_destroy(net);
    ck_assert_int_eq(s.held, 0);
    free(real);
    free(dry);
}
END_TEST

// Twice the same run: twice the same bytes.
START_TEST(logical_is_stable)
{
    stubborn s = {false, 0};
    collected *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    ebb_net *net = load_small_net(&s);
    for (int i = 0; i < 2; i++) {
        ebb_trace *t = new_trace(net, EBB_TRACE_LOGICAL, i ? b : a);
        ebb_extractor *x = start(net, ebb_trace_observer(t), false);
        extract_and_drop(x);
        ebb_extractor_destroy(x);
        ck_assert_int_eq(ebb_trace_finish(t, NULL), EBB_OK);
    }
    ck_assert_str_eq(a->text, b->text);
    ebb_net_destroy(net);
    free(a);
    free(b);
}
END_TEST

START_TEST(no_memory_to_begin)
{
    static const ebb_trace_format formats[] = {EBB_TRACE_LOGICAL, EBB_TRACE_FULL, EBB_TRACE_TABLE};
    stubborn s = {false, 0};
    collected *c = calloc(1, sizeof *c);
    ebb_net *net = load_small_net(&s);
    const long before = s.held;
    s.refuse = true;
    for (size_t i = 0; i < 3; i++) {
        ebb_error e = {.msg = ""};
        ebb_trace *t;
        ck_assert_int_eq(ebb_trace_new(net, formats[i], collect, c, &t, &e), EBB_E_NOMEM);
        ck_assert_ptr_null(t);
        ck_assert_str_ne(e.msg, "");
    }
    ck_assert_int_eq(s.held, before);
    s.refuse = false;
    ebb_net_destroy(net);
    free(c);
}
END_TEST

// The run goes on; what was lost is told at the end.
START_TEST(no_memory_on_the_way)
{
    stubborn s = {false, 0};
    collected *c = calloc(1, sizeof *c);
    ebb_net *net = load_small_net(&s);
    ebb_trace *t = new_trace(net, EBB_TRACE_TABLE, c);
    const ebb_event ev = {EBB_EV_ALLOC, 1, 1, -1, 1, NULL, 4, 4, 4, 0, ""};
    s.refuse = true;
    send_events(t, &ev, 1);
    s.refuse = false;
    ebb_error e = {.msg = ""};
    ck_assert_int_eq(ebb_trace_finish(t, &e), EBB_E_NOMEM);
    ck_assert_ptr_nonnull(strstr(e.msg, "incomplete"));
    ck_assert_ptr_nonnull(strstr(c->text, "peak"));
    ebb_net_destroy(net);
    ck_assert_int_eq(s.held, 0);
    free(c);
}
END_TEST

int main(void)
{
    const test_entry tests[] = {{"dry and real are the same", dry_and_real_are_the_same},
                                {"logical is stable", logical_is_stable},
                                {"no memory to begin", no_memory_to_begin},
                                {"no memory on the way", no_memory_on_the_way},
                                {NULL, NULL}};
    return run_tests("trace", tests);
}
