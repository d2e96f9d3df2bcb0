// SPDX-License-Identifier: BSD-3-Clause
// lifetimes_test.c - the edges of lives: teardown in any order, calls from inside calls, memory that the
// caller lent, a process that forks. Each ends with nothing left of what the net allocated.
#include "small_layers.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char layers[] =
    "Input in 0 1 x\nReLU a 1 1 x a\nFork b 1 1 a b\nBinaryOp c 2 1 a b y 0=0\nReLU d 1 1 a z\n";

static void ok(ebb_status s, const ebb_error *e)
{
    if (s != EBB_OK) ck_abort_msg("%s", e->msg);
}

// ------------------------------------------------------------------------------------------- inside its own
// calls

typedef struct meddler {
    ebb_extractor *x;
    void (*meddle)(ebb_extractor *x);
    int at, seen;  // which event it acts at; -1: each
} meddler;

static void on_event(void *user, const ebb_event *ev)
{
    meddler *m = user;
    (void)ev;
    if (m->x && (m->seen++ == m->at || m->at < 0)) m->meddle(m->x);
}

static void use_it_all(ebb_extractor *x)
{
    ebb_error e[9];
    const ebb_desc d = vec(2);
    const float data[2] = {0};
    float room[2];
    ebb_blob *b, *out;
    ebb_prediction p;
    ebb_mem_count m[EBB_MEM_KINDS];
    ok(ebb_extractor_make(x, &d, &b, e), e);
    memset(ebb_blob_data(b), 0, sizeof data);
    const ebb_status s[] = {ebb_extractor_copy(x, "x", &d, data, &e[0]),
                            ebb_extractor_borrow(x, "x", &d, data, &e[1]),
                            ebb_extractor_give(x, "x", b, &e[2]),
                            ebb_extractor_expect(x, "x", &d, &e[3]),
                            ebb_extractor_declare(x, ONE("z"), 1, &e[4]),
                            ebb_extractor_keep(x, "a", &e[5]),
                            ebb_extractor_extract(x, "z", EBB_TAKE_PLANAR, &out, &e[6]),
                            ebb_extractor_extract_to(x, "z", &d, room, &e[7]),
                            ebb_extractor_predict(x, ONE("z"), 1, NULL, &p, &e[8])};
    for (int i = 0; i < 9; i++) {
        ck_assert_int_eq(s[i], EBB_E_STATE);
        ck_assert_msg(strstr(e[i].msg, "inside one of its own calls") != NULL, "%d: %s", i, e[i].msg);
    }
    ck_assert_ptr_null(out);
    ebb_extractor_memory(x, m);
    ebb_blob_drop(b);
}

START_TEST(an_observer_may_look_but_not_call)
{
    ebb_net *net = small_net(layers, NULL, 0);
    meddler m = {.meddle = use_it_all, .at = -1};
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = {on_event, &m}});
    const ebb_desc d = vec(2);
    ebb_error e = {0};
    ebb_prediction p;
    m.x = x;
    give(x, "x", &d, 1);
    ok(ebb_extractor_predict(x, ONE("y"), 1, &(ebb_observer){on_event, &m}, &p, &e), &e);
    ck_assert_float_eq(first_of(x, "y"), 3);
    ebb_extractor_reset(x);
    give(x, "x", &d, 2);
    ck_assert_float_eq(first_of(x, "z"), 2);
    ck_assert_int_gt(m.seen, 20);
    ebb_extractor_destroy(x);  // its events are told, too
    walk_net_end(net);
}
END_TEST

