// SPDX-License-Identifier: BSD-3-Clause
// fuzz_api.c - every function of ebb.h in any order, with right and wrong arguments and failing allocations.
// Rule: it does only what the header allows.
#include "ebb_layer.h"
#include "fuzz.h"
#include "nets.h"
#include <string.h>

enum { NETS = 2, POOLS = 2, EXTRACTORS = 3, TRACES = 2, BLOBS = 6, STEPS = 64, FLOATS = 1 << 14, NAMES = 4 };

typedef struct api {
    fuzz_choices c;
    fuzz_made made[NETS];
    ebb_net *net[NETS];
    ebb_pool *pool[POOLS];
    ebb_trace *trace[TRACES];
    ebb_blob *blob[BLOBS];
    struct {
        ebb_extractor *x;
        int net;
        bool ending;
    } x[EXTRACTORS];
    int calls_inside;              // of observers, that may still be made
    struct api *self[EXTRACTORS];  // for observers: which of them
        char name[NAMES][32];
    const char *names[NAMES];
    size_t written;
    ebb_error e;
} api;

static float memory[FLOATS], result[FLOATS];

static int pick(api *a, int n) { return (int)fuzz_pick(&a->c, (unsigned)n); }
static bool chance(api *a, unsigned n) { return fuzz_chance(&a->c, n); }
static ebb_error *maybe(api *a) { return chance(a, 8) ? NULL : &a->e; }

// Whether it succeeded; when it has to say why not, it said so.
static bool said(api *a, ebb_status s, const ebb_error *e)
{
    REQUIRE(s <= EBB_E_CANCELLED && ebb_status_name(s) && ebb_status_text(s));
    if (e) fuzz_ok(s, e);
    if (s == EBB_E_NOMEM && e) REQUIRE(fuzz_has_failed() || strstr(e->msg, "memory"));
    a->e = (ebb_error){0};
    return s == EBB_OK;
}

// ------------------------------------------------------------------------------------------- arguments

static const char *a_name(api *a, int net, int nth)
{
    char *to = a->name[nth];
    const ebb_net *n = a->net[net];
    const char *of =
        n && ebb_net_blob_count(n) > 0 ? ebb_net_blob_name(n, pick(a, ebb_net_blob_count(n))) : NULL;
    switch (pick(a, 12)) {
    case 0: return snprintf(to, sizeof a->name[nth], "#%d", pick(a, 256) - 8), to;
    case 1: return "";
    case 2: return "b999";
    default: return snprintf(to, sizeof a->name[nth], "%s", of ? of : "nothing"), to;
    }
}

static int some_names(api *a, int net)
{
    const int n = 1 + pick(a, NAMES);
    for (int i = 0; i < n; i++) a->names[i] = a_name(a, net, i);
    return chance(a, 16) ? 0 : n;
}

static void spoil(api *a, ebb_desc *d)
{
    static const int sizes[] = {-1, 0, INT32_MAX, 1 << 16, 7};
    const int axis = pick(a, EBB_MAX_RANK);
    switch (pick(a, 6)) {
    case 0: d->rank = pick(a, 8) - 2; break;
    case 1: d->dim[axis] = sizes[pick(a, 5)]; break;
    case 2: d->stride[axis] = (ptrdiff_t[]){-1, 0, 1, PTRDIFF_MAX, 1 << 20}[pick(a, 5)]; break;
    case 3: d->dtype = (ebb_dtype)(pick(a, 9) - 2); break;
    case 4: *d = ebb_desc_pixel(d->dtype, d->rank, d->dim); break;
    default: d->dim[axis]++; break;
    }
}

static ebb_desc a_desc(api *a, int net)
{
    const fuzz_made *m = &a->made[net];
    ebb_desc d = ebb_desc_planar(EBB_F32, 3, (const int[]){3, 5, 4});
    if (m->n_blobs) d = m->desc[pick(a, m->n_blobs)];
    if (chance(a, 3)) spoil(a, &d);
    return d;
}

