// SPDX-License-Identifier: BSD-3-Clause
// walk_text.c - events as short lines, for tests that assert an exact trace.
#include "walk_text.h"
#include "msan.h"
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name(const walk_text *t, int blob) { return ebb_net_blob_name(t->net, blob); }

static void line(walk_text *t, const ebb_event *ev, char *to, size_t room)
{
    const char *blob = ev->blob >= 0 ? name(t, ev->blob) : "";
    switch (ev->kind) {
    case EBB_EV_ALLOC: snprintf(to, room, "alloc %s %zu %zu\n", blob, ev->bytes, ev->live); break;
    case EBB_EV_VIEW:
        snprintf(to, room, "view %s of %s %zu\n", blob, ev->other >= 0 ? name(t, ev->other) : ev->why,
                 ev->live);
        break;
    case EBB_EV_STEAL:
        snprintf(to, room, "steal %s from %s %zu\n", blob, name(t, ev->other), ev->live);
        break;
    case EBB_EV_GROW: snprintf(to, room, "grow %s %s %zu %zu\n", blob, ev->why, ev->bytes, ev->live); break;
    case EBB_EV_CONVERT:
        snprintf(to, room, "convert %s %s %zu %zu\n", blob, ev->why, ev->bytes, ev->live);
        break;
    case EBB_EV_MOVE: snprintf(to, room, "move %s %s %zu %zu\n", blob, ev->why, ev->bytes, ev->live); break;
    case EBB_EV_READ: snprintf(to, room, "read %s %d\n", blob, ev->reads); break;
    case EBB_EV_RELEASE:
        snprintf(to, room, "release %s %zu %zu%s%s\n", blob, ev->bytes, ev->live,
                 ev->other >= 0 ? " kept by " : "", ev->other >= 0 ? name(t, ev->other) : "");
        break;
    case EBB_EV_SHRINK: snprintf(to, room, "shrink %s\n", blob); break;
    case EBB_EV_SUBMIT: snprintf(to, room, "submit\n"); break;
    default: break;
    }
}

static void on_event(void *user, const ebb_event *ev)
{
    walk_text *t = user;
    if (ev->kind == EBB_EV_SHRINK) ck_assert(ev->layer >= 0 && ev->blob >= 0 && ev->other == -1);
    if (ev->kind == EBB_EV_SUBMIT || ev->kind == EBB_EV_RESET)
        ck_assert(ev->layer == -1 && ev->blob == -1 && ev->other == -1);
    const size_t n = strlen(t->text);
    line(t, ev, t->text + n, sizeof t->text - n);
    if (ev->kind == EBB_EV_GROW) t->grown += ev->bytes;
}

ebb_observer walk_text_observer(walk_text *t, const ebb_net *net)
{
    t->net = net;
    walk_text_clear(t);
    return (ebb_observer){on_event, t};
}

void walk_text_clear(walk_text *t)
{
    t->text[0] = 0;
    t->grown = 0;
}

static atomic_int live, calls, fail_at;
static atomic_size_t live_bytes;

static void *get(void *user, size_t bytes, size_t align)
{
    (void)user;
    void *p = NULL;
    if (atomic_fetch_add(&calls, 1) + 1 == fail_at || posix_memalign(&p, align, bytes)) return NULL;
    memset(p, 0x7f, bytes);  // uninitialised data shows
    msan_fresh(p, bytes);
    live++;
    live_bytes += bytes;
    return p;
}

static void put(void *user, void *p, size_t bytes)
{
    (void)user;
    live--;
    live_bytes -= bytes;
    free(p);
}

const ebb_allocator walk_allocator = {get, put, NULL};

void walk_fail_at(int call)
{
    atomic_store(&calls, 0);
    atomic_store(&fail_at, call);
}

void walk_nothing_left(void)
{
    ck_assert_int_eq(live, 0);
    ck_assert_uint_eq(live_bytes, 0);
}

static ebb_status make_plain(const ebb_allocator *a, ebb_net **net, ebb_error *e)
{
    return ebb_net_new(&(ebb_net_options){.allocator = *a}, net, e);
}

ebb_net *walk_net_made(walk_net_maker *make, const char *layers, const void *bin, size_t bytes,
                       const ebb_layer_type *const *types)
{
    walk_fail_at(0);
    int n = 0;
    for (const char *p = layers; *p; p++) n += *p == '\n';
    const size_t room = strlen(layers) + 32;
    char *text = malloc(room);
    snprintf(text, room, "7767517\n%d %d\n%s", n, 0, layers);
    ebb_net *net;
    ebb_error e = {0};
    ck_assert_msg(make(&walk_allocator, &net, &e) == EBB_OK, "%s", e.msg);
    for (int i = 0; types && types[i]; i++)
        ck_assert_msg(ebb_net_add_layer(net, types[i], &e) == EBB_OK, "%s", e.msg);
    ck_assert_msg(ebb_net_load_param_mem(net, text, strlen(text), &e) == EBB_OK, "%s", e.msg);
    free(text);
    ck_assert_msg(ebb_net_load_weights_mem(net, bin, bytes, &e) == EBB_OK, "%s", e.msg);
    return net;
}

ebb_net *walk_net(const char *layers, const void *bin, size_t bytes, const ebb_layer_type *const *types)
{
    return walk_net_made(make_plain, layers, bin, bytes, types);
}

void walk_net_end(ebb_net *net)
{
    ebb_net_destroy(net);
    walk_nothing_left();
}
