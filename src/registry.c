// SPDX-License-Identifier: BSD-3-Clause
// registry.c - every built-in layer. Rule: layers/layer_list.h is the registry, nothing registers itself.
#include "ebb_layer.h"
#include <string.h>

#define LAYER(sym) extern const ebb_layer_type ebb_layer_##sym;
#include "../layers/layer_list.h"
#undef LAYER

static const ebb_layer_type *const all[] = {
#define LAYER(sym) &ebb_layer_##sym,
#include "../layers/layer_list.h"
#undef LAYER
};

const ebb_layer_type *ebb_builtin_layer(int i)
{
    return i >= 0 && (size_t)i < sizeof all / sizeof *all ? all[i] : NULL;
}

const ebb_layer_type *ebb_builtin_layer_named(const char *type)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, type)) return all[i];
    return NULL;
}