// Runs the whole with `meddle` at one event; false when there were not so many. Afterwards x is new, or gone.
static bool interrupted_at(int at, void (*meddle)(ebb_extractor *x), bool gone)
{
    ebb_net *net = small_net(layers, NULL, 0);
    meddler m = {.meddle = meddle, .at = at};
    ebb_extractor *x = m.x = open_on(net, &(ebb_extractor_options){.observer = {on_event, &m}});
    const ebb_desc d = vec(2);
    ebb_error e = {0};
    ebb_blob *b = NULL;
    give(x, "x", &d, 1);
    const bool during_give = m.seen > at;
    if (!during_give) {
        const ebb_status s = ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, &e);
        ck_assert_msg(s == EBB_OK || s == EBB_E_CANCELLED, "%s", e.msg);
        ck_assert((s == EBB_OK) == (b != NULL));
        if (b) ck_assert_float_eq(ebb_f32(b)[0], 3);
    }
    const bool happened = m.seen > at;
    if (!happened || !gone) {
        if (happened) {
            ok(ebb_extractor_declare(x, ONE("z"), 1, &e), &e);
            give(x, "x", &d, 5);
            ck_assert_float_eq(first_of(x, "z"), 5);
        }
        m.x = NULL;
        ebb_extractor_destroy(x);
    }
    ebb_blob_drop(b);
    walk_net_end(net);
    return happened;
}

START_TEST(reset_and_destroy_wait_for_the_end_of_a_call)
{
    int n = 0;
    while (interrupted_at(n, ebb_extractor_reset, false)) n++;
    ck_assert_int_gt(n, 15);
    for (int i = 0; i < n; i++) ck_assert(interrupted_at(i, ebb_extractor_destroy, true));
}
END_TEST

// ------------------------------------------------------------------------------------------- any order

typedef struct household {
    ebb_net *net;
    ebb_pool *pool;
    ebb_extractor *x;
    ebb_trace *t;
    ebb_blob *b;
} household;

static void count_text(void *user, const char *text, size_t bytes)
{
    (void)text;
    *(size_t *)user += bytes;
}

static household furnish(ebb_trace_format f, size_t *written)
{
    ebb_error e = {0};
    household h = {.net = small_net(layers, NULL, 0)};
    ok(ebb_pool_new(3, &walk_allocator, &h.pool, &e), &e);
    ok(ebb_trace_new(h.net, f, count_text, written, &h.t, &e), &e);
    h.x = open_on(
        h.net, &(ebb_extractor_options){.threads = 3, .pool = h.pool, .observer = ebb_trace_observer(h.t)});
    const ebb_desc d = vec(2);
    give(h.x, "x", &d, 1);
    ok(ebb_extractor_extract(h.x, "y", EBB_TAKE_PLANAR, &h.b, &e), &e);
    return h;
}

static void take_down(household *h, int which)
{
    ebb_error e = {0};
    if (which == 0)
        ebb_net_destroy(h->net);
    else if (which == 1)
        ebb_pool_destroy(h->pool);
    else if (which == 2)
        ebb_extractor_destroy(h->x);
    else if (which == 3)
        ck_assert_int_eq(ebb_trace_finish(h->t, &e), EBB_OK);
    else
        ebb_blob_drop(h->b);
}

enum { THINGS = 5, ORDERS = 120 };

START_TEST(teardown_in_any_order)
{
    for (int f = EBB_TRACE_LOGICAL; f <= EBB_TRACE_TABLE; f++)
        for (int order = 0; order < ORDERS; order++) {
            size_t written = 0, finished = 0;
            household h = furnish((ebb_trace_format)f, &written);
            int left[THINGS] = {0, 1, 2, 3, 4};
            for (int n = THINGS, code = order; n > 0; code /= n--) {
                const int which = left[code % n];
                take_down(&h, which);
                left[code % n] = left[n - 1];
                if (which == 3) finished = written;
            }
            ck_assert_uint_gt(finished, 0);
            ck_assert_uint_eq(written, finished);  // nothing comes behind the end
            walk_nothing_left();
        }
}
END_TEST