// Is all that it describes in memory[]? Strides that a call must refuse are none of its elements.
static bool in_memory(const ebb_desc *d)
{
    size_t span = 1;
    if (d->rank < 0 || d->rank > EBB_MAX_RANK || d->dtype < EBB_F32 || d->dtype > EBB_I32) return true;
    for (int i = 0; i < d->rank; i++) {
        if (d->dim[i] < 0 || d->stride[i] < 0) return true;
        if (d->dim[i] == 0) return true;
        span = ebb_size_add(span, ebb_size_mul((size_t)d->dim[i] - 1, (size_t)d->stride[i]));
    }
    return span <= FLOATS && ebb_desc_count(d) <= FLOATS;
}

// ------------------------------------------------------------------------------------------- nets

static void log_line(void *user, ebb_log_level level, const char *line)
{
    REQUIRE(user && level <= EBB_LOG_INFO && line[0]);
}

static void new_net(api *a, int n)
{
    const ebb_net_options opt = {.allocator = fuzz_allocator,
                                 .prefer = (ebb_prefer)pick(a, 2),
                                 .precision = (ebb_precision)pick(a, 3),
                                 .isa = chance(a, 16) ? "none" : ebb_isa_name(pick(a, 2)),
                                 .log = log_line,
                                 .log_user = a};
    ebb_error *e = maybe(a);
    if (a->net[n]) return;
    if (!said(a, ebb_net_new(&opt, &a->net[n], e), e)) a->net[n] = NULL;
}

static bool read_weights(void *user, void *to, size_t bytes)
{
    fuzz_made *m = user;
    const size_t left = sizeof m->weights - m->n_weights, n = bytes < left ? bytes : left;
    memcpy(to, m->weights, n);
    return n == bytes;
}

static ebb_status load_param(api *a, int n, ebb_error *e)
{
    const fuzz_made *m = &a->made[n];
    const size_t all = strlen(m->text);
    if (chance(a, 12)) return ebb_net_load_param(a->net[n], "/nowhere/x.param", e);
    if (chance(a, 12)) return ebb_net_load(a->net[n], "/dev/null", "/dev/null", e);
    return ebb_net_load_param_mem(a->net[n], m->text, chance(a, 8) ? all * (unsigned)pick(a, 256) / 256 : all,
                                  e);
}

static ebb_status load_weights(api *a, int n, ebb_error *e)
{
    fuzz_made *m = &a->made[n];
    if (chance(a, 12))
        return ebb_net_load_weights(a->net[n], chance(a, 2) ? "/nowhere/x.bin" : "/dev/null", e);
    if (chance(a, 8)) return ebb_net_load_weights_reader(a->net[n], &(ebb_reader){read_weights, m}, e);
    return ebb_net_load_weights_mem(a->net[n], m->weights, chance(a, 8) ? m->n_weights / 2 : m->n_weights, e);
}

static void change_net(api *a, int n)
{
    static const ebb_layer_type broken = {.size = 1, .name = "Broken"};
    ebb_error *e = maybe(a);
    if (!a->net[n]) new_net(a, n);
    if (!a->net[n]) return;
    switch (pick(a, 6)) {
    case 0: ebb_net_destroy(a->net[n]), a->net[n] = NULL; break;
    case 1: ebb_net_clear(a->net[n]); break;
    case 2:
        said(a, ebb_net_add_layer(a->net[n], chance(a, 3) ? &broken : ebb_builtin_layer(pick(a, 64)), e), e);
        break;
    default:
        if (said(a, load_param(a, n, e), e)) said(a, load_weights(a, n, e), e);
        break;
    }
}

