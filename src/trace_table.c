// SPDX-License-Identifier: BSD-3-Clause
// trace_table.c - the release table for people: a row a layer, and what the peak was made of. Rule: every
// number comes from events; the bytes listed at the peak add up to it.
#include "trace.h"
#include <stdio.h>
#include <string.h>

enum { NAMED = 3 };  // readers by name, then a number

// What is known of a blob now, and what it held when the peak was reached.
typedef struct blob_record {
    ebb_desc desc;
    size_t held, at_peak;
    size_t stamp;  // at_peak belongs to the peak of this number; an older one: it is `held`
    int reader[NAMED], readers, last_reader;  // layers that read it at the peak or later
} blob_record;

// A line of the row that is being collected: a blob that came, or one that went.
typedef struct entry {
    ebb_event_kind kind;
    int blob, other;
    size_t bytes;
    ebb_desc desc;
    char why[24];
} entry;

typedef struct ebb_table {
    blob_record *blobs;
    size_t *ran;  // by layer: the step that it began at last; 0: never
    int n_blobs, n_layers;
    size_t step;  // events so far
    size_t peak, peak_number, peak_begin;
    int peak_layer;
    struct {
        bool open, moved;  // moved: the peak did
        int layer;
        size_t begin, high, left;
    } row;
    entry *entries;
    size_t n_entries, room;
    size_t sum, stolen;
    int views, steals, conversions, moves, runs;
    int layer_width, type_width, blob_width;
} ebb_table;

enum { NAME_MIN = 12, NAME_MAX = 40 };  // NAME_MIN: "(the caller)" fits

static const char *human(size_t bytes, char text[24])
{
    if (bytes < 1024)
        snprintf(text, 24, "%zu B", bytes);
    else if (bytes < 1024 * 1024)
        snprintf(text, 24, "%.1f KiB", (double)bytes / 1024);
    else
        snprintf(text, 24, "%.2f MiB", (double)bytes / (1024 * 1024));
    return text;
}

static void widen(int *width, const char *name)
{
    const int n = name ? (int)strnlen(name, NAME_MAX) : 0;
    if (n > *width) *width = n;
}

static void measure(ebb_trace *t, ebb_table *b)
{
    ebb_layer_info l;
    b->layer_width = b->type_width = b->blob_width = NAME_MIN;
    for (int i = 0; i < b->n_layers; i++) {
        if (ebb_net_layer(t->net, i, &l, NULL) != EBB_OK) continue;
        widen(&b->layer_width, l.name);
        widen(&b->type_width, l.type);
    }
    for (int i = 0; i < b->n_blobs; i++) widen(&b->blob_width, ebb_net_blob_name(t->net, i));
}

// A name in a column: long ones lose their beginning, which says least.
static void column(ebb_trace *t, const char *name, int width)
{
    const int n = (int)strlen(name);
    if (n <= NAME_MAX)
        ebb_trace_say(t, "%-*s  ", width, name);
    else
        ebb_trace_say(t, "..%s  ", name + n - NAME_MAX + 2);
}

static void free_table(ebb_trace *t)
{
    ebb_table *b = t->table;
    ebb_heap_put(t->heap, EBB_MEM_META, b->blobs, (size_t)b->n_blobs * sizeof *b->blobs);
    ebb_heap_put(t->heap, EBB_MEM_META, b->ran, (size_t)b->n_layers * sizeof *b->ran);
    ebb_heap_put(t->heap, EBB_MEM_META, b->entries, b->room * sizeof *b->entries);
    ebb_heap_put(t->heap, EBB_MEM_META, b, sizeof *b);
    t->table = NULL;
}

