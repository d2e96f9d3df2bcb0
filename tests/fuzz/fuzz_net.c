// SPDX-License-Identifier: BSD-3-Clause
// fuzz_net.c - nets that could have been written, run in every way that must not matter. Rule: one run is the
// measure; every other one has its bits, its peaks or its refusal.
#include "fuzz.h"
#include "ebb_layer.h"
#include "nets.h"
#include <math.h>
#include <string.h>

enum { OUTS = 12 };

static bool show(void) { return getenv("FUZZ_SHOW") != NULL; }

// How one run differs from the first.
typedef struct way {
    const char *isa;
    ebb_precision precision;
    ebb_prefer prefer;
    enum { COPY, BORROW, GIVE } input;
    int threads;
    bool keep, each;                        // each: extracts one by one
    enum { ALIGNED, ODD, READER } weights;  // in memory, one byte further, from a reader
    size_t limit;
    unsigned char fill;
} way;

typedef struct outcome {
    ebb_status predicted, extracted;
    bool began;  // a layer ran
    ebb_prediction p;
    uint64_t dry, real;  // hashes of the logical events
    ebb_blob *out[NETS_BLOBS];
} outcome;

typedef struct subject {
    fuzz_made m;
    int n_out, values;
    bool smooth;
    char name[NETS_BLOBS][16];
    const char *out[NETS_BLOBS];
    void *data[NETS_BLOBS];  // of the inputs
    ebb_pool *pool;
} subject;

// ------------------------------------------------------------------------------------------- events

// The allocator is the witness: its bytes less those of weights and of bookkeeping are blobs and scratch, as
// long as the caller holds none.
typedef struct witness {
    const ebb_net *net;
    size_t around, scratch, blob_peak, joint_peak,
        scratch_peak;  // around: held before the run by none of the kinds
    uint64_t hash;
    bool real, began, handed, false_count;
} witness;

static size_t other_bytes(const ebb_net *net)
{
    ebb_mem_count n[EBB_MEM_KINDS];
    ebb_net_memory(net, n);
    return n[EBB_MEM_META].live + n[EBB_MEM_WEIGHT].live;
}

static void weigh(witness *w, const ebb_event *ev)
{
    const size_t now = fuzz_live() - w->around - other_bytes(w->net), said = ev->live + w->scratch;
    if (now < said) w->false_count = true;
    if (ev->kind == EBB_EV_RELEASE && !strcmp(ev->why, "the caller's")) w->handed = true;
    if (w->handed) return;
    if (now > w->joint_peak) w->joint_peak = now;
    if (ev->kind == EBB_EV_SCRATCH && now - ev->live > w->scratch_peak) w->scratch_peak = now - ev->live;
    if (now - w->scratch > w->blob_peak) w->blob_peak = now - w->scratch;
    if (now != said && ev->kind != EBB_EV_RELEASE) w->false_count = true;
}

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x100000001b3u; }

static void watch(void *user, const ebb_event *ev)
{
    static const bool logical[] = {
#define X(id, name, logical) logical,
        EBB_EVENT_LIST(X)
#undef X
    };
    witness *w = user;
    if (ev->kind == EBB_EV_BEGIN) w->began = true;
    if (ev->kind == EBB_EV_SCRATCH) w->scratch += ev->bytes;
    if (ev->kind == EBB_EV_UNSCRATCH) w->scratch -= ev->bytes;
    if (w->real) weigh(w, ev);
    if (show() && getenv("FUZZ_SHOW")[0] == '2')
        fprintf(stderr, "%s %d layer %d blob %d other %d bytes %zu live %zu %s\n", w->real ? "real" : "dry",
                ev->kind, ev->layer, ev->blob, ev->other, ev->bytes, ev->live, ev->why);
    if (!logical[ev->kind]) return;
    const uint64_t v[] = {ev->kind,
                          (uint64_t)ev->layer,
                          (uint64_t)ev->blob,
                          (uint64_t)ev->other,
                          (uint64_t)ev->reads,
                          ev->bytes,
                          ev->live,
                          ev->peak};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) w->hash = mix(w->hash, v[i]);
    for (const char *p = ev->why; *p; p++) w->hash = mix(w->hash, (unsigned char)*p);
}

