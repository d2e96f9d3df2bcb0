// SPDX-License-Identifier: BSD-3-Clause
// fuzz.c - loads, predicts and runs nets that nobody wrote on purpose. Rule: what a caller may rely on is
// asserted: statuses have words, predictions come true, runs repeat bit for bit, nothing is left.
#include "fuzz.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- memory

enum { MOST = 64 << 20, LIMIT = 32 << 20 };
// What is more than this is only predicted.
enum { MOST_INPUT = 1 << 12, MOST_TOTAL = 1 << 20, MOST_MACS = 1 << 24, MOST_NAMES = 64 };

static atomic_size_t live;
static atomic_int until_failure = -1;  // allocations that still succeed; negative: all
static atomic_bool failed;
static unsigned char junk;  // memory is filled with it: what is read uninitialised differs from run to run

size_t fuzz_live(void) { return atomic_load(&live); }
void fuzz_fill(unsigned char with) { junk = with; }

void fuzz_fail_after(int n)
{
    atomic_store(&failed, false);
    atomic_store(&until_failure, n);
}

bool fuzz_has_failed(void) { return atomic_load(&failed); }

// Counts down to the one that fails; those behind it succeed.
static bool fails_now(void)
{
    if (atomic_load(&until_failure) < 0 || atomic_fetch_sub(&until_failure, 1) != 0) return false;
    atomic_store(&failed, true);
    return true;
}

static void *get(void *user, size_t bytes, size_t align)
{
    (void)user;
    void *p = NULL;
    if (fails_now() || bytes > MOST || atomic_load(&live) + bytes > MOST || posix_memalign(&p, align, bytes))
        return NULL;
    atomic_fetch_add(&live, bytes);
    return memset(p, junk, bytes);
}

static void put(void *user, void *p, size_t bytes)
{
    (void)user;
    atomic_fetch_sub(&live, bytes);
    free(p);
}

const ebb_allocator fuzz_allocator = {get, put, NULL};

// ------------------------------------------------------------------------------------------- files

bool fuzz_begin(fuzz_file *f, const uint8_t *data, size_t bytes)
{
    *f = (fuzz_file){0};
    fuzz_fail_after(-1);
    if (bytes == 0) return false;
    const unsigned how = data[bytes - 1], precision = how >> 6;
    f->how = (fuzz_how){.best = how & 1,
                        .fast = how & 2,
                        .threads = how & 4,
                        .one_by_one = how & 8,
                        .values = how >> 4 & 3,
                        .precision = precision == 1   ? EBB_PRECISION_F16
                                     : precision == 2 ? EBB_PRECISION_BF16
                                                      : EBB_PRECISION_F32};
    f->bytes = bytes - 1;
    f->data = malloc(f->bytes + (f->bytes == 0));
    if (f->data) memcpy(f->data, data, f->bytes);
    return f->data != NULL;
}

void fuzz_end(fuzz_file *f) { free(f->data); }

ebb_net *fuzz_new_net(const fuzz_how *how)
{
    int best = 0;
    while (ebb_isa_name(best + 1)) best++;
    const ebb_net_options opt = {.allocator = fuzz_allocator,
                                 .prefer = how->fast ? EBB_PREFER_FAST : EBB_PREFER_SMALL,
                                 .precision = how->precision,
                                 .isa = ebb_isa_name(how->best ? best : 0)};
    ebb_net *net;
    ebb_error e;
    REQUIRE(ebb_net_new(&opt, &net, &e) == EBB_OK);
    return net;
}

bool fuzz_ok(ebb_status s, const ebb_error *e)
{
    REQUIRE(s == EBB_OK || (e->code == s && e->msg[0] && !strchr(e->msg, '\n')));
    return s == EBB_OK;
}