static void ask_net(api *a, int n)
{
    const ebb_net *net = a->net[n];
    if (!net) return;
    const int i = pick(a, 256) - 8;
    int blobs[4];
    ebb_layer_info info;
    ebb_desc d;
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_error *e = maybe(a);
    if (said(a, ebb_net_layer(net, i, &info, e), e))
        REQUIRE(info.name && info.type && i < ebb_net_layer_count(net));
    REQUIRE(!ebb_net_blob_name(net, i) == (i < 0 || i >= ebb_net_blob_count(net)));
    REQUIRE(ebb_net_blob_producer(net, i) < ebb_net_layer_count(net));
    REQUIRE(ebb_net_blob_index(net, a_name(a, n, 0), e) < ebb_net_blob_count(net));
    REQUIRE(ebb_net_inputs(net, blobs, pick(a, 5)) >= 0 && ebb_net_outputs(net, blobs, pick(a, 5)) >= 0);
    ebb_net_input_hint(net, i, &d);
    ebb_net_memory(net, count);
    REQUIRE(count[EBB_MEM_META].live <= count[EBB_MEM_META].peak && ebb_net_isa(net)[0] &&
            ebb_net_device(net)[0]);
}

// ------------------------------------------------------------------------------------------- traces, pools

static void count_text(void *user, const char *text, size_t bytes)
{
    api *a = user;
    REQUIRE(bytes == 0 || !memchr(text, 0, bytes));
    a->written += bytes;
}

static void change_trace(api *a, int t)
{
    ebb_error *e = maybe(a);
    const int n = pick(a, NETS);
    if (a->trace[t]) {
        said(a, ebb_trace_finish(a->trace[t], e), e);
        a->trace[t] = NULL;
    } else if (a->net[n]) {
        const ebb_trace_format f = (ebb_trace_format)pick(a, 3);
        if (!said(a, ebb_trace_new(a->net[n], f, count_text, a, &a->trace[t], e), e)) a->trace[t] = NULL;
    }
}

static void change_pool(api *a, int p)
{
    static const int threads[] = {2, 1, 3, 0, -1, 2000};
    ebb_error *e = maybe(a);
    if (a->pool[p])
        ebb_pool_destroy(a->pool[p]), a->pool[p] = NULL;
    else if (!said(a, ebb_pool_new(threads[pick(a, 6)], &fuzz_allocator, &a->pool[p], e), e))
        a->pool[p] = NULL;
}

// ------------------------------------------------------------------------------------------- extractors

// What an observer may do with its own extractor: little. What it may not do has no effect.
static void call_inside(void *user, const ebb_event *ev)
{
    api *a = *(api **)user;
    const int i = (int)((api **)user - a->self);
    ebb_extractor *x = a->x[i].x;
    REQUIRE(ev->why && ev->live <= ev->peak);
    if (!x || a->calls_inside == 0 || !chance(a, 4)) return;
    a->calls_inside--;
    ebb_error e;
    ebb_blob *b;
    ebb_prediction p;
    ebb_mem_count count[EBB_MEM_KINDS];
    const ebb_desc d = ebb_desc_planar(EBB_F32, 1, (const int[]){4});
    const char *name = "b0";
    switch (pick(a, 10)) {
    case 0: ebb_extractor_memory(x, count); break;
    case 1:
        if (fuzz_ok(ebb_extractor_make(x, &d, &b, &e), &e)) ebb_blob_drop(b);
        break;
    case 2: ebb_extractor_cancel(x); break;
    case 3: REQUIRE(ebb_extractor_copy(x, name, &d, memory, &e) == EBB_E_STATE); break;
    case 4: REQUIRE(ebb_extractor_extract(x, name, EBB_TAKE_PLANAR, &b, &e) == EBB_E_STATE && !b); break;
    case 5: REQUIRE(ebb_extractor_predict(x, &name, 1, NULL, &p, &e) == EBB_E_STATE); break;
    case 6: REQUIRE(ebb_extractor_declare(x, &name, 1, &e) == EBB_E_STATE); break;
    case 7: REQUIRE(ebb_extractor_keep(x, name, &e) == EBB_E_STATE); break;
    case 8: ebb_extractor_reset(x); break;
    default:
        if (a->x[i].ending) break;
        a->x[i].x = NULL;
        ebb_extractor_destroy(x);
        break;
    }
}

static void end_extractor(api *a, int i)
{
    a->x[i].ending = true;
    ebb_extractor_destroy(a->x[i].x);
    a->x[i].x = NULL;
}