// ------------------------------------------------------------------------------------------- inputs

static void fill_input(subject *s, int blob)
{
    static const float extreme[] = {NAN,          1,    INFINITY, -3e38f, 0, -INFINITY,
                                    2147483648.f, -0.f, 1e-40f,   3e38f,  -1};
    const ebb_desc *d = &s->m.desc[blob];
    const size_t n = ebb_desc_count(d);
    s->data[blob] = malloc(4 * n + (n == 0));
    REQUIRE(s->data[blob]);
    for (size_t i = 0; i < n; i++) {
        const size_t at = i + (size_t)blob * 11;
        const int32_t whole = (int32_t)(at * 7 % 5) - (s->values == FUZZ_EXTREME);
        const float v = s->values == FUZZ_EXTREME ? extreme[at % 11]
                        : s->values == FUZZ_ZERO  ? 0
                        : s->values == FUZZ_WHOLE ? (float)whole
                                                  : (float)(at * 37 % 129) / 64 - 1;
        memcpy((char *)s->data[blob] + 4 * i, d->dtype == EBB_I32 ? (const void *)&whole : &v, 4);
    }
}

static ebb_status set_input(const subject *s, ebb_extractor *x, int blob, const way *h)
{
    ebb_error e;
    char name[16];
    snprintf(name, sizeof name, "b%d", blob);
    const ebb_desc *d = &s->m.desc[blob];
    ebb_status st;
    if (h->input == COPY)
        st = ebb_extractor_copy(x, name, d, s->data[blob], &e);
    else if (h->input == BORROW)
        st = ebb_extractor_borrow(x, name, d, s->data[blob], &e);
    else {
        ebb_blob *b = NULL;
        st = ebb_extractor_make(x, d, &b, &e);
        if (st == EBB_OK) memcpy(ebb_blob_data(b), s->data[blob], 4 * ebb_desc_count(d));
        if (st == EBB_OK) st = ebb_extractor_give(x, name, b, &e);
        if (st != EBB_OK) ebb_blob_drop(b);
    }
    fuzz_ok(st, &e);
    return st;
}

static ebb_status set_inputs(const subject *s, ebb_extractor *x, const way *h)
{
    ebb_status st = EBB_OK;
    for (int i = 0; i < s->m.n_blobs && st == EBB_OK; i++)
        if (s->m.is_input[i]) st = set_input(s, x, i, h);
    return st;
}

// ------------------------------------------------------------------------------------------- one run

typedef struct shelf {
    const unsigned char *at;
    size_t left;
} shelf;

static bool take_bytes(void *user, void *to, size_t bytes)
{
    shelf *f = user;
    if (bytes > f->left) return false;
    memcpy(to, f->at, bytes);
    f->at += bytes;
    f->left -= bytes;
    return true;
}

static ebb_status load_weights(const subject *s, const way *h, ebb_net *net, ebb_error *e)
{
    static unsigned char odd[NETS_WEIGHTS + 1];
    if (h->weights == READER)
        return ebb_net_load_weights_reader(
            net, &(ebb_reader){take_bytes, &(shelf){s->m.weights, s->m.n_weights}}, e);
    if (h->weights == ALIGNED) return ebb_net_load_weights_mem(net, s->m.weights, s->m.n_weights, e);
    memcpy(odd + 1, s->m.weights, s->m.n_weights);
    return ebb_net_load_weights_mem(net, odd + 1, s->m.n_weights, e);
}

