// SPDX-License-Identifier: BSD-3-Clause
// own_layers.c - the list of the program's own layer types. Rule: a new one is one line here.
#include "own_layers.h"
#include <string.h>

static const ebb_layer_type *const all[] = {&tool_yolov5focus};

const ebb_layer_type *own_layer(int i)
{
    return i >= 0 && (size_t)i < sizeof all / sizeof *all ? all[i] : NULL;
}

const ebb_layer_type *own_layer_named(const char *type)
{
    for (int i = 0; own_layer(i); i++)
        if (!strcmp(own_layer(i)->name, type)) return own_layer(i);
    return NULL;
}

ebb_status add_own_layers(ebb_net *net, ebb_error *e)
{
    for (int i = 0; own_layer(i); i++) EBB_TRY(ebb_net_add_layer(net, own_layer(i), e));
    return EBB_OK;
}