static void change_extractor(api *a, int i)
{
    static const int threads[] = {0, 1, 2, 1, 0, 1, 0, 3, -1, 2000};
    const int n = pick(a, NETS), t = pick(a, TRACES + 1) - 1, p = pick(a, POOLS + 1) - 1;
    ebb_error *e = maybe(a);
    if (a->x[i].x) {
        if (chance(a, 2)) end_extractor(a, i);
        return;
    }
    if (!a->net[n]) return;
    const bool traced = t >= 0 && a->trace[t];
    const ebb_observer inside = {call_inside, &a->self[i]};
    const ebb_extractor_options opt = {.threads = threads[pick(a, 10)],
                                       .pool = p >= 0 ? a->pool[p] : NULL,
                                       .keep_everything = chance(a, 6),
                                       .memory_limit = chance(a, 4) ? 64u * (unsigned)pick(a, 256) : 0,
                                       .observer = traced       ? ebb_trace_observer(a->trace[t])
                                                   : pick(a, 2) ? inside
                                                                : (ebb_observer){0}};
    a->x[i].net = n;
    a->x[i].ending = false;
    if (!said(a, ebb_extractor_new(a->net[n], chance(a, 16) ? NULL : &opt, &a->x[i].x, e), e))
        a->x[i].x = NULL;
}

static void set_input(api *a, int i)
{
    ebb_extractor *x = a->x[i].x;
    if (!x) return;
    const ebb_desc d = a_desc(a, a->x[i].net);
    const char *name = a_name(a, a->x[i].net, 0);
    ebb_blob **b = &a->blob[pick(a, BLOBS)];
    ebb_error *e = maybe(a);
    switch (pick(a, 6)) {
    case 0:
        if (in_memory(&d)) said(a, ebb_extractor_copy(x, name, &d, memory, e), e);
        break;
    case 1:
        if (in_memory(&d)) said(a, ebb_extractor_borrow(x, name, &d, memory, e), e);
        break;
    case 2: said(a, ebb_extractor_expect(x, name, &d, e), e); break;
    case 3:
        if (*b && said(a, ebb_extractor_give(x, name, *b, e), e)) *b = NULL;
        break;
    default:
        if (!*b && !said(a, ebb_extractor_make(x, &d, b, e), e)) *b = NULL;
        if (*b && ebb_blob_data(*b) && ebb_desc_count(ebb_blob_desc(*b)) < FLOATS)
            memset(ebb_blob_data(*b), 0,
                   ebb_desc_count(ebb_blob_desc(*b)) * ebb_dtype_bytes(ebb_blob_desc(*b)->dtype));
        break;
    }
}

// All inputs of a net as it was made, so that something runs.
static void set_all(api *a, int i)
{
    if (!a->x[i].x) return;
    const fuzz_made *m = &a->made[a->x[i].net];
    for (int b = 0; b < m->n_blobs && a->x[i].x; b++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", b);
        if (m->is_input[b] && in_memory(&m->desc[b]))
            said(a, ebb_extractor_copy(a->x[i].x, name, &m->desc[b], memory, &a->e), &a->e);
    }
}

static void take(api *a, int i)
{
    ebb_extractor *x = a->x[i].x;
    if (!x) return;
    ebb_blob *out[NAMES] = {0}, **to = &a->blob[pick(a, BLOBS)];
    const int n = some_names(a, a->x[i].net);
    const ebb_take how = chance(a, 3) ? EBB_TAKE_AS_IS : EBB_TAKE_PLANAR;
    ebb_error *e = maybe(a);
    ebb_prediction p;
    const bool foreseen = said(a, ebb_extractor_predict(x, a->names, n, NULL, &p, e), e);
    if (!a->x[i].x) return;
    const bool done = n == 1 ? said(a, ebb_extractor_extract(x, a->names[0], how, out, e), e)
                             : said(a, ebb_extractor_extract_many(x, a->names, n, how, out, e), e);
    REQUIRE(!done || foreseen || how == EBB_TAKE_AS_IS || fuzz_has_failed());
    for (int k = 0; k < n; k++) REQUIRE(!out[k] == !done);
    if (done && n) {
        ebb_blob_drop(*to);
        *to = out[0];
    }
    for (int k = 1; k < n; k++) ebb_blob_drop(out[k]);
}