static ebb_status load(const subject *s, const way *h, ebb_net **net)
{
    ebb_error e;
    const ebb_net_options opt = {
        .allocator = fuzz_allocator, .prefer = h->prefer, .precision = h->precision, .isa = h->isa};
    ebb_status st = ebb_net_new(&opt, net, &e);
    if (st == EBB_OK) st = ebb_net_load_param_mem(*net, s->m.text, strlen(s->m.text), &e);
    if (st == EBB_OK) st = load_weights(s, h, *net, &e);
    fuzz_ok(st, &e);
    return st;
}

static ebb_status extract(const subject *s, ebb_extractor *x, const way *h, outcome *o)
{
    ebb_error e;
    ebb_status st = EBB_OK;
    if (!h->each) st = ebb_extractor_extract_many(x, s->out, s->n_out, EBB_TAKE_PLANAR, o->out, &e);
    for (int i = s->n_out - 1; h->each && i >= 0 && st == EBB_OK; i--)
        st = ebb_extractor_extract(x, s->out[i], EBB_TAKE_PLANAR, &o->out[i], &e);
    fuzz_ok(st, &e);
    return st;
}

static void drop(outcome *o)
{
    for (int i = 0; i < NETS_BLOBS; i++) ebb_blob_drop(o->out[i]);
    memset(o->out, 0, sizeof o->out);
}

// What a prediction says comes true, and the allocator saw the same.
static void check_peaks(const ebb_extractor *x, const outcome *o, const witness *w, const way *h, int n_out)
{
    ebb_mem_count n[EBB_MEM_KINDS];
    ebb_extractor_memory(x, n);
    if (show())
        fprintf(stderr,
                "allocator: blobs %zu, joint %zu; ledger: %zu, scratch %zu; predicted: %zu, %zu, %zu\n",
                w->blob_peak, w->joint_peak, n[EBB_MEM_BLOB].peak, n[EBB_MEM_SCRATCH].peak, o->p.blob_peak,
                o->p.scratch_peak, o->p.joint_peak);
    REQUIRE(!w->false_count && w->blob_peak <= n[EBB_MEM_BLOB].peak);
    REQUIRE(n_out > 1 || w->blob_peak == n[EBB_MEM_BLOB].peak);
    REQUIRE(n_out > 1 || w->scratch_peak == n[EBB_MEM_SCRATCH].peak);
    if (h->each) return;
    REQUIRE(n[EBB_MEM_BLOB].peak <= o->p.blob_peak);
    // Where results turn out smaller than their bounds, scratch may take what that leaves of a limit.
    REQUIRE(w->joint_peak <= (h->limit ? h->limit : o->p.joint_peak));
    if (!o->p.exact && h->limit) return;
    REQUIRE(n[EBB_MEM_SCRATCH].peak <= o->p.scratch_peak);
    if (!o->p.exact) return;
    REQUIRE(n[EBB_MEM_BLOB].peak == o->p.blob_peak && n[EBB_MEM_SCRATCH].peak == o->p.scratch_peak);
    REQUIRE(n_out > 1 || w->joint_peak == o->p.joint_peak);
    REQUIRE(o->dry == o->real);
}

// What is expected costs what is given.
static void check_expected(const subject *s, ebb_extractor *x, const outcome *o)
{
    ebb_error e;
    ebb_prediction p;
    ebb_extractor_reset(x);
    for (int i = 0; i < s->m.n_blobs; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        if (s->m.is_input[i] && !fuzz_ok(ebb_extractor_expect(x, name, &s->m.desc[i], &e), &e)) return;
    }
    const ebb_status st = ebb_extractor_predict(x, s->out, s->n_out, NULL, &p, &e);
    REQUIRE(fuzz_ok(st, &e) || fuzz_has_failed());
    if (st == EBB_OK) REQUIRE(p.blob_peak == o->p.blob_peak && p.joint_peak == o->p.joint_peak);
    if (st == EBB_OK) REQUIRE(p.blob_total == o->p.blob_total && p.exact == o->p.exact);
}

