// SPDX-License-Identifier: BSD-3-Clause
// walk_text.h - events of a walk as short lines, and nets whose every allocation is watched.
#pragma once
#include "ebb_layer.h"

enum { WALK_TEXT_ROOM = 1 << 16 };

// "alloc NAME BYTES LIVE", "steal NAME from OTHER LIVE", "read NAME READS", "release NAME BYTES LIVE [kept by OTHER]" …
typedef struct walk_text {
    char text[WALK_TEXT_ROOM];
    const ebb_net *net;
    size_t grown;  // bytes that grow events allocated since walk_text_clear
} walk_text;
ebb_observer walk_text_observer(walk_text *t, const ebb_net *net);
void walk_text_clear(walk_text *t);

// A net from the layer lines of a .param text (the header is counted and added) and the bytes of a .bin, with the
// test's own layer types (a list ended by NULL; may be NULL). Fails the test when it does not load.
ebb_net *walk_net(const char *layers, const void *bin, size_t bytes, const ebb_layer_type *const *types);
// The same with a net that `make` makes, on a device for instance.
typedef ebb_status walk_net_maker(const ebb_allocator *a, ebb_net **net, ebb_error *e);
ebb_net *walk_net_made(walk_net_maker *make, const char *layers, const void *bin, size_t bytes,
                       const ebb_layer_type *const *types);
extern const ebb_allocator walk_allocator;  // of those nets
// Destroys the net and asserts that nothing is left of what it allocated.
void walk_net_end(ebb_net *net);
void walk_nothing_left(void);
void walk_fail_at(int call);  // the call-th allocation from now on fails; 0: none