static void take_to(api *a, int i)
{
    ebb_extractor *x = a->x[i].x;
    if (!x) return;
    const ebb_desc d = a_desc(a, a->x[i].net);
    const char *name = a_name(a, a->x[i].net, 0);
    ebb_error *e = maybe(a);
    if (in_memory(&d)) said(a, ebb_extractor_extract_to(x, name, &d, result, e), e);
}

static void ask_extractor(api *a, int i)
{
    ebb_extractor *x = a->x[i].x;
    if (!x) return;
    ebb_error *e = maybe(a);
    ebb_mem_count count[EBB_MEM_KINDS];
    ebb_prediction p;
    const int t = pick(a, TRACES);
    switch (pick(a, 7)) {
    case 0: ebb_extractor_reset(x); break;
    case 1: ebb_extractor_cancel(x); break;
    case 2: said(a, ebb_extractor_keep(x, a_name(a, a->x[i].net, 0), e), e); break;
    case 3: {
        const int n = some_names(a, a->x[i].net);
        said(a, ebb_extractor_declare(x, a->names, n, e), e);
        break;
    }
    case 4: {
        const int n = some_names(a, a->x[i].net);
        const bool watch = a->trace[t];
        const ebb_observer o = watch ? ebb_trace_observer(a->trace[t]) : (ebb_observer){0};
        said(a, ebb_extractor_predict(x, a->names, n, watch ? &o : NULL, &p, e), e);
        break;
    }
    default:
        ebb_extractor_memory(x, count);
        for (int k = 0; k < EBB_MEM_KINDS; k++) REQUIRE(count[k].live <= count[k].peak);
        break;
    }
}

static void show_picture(api *a, int i)
{
    static const int wild[] = {0, 1, 3, -1, INT32_MIN, INT32_MAX, 8, 2};
    static const float numbers[] = {0, 1, 0.5f, -1e30f};
    const ebb_picture p = {.pixel = (ebb_pixel)pick(a, 7),
                           .width = wild[pick(a, 8)],
                           .height = wild[pick(a, 8)],
                           .stride = chance(a, 4) ? (size_t)pick(a, 64) : 0,
                           .data = (const uint8_t *)memory};
    const ebb_picture_fit f = {.x = wild[pick(a, 8)],
                               .y = wild[pick(a, 8)],
                               .width = wild[pick(a, 8)],
                               .height = wild[pick(a, 8)],
                               .to_width = chance(a, 8) ? wild[pick(a, 8)] : pick(a, 9),
                               .to_height = chance(a, 8) ? wild[pick(a, 8)] : pick(a, 9),
                               .to = (ebb_pixel)pick(a, 7),
                               .mean = {numbers[pick(a, 4)]},
                               .scale = {numbers[pick(a, 4)]}};
    ebb_error *e = maybe(a);
    // Its pixels must be there.
    if ((p.width > 8 || p.height > 8) && p.width > 0 && p.height > 0) return;
    if (a->x[i].x) said(a, ebb_extractor_picture(a->x[i].x, a_name(a, a->x[i].net, 0), &p, &f, e), e);
    if (f.to_width <= 8 && f.to_height <= 8) said(a, ebb_picture_floats(&p, &f, result, e), e);
}

static void change_blob(api *a, int b)
{
    ebb_blob **to = &a->blob[pick(a, BLOBS)];
    if (!a->blob[b]) return;
    if (!*to)
        *to = ebb_blob_hold(a->blob[b]);
    else
        ebb_blob_drop(*to), *to = NULL;
}