static void run_in(const subject *s, ebb_extractor *x, witness *w, const way *h, outcome *o)
{
    ebb_error e;
    fuzz_fill(h->fill);
    *o = (outcome){.extracted = set_inputs(s, x, h)};
    o->predicted = o->extracted;
    if (o->extracted != EBB_OK) return;
    witness dry = {.net = w->net};
    o->predicted = ebb_extractor_predict(x, s->out, s->n_out, &(ebb_observer){watch, &dry}, &o->p, &e);
    fuzz_ok(o->predicted, &e);
    ebb_mem_count n[EBB_MEM_KINDS];
    ebb_extractor_memory(x, n);
    *w = (witness){.net = w->net,
                   .real = true,
                   .around = fuzz_live() - other_bytes(w->net) - n[EBB_MEM_BLOB].live,
                   .blob_peak = n[EBB_MEM_BLOB].peak,
                   .joint_peak = n[EBB_MEM_BLOB].peak};
    o->extracted = extract(s, x, h, o);
    o->began = w->began;
    o->dry = dry.hash;
    o->real = w->hash;
    w->real = false;
    if (o->extracted != EBB_OK) return drop(o);
    if (!fuzz_has_failed()) check_peaks(x, o, w, h, s->n_out);
    if (h->input == GIVE && !h->each) check_expected(s, x, o);
}

static void run(const subject *s, const way *h, outcome *o)
{
    ebb_net *net = NULL;
    ebb_extractor *x = NULL;
    ebb_error e;
    *o = (outcome){.extracted = load(s, h, &net)};
    witness w = {.net = net};
    const ebb_extractor_options opt = {.threads = h->threads,
                                       .pool = h->threads > 1 ? s->pool : NULL,
                                       .keep_everything = h->keep,
                                       .memory_limit = h->limit,
                                       .observer = {watch, &w}};
    if (o->extracted == EBB_OK) {
        o->extracted = ebb_extractor_new(net, &opt, &x, &e);
        if (fuzz_ok(o->extracted, &e)) run_in(s, x, &w, h, o);
    }
    if (o->extracted != EBB_OK) o->predicted = o->predicted == EBB_OK ? EBB_OK : o->extracted;
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
}

// ------------------------------------------------------------------------------------------- comparisons

// Bit for bit, but any NaN is any other: its sign depends on where in a vector it arose.
static bool same_numbers(const float *x, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(x + i, y + i, sizeof *x) && !(isnan(x[i]) && isnan(y[i]))) return false;
    return true;
}

static bool same_blob(const ebb_blob *a, const ebb_blob *b)
{
    const ebb_desc *d = ebb_blob_desc(a);
    if (!ebb_desc_same_shape(d, ebb_blob_desc(b)) || d->dtype != ebb_blob_desc(b)->dtype) return false;
    const size_t n = ebb_desc_count(d), bytes = n * ebb_dtype_bytes(d->dtype);
    if (bytes == 0 || !memcmp(ebb_blob_data(a), ebb_blob_data(b), bytes)) return true;
    return d->dtype == EBB_F32 && same_numbers(ebb_blob_data(a), ebb_blob_data(b), n);
}

// Types whose results jump, or for which numbers close to each other lead far apart.
static bool is_smooth(const ebb_layer_type *t)
{
    static const char *const jumpy[] = {"GRU",
                                        "LSTM",
                                        "RNN",
                                        "ArgMax",
                                        "BatchNorm",
                                        "BinaryOp",
                                        "DetectionOutput",
                                        "Dequantize",
                                        "Exp",
                                        "GridSample",
                                        "GroupNorm",
                                        "InstanceNorm",
                                        "InverseSpectrogram",
                                        "LayerNorm",
                                        "Log",
                                        "LRN",
                                        "MVN",
                                        "Normalize",
                                        "Power",
                                        "Proposal",
                                        "PSROIPooling",
                                        "Quantize",
                                        "Reduction",
                                        "Requantize",
                                        "RMSNorm",
                                        "ROIAlign",
                                        "ROIPooling",
                                        "Spectrogram",
                                        "StatisticsPooling",
                                        "Threshold",
                                        "UnaryOp",
                                        "YoloDetectionOutput",
                                        "Yolov3DetectionOutput"};
    for (size_t i = 0; i < sizeof jumpy / sizeof *jumpy; i++)
        if (!strcmp(t->name, jumpy[i])) return false;
    return true;
}