START_TEST(an_extractor_works_on_when_its_net_and_pool_are_given_up)
{
    size_t written = 0;
    household h = furnish(EBB_TRACE_FULL, &written);
    for (int i = 0; i < THINGS; i++)
        if (i != 2) take_down(&h, i);
    const ebb_desc d = vec(2);
    ebb_extractor_reset(h.x);
    give(h.x, "x", &d, 3);
    ck_assert_float_eq(first_of(h.x, "y"), 7);
    ebb_extractor_destroy(h.x);
    walk_nothing_left();
}
END_TEST

START_TEST(a_model_is_cleared_behind_its_last_user)
{
    ebb_error e = {0};
    size_t written = 0;
    household h = furnish(EBB_TRACE_TABLE, &written);
    const char *text = "7767517\n2 2\nInput in 0 1 p\nReLU r 1 1 p q\n";
    ebb_net_clear(h.net);
    ck_assert_int_eq(ebb_net_load_param_mem(h.net, text, strlen(text), &e), EBB_E_STATE);
    ck_assert_ptr_nonnull(strstr(e.msg, "destroy and finish them"));
    ck_assert_int_eq(ebb_extractor_new(h.net, NULL, &(ebb_extractor *){NULL}, &e), EBB_E_STATE);
    const ebb_desc d = vec(2);
    ebb_extractor_reset(h.x);
    give(h.x, "x", &d, 3);
    ck_assert_float_eq(first_of(h.x, "y"), 7);
    for (int i = 1; i < THINGS; i++) take_down(&h, i);
    ok(ebb_net_load_param_mem(h.net, text, strlen(text), &e), &e);
    ck_assert_str_eq(ebb_net_blob_name(h.net, 1), "q");
    walk_net_end(h.net);
}
END_TEST

// ------------------------------------------------------------------------------------------- lent memory

// Extracts a blob, ends all, overwrites and frees what was lent, and looks.
static void outlives(const char *text, const char *name, ebb_take how, float *lent, bool weights)
{
    ebb_net *net = small_net(text, weights ? lent : NULL, weights ? 4 * sizeof *lent : 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(4);
    ebb_error e = {0};
    ebb_blob *b;
    ebb_prediction p;
    ebb_mem_count m[EBB_MEM_KINDS];
    if (!weights) ok(ebb_extractor_borrow(x, "x", &d, lent, &e), &e);
    ok(ebb_extractor_predict(x, &name, 1, NULL, &p, &e), &e);
    ok(ebb_extractor_extract(x, name, how, &b, &e), &e);
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, p.blob_peak);
    ck_assert_uint_eq(p.blob_peak, 4 * sizeof *lent);  // the copy that is handed out
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
    memset(lent, 0xff, 4 * sizeof *lent);
    free(lent);
    ck_assert_float_eq(ebb_f32(b)[0], 7);
    ck_assert_float_eq(ebb_f32(b)[3], 9);
    ebb_blob_drop(b);
    walk_nothing_left();
}

static float *lend(void)
{
    static const float v[4] = {7, 1, 2, 9};
    return memcpy(malloc(sizeof v), v, sizeof v);
}

START_TEST(blobs_handed_out_never_lie_in_lent_memory)
{
    for (int how = EBB_TAKE_PLANAR; how <= EBB_TAKE_AS_IS; how++) {
        const ebb_take take = (ebb_take)how;
        outlives("MemoryData m 0 1 m 0=4\n", "m", take, lend(), true);
        outlives("MemoryData m 0 1 m 0=4\nReshape r 1 1 m r 0=2 1=2\n", "r", take, lend(), true);
        outlives("Input in 0 1 x\nReLU a 1 1 x a\n", "x", take, lend(), false);
        outlives("Input in 0 1 x\nReshape r 1 1 x r 0=2 1=2\n", "r", take, lend(), false);
    }
}
END_TEST