static void ask_reference(api *a)
{
    char text[8];
    const ebb_desc d = a_desc(a, 0);
    const ebb_layer_type *t = ebb_builtin_layer(pick(a, 256) - 8);
    if (t) REQUIRE(ebb_builtin_layer_named(t->name) == t);
    REQUIRE(!ebb_builtin_layer_named("b0") && ebb_version()[0] && !ebb_isa_name(pick(a, 2) ? -1 : 99));
    REQUIRE(ebb_status_name((ebb_status)pick(a, 99)) && ebb_status_text((ebb_status)pick(a, 99)));
    if (d.rank >= 0 && d.rank <= EBB_MAX_RANK)
        REQUIRE(strlen(ebb_desc_text(&d, text, sizeof text)) < sizeof text);
    REQUIRE(ebb_dtype_name((ebb_dtype)pick(a, 5))[0] && ebb_dtype_bytes((ebb_dtype)pick(a, 5)) > 0);
}

// ------------------------------------------------------------------------------------------- the target

static void step(api *a)
{
    fuzz_fail_after(chance(a, 6) ? pick(a, 32) : -1);
    const int i = pick(a, EXTRACTORS);
    switch (pick(a, 16)) {
    case 0: change_net(a, pick(a, NETS)); break;
    case 1: ask_net(a, pick(a, NETS)); break;
    case 2: change_trace(a, pick(a, TRACES)); break;
    case 3: change_pool(a, pick(a, POOLS)); break;
    case 4:
    case 5: change_extractor(a, i); break;
    case 6:
    case 7: set_input(a, i); break;
    case 8:
    case 9: set_all(a, i); break;
    case 10:
    case 11: take(a, i); break;
    case 12: take_to(a, i); break;
    case 13: ask_extractor(a, i); break;
    case 14: show_picture(a, i); break;
    default: change_blob(a, pick(a, BLOBS)), ask_reference(a); break;
    }
    fuzz_fail_after(-1);
}

static void end_one(api *a, int kind)
{
    switch (kind) {
    case 0:
        for (int i = 0; i < BLOBS; i++) ebb_blob_drop(a->blob[i]);
        break;
    case 1:
        for (int i = 0; i < EXTRACTORS; i++) end_extractor(a, i);
        break;
    case 2:
        for (int i = 0; i < TRACES; i++)
            if (a->trace[i]) said(a, ebb_trace_finish(a->trace[i], &a->e), &a->e);
        break;
    case 3:
        for (int i = 0; i < POOLS; i++) ebb_pool_destroy(a->pool[i]);
        break;
    default:
        for (int i = 0; i < NETS; i++) ebb_net_destroy(a->net[i]);
        break;
    }
}

// In any order.
static void end_all(api *a, int first, int step)
{
    for (int i = 0; i < 5; i++) end_one(a, (first + i * step) % 5);
}

int fuzz_api(const uint8_t *data, size_t bytes)
{
    static api a;
    fuzz_fail_after(-1);
    memset(&a, 0, sizeof a);
    a.c = (fuzz_choices){data, bytes, 0};
    a.calls_inside = 8;
    for (int i = 0; i < EXTRACTORS; i++) a.self[i] = &a;
    const int first = pick(&a, 5), stride = 1 + pick(&a, 4);
    for (int i = 0; i < FLOATS; i++) memory[i] = (float)(i * 37 % 129) / 64 - 1;
    for (int i = 0; i < NETS; i++) {
        // The calls need most of the bytes.
        fuzz_choices some = {data, a.c.at + (bytes - a.c.at) / 4, a.c.at};
        fuzz_make_net(&some, &a.made[i]);
        a.c.at = some.at;
        new_net(&a, i);
        if (a.net[i] && said(&a, load_param(&a, i, &a.e), &a.e)) said(&a, load_weights(&a, i, &a.e), &a.e);
    }
    change_extractor(&a, 0);
    set_all(&a, 0);
    for (int i = 0; i < STEPS && a.c.at < a.c.bytes; i++) step(&a);
    end_all(&a, first, stride);
    REQUIRE(fuzz_live() == 0);
    return 0;
}