static bool is_eight_bit(const fuzz_layer *l)
{
    return strstr(l->params, " 8=") || strstr(l->params, " 18=");
}

static void check_close(const ebb_blob *a, const ebb_blob *b, float tolerance)
{
    const ebb_desc *d = ebb_blob_desc(a);
    REQUIRE(ebb_desc_same_shape(d, ebb_blob_desc(b)) && d->dtype == ebb_blob_desc(b)->dtype);
    if (d->dtype != EBB_F32) return;
    const float *x = ebb_blob_data(a), *y = ebb_blob_data(b);
    const size_t n = ebb_desc_count(d);
    float most = 1;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i]) && fabsf(x[i]) > most) most = fabsf(x[i]);
    for (size_t i = 0; most < 1e6f && i < n; i++)
        REQUIRE(!isfinite(x[i]) || !isfinite(y[i]) ? isnan(x[i]) == isnan(y[i])
                                                   : fabsf(x[i] - y[i]) <= tolerance * most);
}

static bool all_smooth(const subject *s)
{
    for (int i = 0; i < s->m.n_layers; i++)
        if (!is_smooth(s->m.layer[i].type) || is_eight_bit(&s->m.layer[i])) return false;
    return true;
}

static void show_difference(const char *name, const ebb_blob *a, const ebb_blob *b)
{
    const float *x = ebb_blob_data(a), *y = ebb_blob_data(b);
    char text[2][64];
    size_t i = 0;
    fprintf(stderr, "%s is %s, and %s", name, ebb_desc_text(ebb_blob_desc(a), text[0], 64),
            ebb_desc_text(ebb_blob_desc(b), text[1], 64));
    if (strcmp(text[0], text[1]) || ebb_blob_desc(a)->dtype != EBB_F32) return;
    while (!memcmp(x + i, y + i, sizeof *x)) i++;
    fprintf(stderr, "; element %zu is %.9g, and %.9g\n", i, x[i], y[i]);
}

// The same bits, or, where blobs may have been converted elsewhere, numbers that differ by rounding.
static void check_same(const subject *s, const outcome *a, const outcome *b, bool exact)
{
    for (int i = 0; i < s->n_out; i++) {
        const bool same = same_blob(a->out[i], b->out[i]);
        if (!same && show()) show_difference(s->out[i], a->out[i], b->out[i]);
        REQUIRE(same || !exact);
        if (!same && s->smooth) check_close(a->out[i], b->out[i], 1e-4f);
    }
}

// Runs it in another way, which must not matter.
static void check_other(const subject *s, const outcome *first, way h, bool exact)
{
    outcome o;
    if (show())
        fprintf(stderr, "%s, precision %d, prefer %d, input %d, threads %d%s%s\n", h.isa, h.precision,
                h.prefer, h.input, h.threads, h.keep ? ", keeps all" : "", h.each ? ", one by one" : "");
    run(s, &h, &o);
    REQUIRE(o.extracted == EBB_OK);
    check_same(s, first, &o, exact);
    drop(&o);
}

// What was refused before a layer ran, and what would have been, are the same.
static bool check_limit(const subject *s, way h, size_t limit)
{
    outcome o;
    h.limit = limit;
    run(s, &h, &o);
    REQUIRE(o.extracted == EBB_OK || o.extracted == EBB_E_LIMIT);
    REQUIRE(o.predicted == o.extracted && (o.extracted == EBB_OK || !o.began));
    if (o.extracted == EBB_OK) REQUIRE(o.p.joint_peak <= limit);
    const bool ran = o.extracted == EBB_OK;
    drop(&o);
    return ran;
}

