// SPDX-License-Identifier: BSD-3-Clause
// inputs.c - the inputs of a session, from the command line. Rule: an input that nobody set is never made up
// silently where a result is shown, and one that no output needs is not asked for.
#include "picture.h"
#include "session.h"
#include "tensor.h"
#include <stdlib.h>
#include <string.h>

static bool told(const ebb_error *e) { return refuse("%s", e->msg); }

enum { IN, SHAPE, IMAGE, WAYS };  // how the line sets an input
static const struct way {
    const char *name, *takes;
} ways[WAYS] = {
    [IN] = {"--in", "BLOB=FILE:SHAPE, like data=input.f32:3x227x227"},
    [SHAPE] = {"--shape", "BLOB=SHAPE, like data=3x227x227"},
    [IMAGE] = {"--image", "BLOB=FILE, like data=cat.jpg"},
};

static bool misread(int way, const char *value)
{
    return refuse("%s takes %s, not '%s'", ways[way].name, ways[way].takes, value);
}

// What the line says of one input.
typedef struct given {
    char *blob, *file;  // owned; file is NULL where the line names none
    ebb_desc desc;      // not of a picture
} given;

static void drop_given(given *g)
{
    free(g->blob);
    free(g->file);
}

// FILE:SHAPE or FILE:SHAPE:DTYPE; the file's name may hold colons itself.
static bool split_file(given *g, const char *rest)
{
    for (const char *colon = strchr(rest, ':'); colon; colon = strchr(colon + 1, ':')) {
        if (colon == rest || !tensor_shape(colon + 1, &g->desc)) continue;
        g->file = need_text("%.*s", (int)(colon - rest), rest);
        return true;
    }
    return false;
}

static bool read_given(given *g, int way, const char *value)
{
    const char *eq = strchr(value, '=');
    if (!eq || eq == value || !eq[1]) return misread(way, value);
    g->blob = need_text("%.*s", (int)(eq - value), value);
    if (way == IMAGE) return g->file = need_text("%s", eq + 1), true;
    return (way == IN ? split_file(g, eq + 1) : tensor_shape(eq + 1, &g->desc)) || misread(way, value);
}

static bool give(session *s, const char *blob, const tensor *t)
{
    ebb_error e;
    void *lent;
    return tensor_set(s->x, blob, t, HAND_GIVE, false, &lent, &e) == EBB_OK || told(&e);
}

static bool expect(session *s, const char *blob, const ebb_desc *d)
{
    ebb_error e;
    return ebb_extractor_expect(s->x, blob, d, &e) == EBB_OK || told(&e);
}

static bool set_picture(session *s, const args *a, const char *blob, int index, const char *path)
{
    ebb_picture_fit fit;
    ebb_desc hint;
    if (!picture_configure(&fit, a)) return false;
    if (!fit.to_width && ebb_net_input_hint(s->net, index, &hint) && hint.rank == 3)
        fit.to_width = hint.dim[2], fit.to_height = hint.dim[1];
    if (!s->dry || !fit.to_width) return picture_set(s->x, blob, path, &fit);
    hint = ebb_desc_pixel(EBB_F32, 3, (const int[]){fit.to == EBB_GRAY ? 1 : 3, fit.to_height, fit.to_width});
    return expect(s, blob, &hint);
}

static bool hand_over_given(session *s, const args *a, const given *g, int index)
{
    char why[512];
    tensor t = {.data = NULL};
    if (g->file && !g->desc.rank) return set_picture(s, a, g->blob, index, g->file);
    if (s->dry) return expect(s, g->blob, &g->desc);
    if (!g->file)
        tensor_random(&t, &g->desc, 12345, -1, 1);
    else if (!tensor_from_file(&t, &g->desc, g->file, why, sizeof why))
        return refuse("%s", why);
    const bool ok = give(s, g->blob, &t);
    tensor_drop(&t);
    return ok;
}

// One input of the line. set[] notes its blob.
static bool set_one(session *s, const args *a, int way, const char *value, bool *set)
{
    ebb_error e;
    given g = {.file = NULL};
    bool ok = read_given(&g, way, value);
    const int index = ok ? ebb_net_blob_index(s->net, g.blob, &e) : -1;
    if (ok && index < 0) ok = told(&e);
    if (ok && set[index]) ok = refuse("%s %s: blob '%s' is set already", ways[way].name, value, g.blob);
    ok = ok && hand_over_given(s, a, &g, index);
    if (ok) set[index] = true;
    drop_given(&g);
    return ok;
}

// An input that the line does not name.
static bool set_unset(session *s, int blob)
{
    ebb_desc d;
    char text[64];
    const char *name = ebb_net_blob_name(s->net, blob);
    char *number = need_text("#%d", blob);
    if (!name || !*name) name = number;
    const bool hinted = ebb_net_input_hint(s->net, blob, &d);
    bool ok = true;
    if (s->dry) {
        ok = !hinted || expect(s, number, &d);
        if (!hinted && !s->unknown) s->unknown = ebb_net_blob_name(s->net, blob);
    } else if (!hinted || !s->made_up) {
        ok = refuse("input '%s' is not set: try --in %s=FILE:%s, or --shape for pseudo-random numbers", name,
                    name, hinted ? ebb_desc_text(&d, text, sizeof text) : "SHAPE");
    } else {
        tensor t;
        const ebb_desc dense = ebb_desc_planar(d.dtype, d.rank, d.dim);
        tensor_random(&t, &dense, 12345, -1, 1);
        ok = give(s, number, &t);
        tensor_drop(&t);
    }
    free(number);
    return ok;
}

// Marks the blobs that the outputs are made from, back to those that are set: each once, so that time is
// linear.
static void mark_needed(const session *s, const bool *set, bool *needed)
{
    int n = 0, *todo = need((size_t)ebb_net_blob_count(s->net) * sizeof *todo);
    ebb_layer_info l;
#define REACH(blob)                                                                                          \
    if (!needed[blob]) needed[blob] = true, todo[n++] = blob
    for (int i = 0; i < s->n_out; i++) {
        const int out = ebb_net_blob_index(s->net, s->out[i], NULL);
        REACH(out);
    }
    while (n > 0) {
        const int blob = todo[--n];
        if (set[blob] || ebb_net_layer(s->net, ebb_net_blob_producer(s->net, blob), &l, NULL) != EBB_OK)
            continue;
        for (int i = 0; i < l.n_in; i++) REACH(l.in[i]);
    }
#undef REACH
    free(todo);
}

static bool set_those_left(session *s, const bool *set)
{
    const int n = ebb_net_inputs(s->net, NULL, 0);
    int *inputs = need((size_t)n * sizeof *inputs);
    bool *needed = need((size_t)ebb_net_blob_count(s->net) * sizeof *needed), ok = true;
    ebb_net_inputs(s->net, inputs, n);
    mark_needed(s, set, needed);
    for (int i = 0; ok && i < n; i++)
        if (needed[inputs[i]] && !set[inputs[i]]) ok = set_unset(s, inputs[i]);
    free(needed);
    free(inputs);
    return ok;
}

bool session_inputs(session *s, const args *a)
{
    bool *set = need((size_t)ebb_net_blob_count(s->net) * sizeof *set), ok = true;
    for (int way = 0; ok && way < WAYS; way++)
        for (int at = 0; ok;) {
            const char *value = args_next(a, ways[way].name, &at);
            if (!value) break;
            ok = set_one(s, a, way, value, set);
        }
    ok = ok && set_those_left(s, set);
    free(set);
    return ok;
}