// Numbers of a cell are tags where a tag is asked for: f32, or i8 with values of zero.
static bool endless(void *user, void *to, size_t bytes)
{
    const fuzz_how *how = user;
    const unsigned char tag[] = {0x38, 0x4b, 0x0d, 0};
    if (bytes > MOST) return false;
    memset(to, 0, bytes);
    if (bytes == sizeof tag)
        memcpy(to, how->values == FUZZ_ZERO ? tag : (const unsigned char[4]){0}, sizeof tag);
    else
        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            const float v = (float)(i / 4 * 37 % 129) / 64 - 1;
            memcpy((char *)to + i, &v, sizeof v);
        }
    return true;
}

bool fuzz_load_weights(ebb_net *net, const fuzz_how *how)
{
    ebb_error e;
    return fuzz_ok(ebb_net_load_weights_reader(net, &(ebb_reader){endless, (void *)how}, &e), &e);
}

// ------------------------------------------------------------------------------------------- running

typedef struct session {
    const ebb_net *net;
    const fuzz_how *how;
    ebb_extractor *x;
    int n_out;
    char text[MOST_NAMES][16];  // "#7"
    const char *out[MOST_NAMES];
    double macs;
} session;

static float value(const fuzz_how *how, size_t i)
{
    static const float extreme[] = {NAN,          1,    INFINITY, -3e38f, 0,  -INFINITY,
                                    2147483648.f, -0.f, 1e-40f,   3e38f,  -1, -2147483904.f};
    switch (how->values) {
    case FUZZ_SMALL: return (float)(i * 37 % 129) / 64 - 1;
    case FUZZ_WHOLE: return (float)(i * 7 % 11) - 2;
    case FUZZ_EXTREME: return extreme[i % (sizeof extreme / sizeof *extreme)];
    case FUZZ_ZERO: break;
    }
    return 0;
}

// Of whole numbers, those of every second input are integers.
static bool set_input(session *s, int nth, int blob, bool expected)
{
    ebb_error e;
    char name[16];
    snprintf(name, sizeof name, "#%d", blob);
    ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){3, 9, 8});
    ebb_net_input_hint(s->net, blob, &d);
    if (s->how->values == FUZZ_WHOLE && nth % 2) d.dtype = EBB_I32;
    if (expected) return fuzz_ok(ebb_extractor_expect(s->x, name, &d, &e), &e);
    const size_t n = ebb_desc_count(&d);
    if (n > MOST_INPUT) return false;
    ebb_blob *b;
    if (!fuzz_ok(ebb_extractor_make(s->x, &d, &b, &e), &e)) return false;
    for (size_t i = 0; i < n; i++) {
        const float f = value(s->how, i);
        const int32_t whole = (int32_t)(i * 7 % 11) - 2;
        memcpy((char *)ebb_blob_data(b) + 4 * i, d.dtype == EBB_I32 ? (const void *)&whole : &f, 4);
    }
    const bool given = nth % 3 != 1;
    const ebb_status st = given ? ebb_extractor_give(s->x, name, b, &e)
                                : ebb_extractor_copy(s->x, name, &d, ebb_blob_data(b), &e);
    if (st != EBB_OK || !given) ebb_blob_drop(b);
    return fuzz_ok(st, &e);
}

static bool set_inputs(session *s, bool expected)
{
    int blobs[MOST_NAMES];
    const int n = ebb_net_inputs(s->net, blobs, MOST_NAMES);
    for (int i = 0; i < n && i < MOST_NAMES; i++)
        if (!set_input(s, i, blobs[i], expected)) return false;
    return n <= MOST_NAMES;
}

static void count_macs(void *user, const ebb_event *ev)
{
    if (ev->kind == EBB_EV_END) ((session *)user)->macs += ev->macs;
}

static bool predict(session *s, ebb_prediction *p)
{
    ebb_error e;
    s->macs = 0;
    const ebb_observer watch = {count_macs, s};
    return fuzz_ok(ebb_extractor_predict(s->x, s->out, s->n_out, &watch, p, &e), &e);
}