START_TEST(extract_to_copies_lent_memory_once)
{
    ebb_net *net = small_net("Input in 0 1 x\nReLU a 1 1 x a\n", NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    const ebb_desc d = vec(4);
    const float from[4] = {7, 1, 2, 9};
    float to[4];
    ebb_error e = {0};
    ebb_mem_count m[EBB_MEM_KINDS];
    ok(ebb_extractor_borrow(x, "x", &d, from, &e), &e);
    ok(ebb_extractor_extract_to(x, "x", &d, to, &e), &e);
    ck_assert_mem_eq(to, from, sizeof to);
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, 0);
    ebb_extractor_destroy(x);
    walk_net_end(net);
}
END_TEST

// ------------------------------------------------------------------------------------------- fork

// A child has no threads but its own: it computes alone, and ends what it got.
START_TEST(a_child_computes_alone_and_tears_down)
{
    for (int round = 0; round < 20; round++) {
        ebb_net *net = small_net("Input in 0 1 x\nWorkers w 1 1 x w\nReLU r 1 1 w r\n", NULL, 0);
        ebb_extractor *x = open_on(net, &(ebb_extractor_options){.threads = 4});
        const ebb_desc d = vec(1 << 16);
        give(x, "x", &d, 1);
        const float parent = first_of(x, "r");
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            ebb_extractor_reset(x);
            give(x, "x", &d, 1);
            const bool same = first_of(x, "r") == parent;
            ebb_extractor_destroy(x);
            walk_net_end(net);
            _exit(same ? 0 : 1);
        }
        int status = -1;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
        ebb_extractor_destroy(x);
        walk_net_end(net);
    }
}
END_TEST

static void ignore(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }

// An observer can end up at an extractor of another net, and a trace can be asked for too early.
START_TEST(a_trace_tells_of_blobs_of_its_net_only)
{
    ebb_error e = {.msg = ""};
    static const char text[] = "7767517\n2 2\nInput in 0 1 x\nReLU r 1 1 x y\n";
    ebb_net *small, *empty;
    ck_assert(ebb_net_new(NULL, &small, &e) == EBB_OK);
    ck_assert(ebb_net_load_param_mem(small, text, strlen(text), &e) == EBB_OK);
    ebb_net *large = small_net("Input in 0 1 x\nReLU r 1 1 x y\nReLU s 1 1 y z\nReLU t 1 1 z u\n", NULL, 0);
    for (int f = EBB_TRACE_LOGICAL; f <= EBB_TRACE_TABLE; f++) {
        ebb_trace *t;
        const ebb_desc d = vec(4);
        ck_assert(ebb_net_new(NULL, &empty, &e) == EBB_OK);
        ck_assert_int_eq(ebb_trace_new(empty, (ebb_trace_format)f, ignore, NULL, &t, &e), EBB_E_STATE);
        ebb_net_destroy(empty);
        ck_assert(ebb_trace_new(small, (ebb_trace_format)f, ignore, NULL, &t, &e) == EBB_OK);
        ebb_extractor *x = open_on(large, &(ebb_extractor_options){.observer = ebb_trace_observer(t)});
        give(x, "x", &d, 1);
        ck_assert(first_of(x, "u") == 1);
        ck_assert_int_eq(ebb_trace_finish(t, &e), EBB_E_STATE);
        ebb_extractor_destroy(x);
    }
    ebb_net_destroy(small);
    walk_net_end(large);
}
END_TEST

int main(void)
{
#define T(f)                                                                                                 \
    {                                                                                                        \
#f, f                                                                                                \
    }
    return run_tests("lifetimes",
                     (const test_entry[]){T(an_observer_may_look_but_not_call),
                                          T(reset_and_destroy_wait_for_the_end_of_a_call),
                                          T(teardown_in_any_order),
                                          T(an_extractor_works_on_when_its_net_and_pool_are_given_up),
                                          T(a_model_is_cleared_behind_its_last_user),
                                          T(blobs_handed_out_never_lie_in_lent_memory),
                                          T(extract_to_copies_lent_memory_once),
                                          T(a_child_computes_alone_and_tears_down),
                                          T(a_trace_tells_of_blobs_of_its_net_only), {0}});
}