static void check_limits(const subject *s, const outcome *first, const way *h)
{
    const size_t peak = first->p.joint_peak;
    if (peak > 0) REQUIRE(check_limit(s, *h, peak));
    if (peak > 1) check_limit(s, *h, peak - 1);
    if (peak > 64) check_limit(s, *h, peak / 2);
}

// The same extractor again, after a reset.
static void check_again(const subject *s, const outcome *first, way h)
{
    ebb_net *net;
    ebb_extractor *x;
    ebb_error e;
    REQUIRE(load(s, &h, &net) == EBB_OK);
    witness w = {.net = net};
    const ebb_extractor_options opt = {.observer = {watch, &w}};
    REQUIRE(ebb_extractor_new(net, &opt, &x, &e) == EBB_OK);
    for (int i = 0; i < 2; i++) {
        outcome o;
        h.fill = i ? 0xc5 : 0x7f;
        h.input = i ? GIVE : COPY;
        run_in(s, x, &w, &h, &o);
        REQUIRE(o.extracted == EBB_OK);
        check_same(s, first, &o, false);
        drop(&o);
        ebb_extractor_reset(x);
    }
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
}

// One allocation fails: the run says so, or does without.
static void check_failure(const subject *s, const outcome *first, const way *h, int nth)
{
    outcome o;
    fuzz_fail_after(nth);
    run(s, h, &o);
    const bool failed = fuzz_has_failed();
    fuzz_fail_after(-1);
    REQUIRE(o.extracted == EBB_OK || (failed && o.extracted == EBB_E_NOMEM));
    if (o.extracted == EBB_OK) check_same(s, first, &o, false);
    drop(&o);
}

// ------------------------------------------------------------------------------------------- kernel tables

// A layer by itself, as a subject of its own.
static void single(const subject *s, const fuzz_layer *l, subject *one)
{
    memset(one, 0, sizeof *one);
    one->values = s->values;
    one->pool = s->pool;
    one->m.n_blobs = s->m.n_blobs;
    memcpy(one->m.desc, s->m.desc, sizeof one->m.desc);
    for (int i = 0; i < l->n_in; i++) one->m.is_input[l->in[i]] = true;
    one->m.n_weights = l->to - l->from;
    memcpy(one->m.weights, s->m.weights + l->from, one->m.n_weights);
    fuzz_write_layer(&s->m, l, one->m.text, sizeof one->m.text);
    for (int i = 0; i < l->n_out; i++) {
        snprintf(one->name[i], sizeof one->name[i], "b%d", l->out[i]);
        one->out[one->n_out++] = one->name[i];
    }
}

// A layer by itself in every table, on inputs that are the same in all.
static void check_tables(const subject *s, const fuzz_layer *l)
{
    static subject one;
    single(s, l, &one);
    for (int i = 0; i < one.m.n_blobs; i++)
        if (one.m.is_input[i] && one.m.desc[i].dtype == EBB_I8) return;
    for (int i = 0; i < one.m.n_blobs; i++)
        if (one.m.is_input[i]) fill_input(&one, i);
    outcome a, b;
    run(&one, &(way){.isa = "scalar"}, &a);
    for (int t = 0; ebb_isa_name(t); t++) {
        run(&one, &(way){.isa = ebb_isa_name(t)}, &b);
        REQUIRE(a.extracted == b.extracted);
        const bool exact = l->type->flags & EBB_LAYER_VIEW && strcmp(l->type->name, "Dropout");
        const bool close = is_smooth(l->type) && !is_eight_bit(l) && s->values != FUZZ_EXTREME;
        for (int i = 0; i < one.n_out && a.extracted == EBB_OK; i++)
            if (exact)
                REQUIRE(same_blob(a.out[i], b.out[i]));
            else if (close)
                check_close(a.out[i], b.out[i], 1e-3f);
        drop(&b);
    }
    drop(&a);
    for (int i = 0; i < one.m.n_blobs; i++) free(one.data[i]);
}