ebb_status ebb_trace_table_new(ebb_trace *t, ebb_error *e)
{
    ebb_table *b = t->table = ebb_heap_zero(t->heap, EBB_MEM_META, 1, sizeof *b);
    if (!b) return ebb_fail(e, EBB_E_NOMEM, "no memory for a release table");
    b->n_blobs = ebb_net_blob_count(t->net), b->n_layers = ebb_net_layer_count(t->net);
    b->blobs = ebb_heap_zero(t->heap, EBB_MEM_META, (size_t)b->n_blobs, sizeof *b->blobs);
    b->ran = ebb_heap_zero(t->heap, EBB_MEM_META, (size_t)b->n_layers, sizeof *b->ran);
    b->peak_layer = -1;
    if (!b->blobs || !b->ran) {
        free_table(t);
        return ebb_fail(e, EBB_E_NOMEM, "no memory for a release table of %d blobs",
                        ebb_net_blob_count(t->net));
    }
    measure(t, b);
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- rows

static bool came(const entry *n) { return n->kind != EBB_EV_RELEASE; }

static const char *how(const ebb_trace *t, const entry *n, char text[128])
{
    static const char *const order[] = {"strided", "planar", "pixel", "either"};
    char room[16];
    const char *other = n->other >= 0 ? ebb_trace_blob(t, n->other, room) : n->why;
    switch (n->kind) {
    case EBB_EV_INPUT: snprintf(text, 128, "%s", n->why); break;
    case EBB_EV_VIEW: snprintf(text, 128, "view of %.60s", other); break;
    case EBB_EV_STEAL: snprintf(text, 128, "takes over %.60s", other); break;
    case EBB_EV_GROW: snprintf(text, 128, "grows %.60s, %s", other, n->why); break;
    case EBB_EV_CONVERT: snprintf(text, 128, "to %s, %s", order[ebb_desc_order(&n->desc) & 3], n->why); break;
    case EBB_EV_MOVE: snprintf(text, 128, "moves, %s", n->why); break;
    case EBB_EV_SHRINK: snprintf(text, 128, "shrinks"); break;
    default: snprintf(text, 128, "new"); break;
    }
    return text;
}

static void write_came(ebb_trace *t, const entry *n)
{
    char room[16], shape[64] = "", bytes[24] = "", text[128] = "";
    if (n) {
        ebb_desc_text(&n->desc, shape, sizeof shape);
        human(n->bytes, bytes);
        how(t, n, text);
    }
    column(t, n ? ebb_trace_blob(t, n->blob, room) : "", t->table->blob_width);
    ebb_trace_say(t, "%-16s %10s  %-28s ", shape, bytes, text);
}

static void write_went(ebb_trace *t, const entry *n)
{
    char room[16], bytes[24];
    if (!n) return;
    ebb_trace_say(t, "  %.200s", ebb_trace_blob(t, n->blob, room));
    if (n->bytes)
        ebb_trace_say(t, " %s", human(n->bytes, bytes));
    else
        ebb_trace_say(t, " (%.200s keeps it)", ebb_trace_blob(t, n->other, room));
    if (strcmp(n->why, "last read") != 0) ebb_trace_say(t, " (%s)", n->why);
}

// The next entry at or after *at that came (or went); NULL when there is none.
static const entry *next_entry(const ebb_table *b, size_t *at, bool arrivals)
{
    while (*at < b->n_entries && came(&b->entries[*at]) != arrivals) ++*at;
    return *at < b->n_entries ? &b->entries[(*at)++] : NULL;
}

static void write_layer(ebb_trace *t, int layer, bool first)
{
    ebb_layer_info l = {.name = "(the caller)", .type = ""};
    char number[16] = "";
    if (layer >= 0) ebb_net_layer(t->net, layer, &l, NULL);
    if (layer >= 0 && first) snprintf(number, sizeof number, "%d", layer);
    ebb_trace_say(t, "%4s  ", number);
    column(t, first && l.name ? l.name : "", t->table->layer_width);
    column(t, first && l.type ? l.type : "", t->table->type_width);
}

// Ends a line, without the blanks of empty columns.
static void end_line(ebb_trace *t)
{
    while (t->used && t->text[t->used - 1] == ' ') t->used--;
    ebb_trace_put(t, "\n", 1);
}

static void write_heading(ebb_trace *t)
{
    const ebb_table *b = t->table;
    ebb_trace_say(t, "%4s  %-*s  %-*s  %-*s  %-16s %10s  %-28s %10s %10s %10s   %s\n", "#", b->layer_width,
                  "layer", b->type_width, "type", b->blob_width, "blob", "shape", "bytes", "how", "high",
                  "left", "peak", "released");
}

static void end_row(ebb_trace *t)
{
    ebb_table *b = t->table;
    char high[24], left[24], peak[24];
    if (!b->row.open) return;
    size_t in = 0, out = 0;
    for (bool first = true;; first = false) {
        const entry *arrival = next_entry(b, &in, true), *departure = next_entry(b, &out, false);
        if (!first && !arrival && !departure) break;
        write_layer(t, b->row.layer, first);
        write_came(t, arrival);
        if (first)
            ebb_trace_say(t, "%10s %10s %10s %c", human(b->row.high, high), human(b->row.left, left),
                          human(b->peak, peak), b->row.moved ? '*' : ' ');
        else if (departure)
            ebb_trace_say(t, "%34s", "");
        write_went(t, departure);
        end_line(t);
    }
    ebb_trace_flush(t);
    b->row.open = false;
    b->n_entries = 0;
}

static void keep(ebb_trace *t, const ebb_event *ev)
{
    ebb_table *b = t->table;
    if (b->n_entries == b->room) {
        const size_t room = b->room ? ebb_size_mul(2, b->room) : 16;
        entry *more = ebb_heap_get(t->heap, EBB_MEM_META, ebb_size_mul(room, sizeof *more));
        if (!more) {
            t->lost = true;
            return;
        }
        if (b->entries) memcpy(more, b->entries, b->n_entries * sizeof *more);
        ebb_heap_put(t->heap, EBB_MEM_META, b->entries, b->room * sizeof *b->entries);
        b->entries = more, b->room = room;
    }
    entry *n = &b->entries[b->n_entries++];
    *n = (entry){.kind = ev->kind, .blob = ev->blob, .other = ev->other, .bytes = ev->bytes};
    if (ev->desc) n->desc = *ev->desc;
    snprintf(n->why, sizeof n->why, "%s", ev->why);
}

// ------------------------------------------------------------------------------------------- accounts

// The record of a blob before it changes.
static blob_record *touch(ebb_table *b, int blob)
{
    blob_record *r = &b->blobs[blob];
    if (r->stamp != b->peak_number) r->at_peak = r->held, r->stamp = b->peak_number;
    return r;
}

static void hand_on(ebb_table *b, int from, int to, size_t bytes)
{
    if (from < 0) return;
    blob_record *f = touch(b, from), *r = touch(b, to);
    if (bytes > f->held) bytes = f->held;
    f->held -= bytes;
    r->held += bytes;
}

static void account(ebb_table *b, const ebb_event *ev)
{
    if (ev->blob < 0) return;
    blob_record *r = touch(b, ev->blob);
    if (ev->desc) r->desc = *ev->desc;
    const size_t own = ev->desc ? ebb_size_mul(ebb_desc_count(ev->desc), ebb_dtype_bytes(ev->desc->dtype)) : 0;
    switch (ev->kind) {
    case EBB_EV_CONVERT: b->conversions++; break;
    case EBB_EV_MOVE: b->moves++; break;
    case EBB_EV_VIEW: b->views++; break;
    case EBB_EV_STEAL:
        b->steals++;
        b->stolen += own;
        hand_on(b, ev->other, ev->blob, own);
        break;
    case EBB_EV_GROW:
        if (!ev->bytes) hand_on(b, ev->other, ev->blob, SIZE_MAX);
        break;
    case EBB_EV_RELEASE:
        if (!ev->bytes && ev->other >= 0) hand_on(b, ev->blob, ev->other, SIZE_MAX);
        r->held -= ev->bytes < r->held ? ev->bytes : r->held;
        return;
    default: break;
    }
    r->held += ev->bytes;
    b->sum += ev->bytes;
}

static void begin_row(ebb_trace *t, const ebb_event *ev)
{
    ebb_table *b = t->table;
    if (b->row.open && ev->kind != EBB_EV_BEGIN && ev->layer == b->row.layer) return;
    end_row(t);
    b->row.open = true, b->row.moved = false;
    b->row.layer = ev->layer;
    b->row.begin = b->step;
    b->row.high = ev->live;
}

static bool is_account(ebb_event_kind k)
{
    return k == EBB_EV_INPUT || (k >= EBB_EV_ALLOC && k <= EBB_EV_MOVE) || k == EBB_EV_RELEASE ||
           k == EBB_EV_SHRINK;
}

void ebb_trace_table_event(ebb_trace *t, const ebb_event *ev)
{
    ebb_table *b = t->table;
    if (b->step++ == 0) write_heading(t);
    if (ev->kind == EBB_EV_RESET) {
        for (int i = 0; i < b->n_blobs; i++) touch(b, i)->held = 0;
        return;
    }
    if (ev->kind != EBB_EV_BEGIN && !is_account(ev->kind)) return;
    begin_row(t, ev);
    if (ev->kind == EBB_EV_BEGIN && ev->layer >= 0) {
        b->ran[ev->layer] = b->step;
        b->runs++;
    }
    // A release that frees nothing and hands nothing on (a stolen or borrowed blob) is no news.
    const bool news = ev->kind != EBB_EV_BEGIN && (ev->kind != EBB_EV_RELEASE || ev->bytes || ev->other >= 0);
    if (news) keep(t, ev);
    account(b, ev);
    if (ev->live > b->row.high) b->row.high = ev->live;
    b->row.left = ev->live;
    if (ev->peak <= b->peak) return;
    b->peak = ev->peak;
    b->peak_number++;
    b->row.moved = true;
    b->peak_layer = b->row.layer;
    b->peak_begin = b->row.begin;
}

// ------------------------------------------------------------------------------------------- the end

// The layers that had yet to read the blobs of the peak, that one included: found in one pass over the net.
static void find_readers(ebb_trace *t)
{
    ebb_table *b = t->table;
    ebb_layer_info l;
    for (int i = 0; i < b->n_layers; i++) {
        if (b->ran[i] == 0 || b->ran[i] < b->peak_begin || ebb_net_layer(t->net, i, &l, NULL) != EBB_OK)
            continue;
        for (int k = 0; k < l.n_in; k++) {
            blob_record *r = touch(b, l.in[k]);
            if (!r->at_peak || (r->readers && r->last_reader == i)) continue;
            if (r->readers < NAMED) r->reader[r->readers] = i;
            r->readers++;
            r->last_reader = i;
        }
    }
}

static void write_readers(ebb_trace *t, const blob_record *r)
{
    ebb_layer_info l;
    for (int n = 0; n < r->readers && n < NAMED; n++)
        if (ebb_net_layer(t->net, r->reader[n], &l, NULL) == EBB_OK)
            ebb_trace_say(t, "%s%.100s", n ? ", " : "", l.name);
    if (r->readers > NAMED) ebb_trace_say(t, " and %d more", r->readers - NAMED);
    if (r->readers == 0) ebb_trace_say(t, "the caller");
}

static void write_peak(ebb_trace *t)
{
    ebb_table *b = t->table;
    char room[16], bytes[24];
    ebb_layer_info l = {.name = "the caller"};
    if (b->peak_layer >= 0) ebb_net_layer(t->net, b->peak_layer, &l, NULL);
    ebb_trace_say(t, "\npeak: %s (%zu bytes) in %.200s, made of\n", human(b->peak, bytes), b->peak, l.name);
    find_readers(t);
    for (int i = 0; i < b->n_blobs; i++) {
        const blob_record *r = touch(b, i);
        if (!r->at_peak) continue;
        ebb_trace_say(t, "%14s  ", human(r->at_peak, bytes));
        column(t, ebb_trace_blob(t, i, room), b->blob_width);
        ebb_trace_say(t, "%-16s  waits for ", EBB_SHAPE(&r->desc));
        write_readers(t, r);
        end_line(t);
    }
}

static void say_count(ebb_trace *t, const char *before, int n, const char *what)
{
    ebb_trace_say(t, "%s%d %s%s", before, n, what, n == 1 ? "" : "s");
}

void ebb_trace_table_finish(ebb_trace *t)
{
    const ebb_table *b = t->table;
    char sum[24], peak[24], stolen[24];
    if (b->step == 0) {
        free_table(t);
        return;
    }
    end_row(t);
    if (b->peak) write_peak(t);
    ebb_trace_say(t, "\nall blobs: %s (%zu bytes); peak: %s, which is %.1f%% of them\n", human(b->sum, sum),
                  b->sum, human(b->peak, peak), b->sum ? 100.0 * (double)b->peak / (double)b->sum : 0);
    say_count(t, "", b->runs, "layer");
    say_count(t, " ran; ", b->views, "view");
    say_count(t, ", ", b->steals, "steal");
    ebb_trace_say(t, " (%s not allocated)", human(b->stolen, stolen));
    say_count(t, ", ", b->conversions, "conversion");
    if (b->moves) say_count(t, ", ", b->moves, "move"), ebb_trace_say(t, " between host and device");
    ebb_trace_put(t, "\n", 1);
    free_table(t);
}
