// SPDX-License-Identifier: BSD-3-Clause
// unknown.c - layer types that are not there. Rule: one error names them all, as far as its room goes.
#include "draft.h"
#include <stdio.h>
#include <string.h>

enum { LIST = 280 };  // characters of a list of types, which leave room for the file's name

// The words that name unknown types, in file order; each counts in `blob` how often its name stands there.
static ebb_status collect(ebb_draft *d, ebb_word ***all, size_t *names, ebb_error *e)
{
    const size_t n = (size_t)d->unknown;
    ebb_word **w = ebb_arena_get(&d->arena, ebb_size_mul(n, 3 * sizeof *w));
    if (!w) return ebb_draft_nomem(d, e);
    size_t at = 0;
    for (ebb_draft_layer *l = d->layers; l < d->layers + d->n_layers; l++)
        if (l->kind.at && !l->type) w[at] = w[n + at] = &l->kind, at++;
    *all = w;
    ebb_distinct(w + n, n, names);
    for (size_t i = 0; i < n; i++) w[i]->first->blob++;
    return EBB_OK;
}

// What is known about a name, for its brackets.
static int describe(const ebb_draft *d, const char *name, char *text, size_t room)
{
    const char *near = ebb_types_nearest(d->types, name);
    if (ebb_types_of_ncnn(name)) return snprintf(text, room, "of ncnn, not supported");
    if (!strncmp(name, "pnnx.", 5))
        return snprintf(text, room, "of pnnx: load the .ncnn.param that it wrote");
    return near ? snprintf(text, room, "the nearest is '%.40s'", near)
                : snprintf(text, room, "a custom one?");
}

// "'Prob' (3 times, the nearest is 'Probe'), 'Cast' (of ncnn, not supported), and 2 more"
static void list(const ebb_draft *d, ebb_word **w, size_t names, char *text)
{
    size_t used = 0, shown = 0;
    for (size_t i = 0; shown < names; i++) {
        if (w[i]->first != w[i]) continue;
        char name[48], known[80], times[24] = "", item[192];
        snprintf(name, sizeof name, "%.*s", w[i]->n > 40 ? 40 : (int)w[i]->n, w[i]->at);
        describe(d, name, known, sizeof known);
        if (w[i]->blob > 1) snprintf(times, sizeof times, "%d times, ", w[i]->blob);
        const int n = snprintf(item, sizeof item, "%s'%s' (%s%s)", shown ? ", " : "", name, times, known);
        if (used + (size_t)n + sizeof ", and 2147483647 more" > LIST) break;
        memcpy(text + used, item, (size_t)n + 1);
        used += (size_t)n;
        shown++;
    }
    if (shown < names) snprintf(text + used, LIST - used, ", and %zu more", names - shown);
}

// A file with one unknown type.
static ebb_status refuse_one(const ebb_draft *d, const ebb_word *w, ebb_error *e)
{
    char name[128], times[32] = "";
    snprintf(name, sizeof name, "%.*s", w->n > 127 ? 127 : (int)w->n, w->at);
    if (w->blob > 1) snprintf(times, sizeof times, " (%d times)", w->blob);
    const char *near = ebb_types_nearest(d->types, name);
    if (ebb_types_of_ncnn(name))
        return ebb_fail(e, EBB_E_UNSUPPORTED, "the layer type %s of ncnn is not supported%s", name, times);
    if (!strncmp(name, "pnnx.", 5))
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "%.64s%s is a type of pnnx: load the .ncnn.param that pnnx wrote beside it", name,
                        times);
    if (d->binary)
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "there is no layer type %s%s; custom ones are added before loading, and here are %d",
                        name, times, d->types->n_custom);
    if (near)
        return ebb_fail(e, EBB_E_UNSUPPORTED, "there is no layer type '%.64s'%s; the nearest is '%.64s'",
                        name, times, near);
    return ebb_fail(e, EBB_E_UNSUPPORTED,
                    "there is no layer type '%.64s'%s; a custom one is added before loading", name, times);
}

ebb_status ebb_draft_check_types(ebb_draft *d, ebb_status s, ebb_error *e)
{
    if (!d->unknown || s == EBB_E_NOMEM) return s;
    ebb_word **w = NULL;
    size_t names = 0;
    EBB_TRY(collect(d, &w, &names, e));
    const ebb_draft_layer *first = d->layers;
    while (&first->kind != w[0]) first++;
    if (names == 1) return ebb_draft_place(d, first, first->at, refuse_one(d, w[0], e), e);
    char text[LIST];
    list(d, w, names, text);
    s = ebb_fail(e, EBB_E_UNSUPPORTED, "there are no layer types %s", text);
    return ebb_draft_place(d, NULL, first->at, s, e);
}
