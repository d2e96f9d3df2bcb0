// SPDX-License-Identifier: BSD-3-Clause
// registry.c - every built-in layer. Rule: layers/layer_list.h is the registry, nothing registers itself.
#include "registry.h"
#include <string.h>

#define LAYER(file, sym) extern const ebb_layer_type ebb_layer_##sym;
#include "../layers/layer_list.h"
#undef LAYER

static const ebb_layer_type *const all[] = {
#define LAYER(file, sym) &ebb_layer_##sym,
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

size_t ebb_param_bytes(ebb_param_type t)
{
    static const size_t bytes[] = {[EBB_P_INT] = sizeof(int),
                                   [EBB_P_FLOAT] = sizeof(float),
                                   [EBB_P_INTS] = sizeof(ebb_ints),
                                   [EBB_P_FLOATS] = sizeof(ebb_floats),
                                   [EBB_P_STRING] = sizeof(char *)};
    return bytes[t];
}

static size_t field_end(const ebb_param *r) { return r->offset + ebb_param_bytes(r->type); }

static ebb_status check_rows(const ebb_layer_type *t, ebb_error *e)
{
    for (const ebb_param *r = t->params; r && r->name; r++) {
        if (field_end(r) > t->state_size)
            return ebb_fail(e, EBB_E_PARAM,
                            "layer type %s: the field of parameter %d lies outside of the state", t->name,
                            r->id);
        const ebb_param *like = NULL;
        for (const ebb_param *other = t->params; other < r; other++) {
            if (other->id == r->id)
                return ebb_fail(e, EBB_E_PARAM, "layer type %s: two rows for parameter %d", t->name, r->id);
            if (other->id == r->like - 1 && other->type == r->type) like = other;
        }
        if (r->like && !like)
            return ebb_fail(e, EBB_E_PARAM,
                            "layer type %s: parameter %d is like none of the same type before it", t->name,
                            r->id);
    }
    return EBB_OK;
}

ebb_status ebb_layer_type_check(const ebb_layer_type *t, ebb_error *e)
{
    if (t->size != sizeof *t)
        return ebb_fail(e, EBB_E_PARAM,
                        "the layer type has a size of %zu bytes, this library's is %zu: compile it again",
                        t->size, sizeof *t);
    if (!t->name || !*t->name) return ebb_fail(e, EBB_E_PARAM, "a layer type needs a name");
    const bool makes = !(t->flags & (EBB_LAYER_INPUT | EBB_LAYER_CONSTANT)), view = t->flags & EBB_LAYER_VIEW;
    if (makes && !t->shape) return ebb_fail(e, EBB_E_PARAM, "layer type %s needs shape", t->name);
    if (view && !t->view)
        return ebb_fail(e, EBB_E_PARAM, "layer type %s makes views, but has no view", t->name);
    if (makes && !view && !t->cpu) return ebb_fail(e, EBB_E_PARAM, "layer type %s needs cpu", t->name);
    return check_rows(t, e);
}