static bool extract(session *s, ebb_blob **out)
{
    ebb_error e;
    memset(out, 0, (size_t)s->n_out * sizeof *out);
    if (!s->how->one_by_one)
        return fuzz_ok(ebb_extractor_extract_many(s->x, s->out, s->n_out, EBB_TAKE_PLANAR, out, &e), &e);
    for (int i = s->n_out - 1; i >= 0; i--)
        if (!fuzz_ok(ebb_extractor_extract(s->x, s->out[i], EBB_TAKE_PLANAR, &out[i], &e), &e)) return false;
    return true;
}

static void check_peak(const session *s, const ebb_prediction *p)
{
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_extractor_memory(s->x, count);
    REQUIRE(p->exact ? count[EBB_MEM_BLOB].peak == p->blob_peak : count[EBB_MEM_BLOB].peak <= p->blob_peak);
    REQUIRE(count[EBB_MEM_BLOB].peak <= LIMIT);
}

// One run in memory full of `fill`.
static bool run(session *s, unsigned char fill, ebb_blob **out)
{
    ebb_prediction p;
    junk = fill;
    ebb_extractor_reset(s->x);
    if (!set_inputs(s, false)) return false;
    const bool predicted = s->how->one_by_one || predict(s, &p);
    const bool done = extract(s, out);
    if (!s->how->one_by_one && predicted && done) check_peak(s, &p);
    REQUIRE(predicted || !done);
    return done;
}

static void check_same(ebb_blob *a, ebb_blob *b)
{
    const ebb_desc *d = ebb_blob_desc(a);
    REQUIRE(ebb_desc_same_shape(d, ebb_blob_desc(b)) && d->dtype == ebb_blob_desc(b)->dtype);
    const size_t bytes = ebb_desc_count(d) * ebb_dtype_bytes(d->dtype);
    REQUIRE(bytes == 0 || memcmp(ebb_blob_data(a), ebb_blob_data(b), bytes) == 0);
}

static void run_twice(session *s)
{
    ebb_blob *a[MOST_NAMES] = {0}, *b[MOST_NAMES] = {0};
    const bool first = run(s, 0x7f, a), second = run(s, 0xc5, b);
    REQUIRE(first == second);
    for (int i = 0; i < s->n_out; i++) {
        if (first) check_same(a[i], b[i]);
        ebb_blob_drop(a[i]);
        ebb_blob_drop(b[i]);
    }
}

static bool open_session(session *s, ebb_net *net, const fuzz_how *how, ebb_pool *pool)
{
    int blobs[MOST_NAMES];
    ebb_error e;
    *s = (session){.net = net, .how = how, .n_out = ebb_net_outputs(net, blobs, MOST_NAMES)};
    if (s->n_out > MOST_NAMES) s->n_out = MOST_NAMES;
    for (int i = 0; i < s->n_out; i++) {
        snprintf(s->text[i], sizeof s->text[i], "#%d", blobs[i]);
        s->out[i] = s->text[i];
    }
    const ebb_extractor_options opt = {
        .threads = how->threads ? 2 : 1, .pool = how->threads ? pool : NULL, .memory_limit = LIMIT};
    return fuzz_ok(ebb_extractor_new(net, &opt, &s->x, &e), &e);
}

void fuzz_run(ebb_net *net, const fuzz_how *how)
{
    static ebb_pool *pool;  // made once; it outlives all runs
    ebb_error e;
    if (how->threads && !pool) REQUIRE(ebb_pool_new(2, NULL, &pool, &e) == EBB_OK);
    session s;
    ebb_prediction p;
    if (open_session(&s, net, how, pool)) {
        if (set_inputs(&s, true) && predict(&s, &p) && p.blob_total < MOST_TOTAL && s.macs < MOST_MACS)
            run_twice(&s);
        ebb_extractor_destroy(s.x);
    }
    ebb_net_destroy(net);
    REQUIRE(atomic_load(&live) == 0);
}