// ------------------------------------------------------------------------------------------- the target

static void choose_outputs(fuzz_choices *c, subject *s)
{
    const int most = fuzz_chance(c, 2) ? 1 : OUTS;
    for (int i = s->m.n_blobs - 1; i >= 0 && s->n_out < most; i--) {
        if (s->m.is_read[i] ? !fuzz_chance(c, 8) : s->m.is_input[i]) continue;
        snprintf(s->name[s->n_out], sizeof *s->name, "b%d", i);
        s->out[s->n_out] = s->name[s->n_out];
        s->n_out++;
    }
}

static way choose_way(fuzz_choices *c)
{
    int tables = 0;
    while (ebb_isa_name(tables)) tables++;
    static const ebb_precision precisions[] = {EBB_PRECISION_F32, EBB_PRECISION_F32, EBB_PRECISION_F16,
                                               EBB_PRECISION_BF16};
    return (way){.isa = ebb_isa_name((int)fuzz_pick(c, (unsigned)tables)),
                 .precision = precisions[fuzz_pick(c, 4)],
                 .prefer = fuzz_pick(c, 2) ? EBB_PREFER_FAST : EBB_PREFER_SMALL,
                 .fill = 0x7f};
}

static void check_ways(const subject *s, const outcome *first, way h, fuzz_choices *c)
{
    way o = h;
    o.fill = 0xc5;
    for (o.input = BORROW; o.input <= GIVE; o.input++) check_other(s, first, o, false);
    o = h, o.threads = 2, check_other(s, first, o, true);
    o = h, o.weights = ODD, check_other(s, first, o, true);
    o = h, o.weights = READER, check_other(s, first, o, true);
    o = h, o.each = true, check_other(s, first, o, false);
    o = h, o.keep = true, check_other(s, first, o, false);
    check_limits(s, first, &h);
    check_again(s, first, h);
    for (int i = 0; i < 3; i++) check_failure(s, first, &h, (int)fuzz_pick(c, 256));
    // A layer that is refused in one precision is refused in all.
    o = h, o.precision = (h.precision + 1) % 3;
    outcome p;
    run(s, &o, &p);
    REQUIRE(p.extracted == EBB_OK);
    drop(&p);
}

fuzz_tally fuzz_net_tally;

int fuzz_net(const uint8_t *data, size_t bytes)
{
    static subject s;
    static ebb_pool *pool;
    ebb_error e;
    fuzz_fail_after(-1);
    if (!pool) REQUIRE(ebb_pool_new(2, NULL, &pool, &e) == EBB_OK);
    fuzz_choices c = {data, bytes, 0};
    memset(&s, 0, sizeof s);
    s.pool = pool;
    s.values = (int)fuzz_pick(&c, 4);
    const way h = choose_way(&c);
    fuzz_net_tally.all++;
    if (!fuzz_make_net(&c, &s.m)) return 0;
    if (show()) fputs(s.m.text, stderr);
    s.smooth = all_smooth(&s) && h.precision == EBB_PRECISION_F32 && s.values != FUZZ_EXTREME;
    choose_outputs(&c, &s);
    for (int i = 0; i < s.m.n_blobs; i++)
        if (s.m.is_input[i]) fill_input(&s, i);
    outcome first;
    run(&s, &h, &first);
    REQUIRE(first.predicted == EBB_OK || first.extracted != EBB_OK);
    fuzz_net_tally.layers += s.m.n_layers;
    fuzz_net_tally.ran += first.extracted == EBB_OK;
    if (first.extracted == EBB_OK) {
        check_ways(&s, &first, h, &c);
        for (int i = 0; i < s.m.n_layers; i++)
            if (s.m.layer[i].fits && fuzz_chance(&c, 3)) check_tables(&s, &s.m.layer[i]);
    }
    drop(&first);
    for (int i = 0; i < s.m.n_blobs; i++) free(s.data[i]);
    REQUIRE(fuzz_live() == 0);
    return 0;
}
