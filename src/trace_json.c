// SPDX-License-Identifier: BSD-3-Clause
// trace_json.c - events as JSON Lines. Rule: keys in one order, one event a line; the logical form holds
// nothing that differs between machines.
#include "trace.h"
#include <string.h>

enum { DESC = 1, BYTES = 2, READS = 4, MACS = 8 };  // keys that only some kinds have

static const struct {
    const char *name;
    bool logical;
} kinds[] = {
#define X(id, name, logical) {name, logical},
    EBB_EVENT_LIST(X)
#undef X
};

static const unsigned char keys[sizeof kinds / sizeof *kinds] = {
    [EBB_EV_INPUT] = DESC | BYTES | READS,
    [EBB_EV_ALLOC] = DESC | BYTES | READS,
    [EBB_EV_VIEW] = DESC | BYTES | READS,
    [EBB_EV_STEAL] = DESC | BYTES | READS,
    [EBB_EV_GROW] = DESC | BYTES | READS,
    [EBB_EV_CONVERT] = DESC | BYTES,
    [EBB_EV_MOVE] = DESC | BYTES,
    [EBB_EV_READ] = READS,
    [EBB_EV_RELEASE] = BYTES,
    [EBB_EV_SHRINK] = DESC,
    [EBB_EV_SCRATCH] = BYTES,
    [EBB_EV_UNSCRATCH] = BYTES,
    [EBB_EV_END] = MACS,
};

// Length of the UTF-8 sequence at s; 0 when it is not one.
static int sequence(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high;  // first bytes, and the range of the second
        int length;
    } forms[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (s[0] < forms[i].first || s[0] > forms[i].last) continue;
        for (int k = 1; k < forms[i].length; k++)
            if (s[k] < (k == 1 ? forms[i].low : 0x80) || s[k] > (k == 1 ? forms[i].high : 0xbf)) return 0;
        return forms[i].length;
    }
    return 0;
}

static void quoted(ebb_trace *t, const char *key, const char *text)
{
    ebb_trace_say(t, ",\"%s\":\"", key);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = sequence(s);
        if (*s == '"' || *s == '\\')
            ebb_trace_say(t, "\\%c", *s);
        else if (n == 0 || *s < 32)
            ebb_trace_say(t, "\\u%04x", *s);
        else
            ebb_trace_put(t, (const char *)s, (size_t)n);
        s += n ? n : 1;
    }
    ebb_trace_put(t, "\"", 1);
}

static void described(ebb_trace *t, const ebb_desc *d)
{
    static const char *const order[] = {"strided", "planar", "pixel", "both"};
    ebb_trace_say(t, ",\"dtype\":\"%s\",\"shape\":[", ebb_dtype_name(d->dtype));
    for (int i = 0; i < d->rank; i++) ebb_trace_say(t, i ? ",%d" : "%d", d->dim[i]);
    ebb_trace_say(t, "],\"order\":\"%s\"", order[ebb_desc_order(d) & 3]);
}

void ebb_trace_json_event(ebb_trace *t, const ebb_event *ev)
{
    const bool full = t->format == EBB_TRACE_FULL;
    if (!full && !kinds[ev->kind].logical) return;
    char room[16];
    ebb_layer_info l;
    const unsigned has = keys[ev->kind];
    ebb_trace_say(t, "{\"ev\":\"%s\"", kinds[ev->kind].name);
    if (full) ebb_trace_say(t, ",\"us\":%lld", ebb_trace_now() - t->began);
    if (ev->layer >= 0 && ebb_net_layer(t->net, ev->layer, &l, NULL) == EBB_OK) {
        quoted(t, "layer", l.name);
        quoted(t, "type", l.type);
    }
    if (ev->blob >= 0) quoted(t, "blob", ebb_trace_blob(t, ev->blob, room));
    if ((has & DESC) && ev->desc) described(t, ev->desc);
    if (has & BYTES) ebb_trace_say(t, ",\"bytes\":%zu", ev->bytes);
    if ((has & BYTES) && ev->blob >= 0) ebb_trace_say(t, ",\"live\":%zu,\"peak\":%zu", ev->live, ev->peak);
    if (ev->other >= 0) quoted(t, "other", ebb_trace_blob(t, ev->other, room));
    if (has & READS) ebb_trace_say(t, ",\"reads\":%d", ev->reads);
    if ((has & MACS) && ev->macs > 0) ebb_trace_say(t, ",\"macs\":%.0f", ev->macs);
    if (*ev->why) quoted(t, "why", ev->why);
    ebb_trace_put(t, "}\n", 2);
    ebb_trace_flush(t);
}
