// SPDX-License-Identifier: BSD-3-Clause
// text.c - .param text to a draft. Rule: counts are checked against what is left of the file before they are
// used.
#include "draft.h"
#include "number.h"
#include <limits.h>
#include <string.h>

typedef struct cursor {
    ebb_draft *d;
    const char *p, *end;
    const char *line;  // where the last word that starts a line stands
    const char *word;  // where the last word stands, for messages
} cursor;

static void skip_space(cursor *c)
{
    for (; c->p < c->end && ebb_is_space(*c->p); c->p++)
        if (*c->p == '\n' || *c->p == '\r') c->line = NULL;
    if (!c->line) c->line = c->p;
}

static bool next_word(cursor *c, ebb_word *w)
{
    skip_space(c);
    *w = (ebb_word){.at = c->word = c->p};
    while (c->p < c->end && !ebb_is_space(*c->p)) c->p++;
    w->n = (size_t)(c->p - w->at);
    return w->n > 0;
}

static int shown(const ebb_word *w) { return w->n > 64 ? 64 : (int)w->n; }

// How many characters "12=" or "-23301=" has; 0 when no key stands at p.
static size_t key_length(const char *p, const char *end)
{
    const char *q = p + (p < end && *p == '-');
    const char *first = q;
    while (q < end && *q >= '0' && *q <= '9') q++;
    return q > first && q < end && *q == '=' ? (size_t)(q + 1 - p) : 0;
}

#define TRY_AT(l, at, expr)                                                                                  \
    do {                                                                                                     \
        const ebb_status at_status_ = (expr);                                                                \
        if (at_status_ != EBB_OK) return ebb_draft_place(c->d, l, at, at_status_, e);                        \
    } while (0)

static ebb_status read_count(cursor *c, const char *what, size_t most, int *v, ebb_error *e)
{
    ebb_word w;
    if (!next_word(c, &w))
        return ebb_fail(e, EBB_E_FORMAT, "the file ends where the number of %s should stand", what);
    ebb_number x;
    if (!ebb_number_parse(w.at, w.n, &x) || !(x.d >= 0) || (x.d <= INT_MAX && x.d != (int)x.d))
        return ebb_fail(e, EBB_E_FORMAT, "'%.*s' stands where the number of %s should stand", shown(&w), w.at,
                        what);
    if (x.d > INT_MAX || x.d > (double)most)
        return ebb_fail(e, EBB_E_FORMAT,
                        "the number of %s is %.*s, more than the %td bytes left in the file can hold", what,
                        shown(&w), w.at, c->end - c->p);
    *v = (int)x.d;
    return EBB_OK;
}

static ebb_status read_type(cursor *c, ebb_draft_layer *l, const ebb_draft_layer *before, ebb_error *e)
{
    ebb_word w;
    const int done = (int)(l - c->d->layers);
    if (!next_word(c, &w))
        return ebb_fail(e, EBB_E_FORMAT, "the file ends after %d of the %d layers that the header counts",
                        done, c->d->n_layers);
    char name[128];
    const size_t n = w.n < sizeof name ? w.n : sizeof name - 1;
    memcpy(name, w.at, n);
    name[n] = 0;
    l->at = w.at;
    l->type = ebb_types_named(c->d->types, name);
    if (before && c->line != w.at && !l->type)
        return ebb_fail(e, EBB_E_FORMAT,
                        "'%s' follows the %d input and %d output names of layer '%.64s'; expected key=value "
                        "or a new line",
                        name, before->n_in, before->n_out, before->name);
    l->kind = w;
    c->d->unknown += !l->type;
    return EBB_OK;
}

static ebb_status read_name(cursor *c, ebb_draft_layer *l, ebb_error *e)
{
    ebb_word w;
    if (!next_word(c, &w))
        return ebb_fail(e, EBB_E_FORMAT, "the file ends where the name of a layer should stand");
    l->name = ebb_arena_text(c->d->keep, w.at, w.n);
    return l->name ? EBB_OK : ebb_fail(e, EBB_E_NOMEM, "no memory for a name");
}

// A word that starts a line and is a layer type is the next layer: this one has fewer names than it counts.
static bool is_next_layer(const cursor *c, const ebb_word *w)
{
    char name[128];
    if (c->line != w->at || w->n >= sizeof name) return false;
    memcpy(name, w->at, w->n);
    name[w->n] = 0;
    return ebb_types_named(c->d->types, name) != NULL;
}

static ebb_status read_blobs(cursor *c, ebb_draft_layer *l, ebb_error *e)
{
    const size_t n = (size_t)l->n_in + (size_t)l->n_out;
    l->blobs = ebb_arena_get(&c->d->arena, ebb_size_mul(n, sizeof *l->blobs));
    if (!l->blobs) return ebb_fail(e, EBB_E_NOMEM, "no memory for %zu names", n);
    for (size_t i = 0; i < n; i++) {
        ebb_word *w = &l->blobs[i];
        skip_space(c);
        c->word = c->p;
        if (key_length(c->p, c->end) || !next_word(c, w) || is_next_layer(c, w))
            return ebb_fail(e, EBB_E_FORMAT,
                            "the layer's counts are %d in and %d out, but names that follow are %zu", l->n_in,
                            l->n_out, i);
    }
    return EBB_OK;
}

static ebb_status read_quoted(cursor *c, ebb_value *v, ebb_error *e)
{
    v->form = EBB_V_QUOTED;
    v->at = ++c->p;
    while (c->p < c->end && *c->p != '"' && *c->p != '\n') c->p++;
    v->n = (size_t)(c->p - v->at);
    if (c->p == c->end || *c->p != '"')
        return ebb_fail(e, EBB_E_FORMAT, "the string of parameter %d has no end", v->id);
    c->p++;
    if (c->p < c->end && !ebb_is_space(*c->p))
        return ebb_fail(e, EBB_E_FORMAT, "characters follow the string of parameter %d", v->id);
    return EBB_OK;
}

static ebb_status read_value(cursor *c, ebb_value *v, ebb_error *e)
{
    enum { OLD_ARRAY = -23300 };
    const size_t n = key_length(c->p, c->end);
    ebb_number key;
    ebb_number_parse(c->p, n - 1, &key);
    *v = (ebb_value){.form = key.d <= OLD_ARRAY ? EBB_V_OLD_ARRAY : EBB_V_TEXT};
    const double id = v->form == EBB_V_OLD_ARRAY ? OLD_ARRAY - key.d : key.d;
    if (!(id >= 0 && id < EBB_MAX_ID))
        return ebb_fail(e, EBB_E_FORMAT,
                        "%.*s is no parameter key: keys go from 0 to %d, and from %d down for arrays",
                        (int)(n > 40 ? 40 : n - 1), c->p, EBB_MAX_ID - 1, OLD_ARRAY);
    v->id = (int)id;
    c->p += n;
    if (c->p < c->end && *c->p == '"' && v->form == EBB_V_TEXT) return read_quoted(c, v, e);
    ebb_word w;
    const char *at = c->p;
    if (!next_word(c, &w) || w.at != at) return ebb_fail(e, EBB_E_FORMAT, "parameter %d has no value", v->id);
    v->at = w.at, v->n = w.n;
    return EBB_OK;
}

static ebb_status read_layer(cursor *c, int i, ebb_error *e)
{
    ebb_draft_layer *l = &c->d->layers[i];
    TRY_AT(l, c->word, read_type(c, l, i ? l - 1 : NULL, e));
    TRY_AT(l, c->word, read_name(c, l, e));
    TRY_AT(l, c->word, read_count(c, "inputs", (size_t)(c->end - c->p) / 2, &l->n_in, e));
    TRY_AT(l, c->word, read_count(c, "outputs", (size_t)(c->end - c->p) / 2, &l->n_out, e));
    TRY_AT(l, c->word, read_blobs(c, l, e));
    ebb_value *last = NULL;
    for (skip_space(c); key_length(c->p, c->end); skip_space(c)) {
        ebb_value v;
        const char *at = c->p;
        TRY_AT(l, at, read_value(c, &v, e));
        TRY_AT(l, at, ebb_draft_add_value(c->d, l, &last, v, e));
    }
    return EBB_OK;
}

static ebb_status read_header(cursor *c, ebb_error *e)
{
    enum { LEAST_LAYER = 8 };  // "A b 0 0" and the end of the line
    ebb_word magic;
    next_word(c, &magic);
    TRY_AT(NULL, c->word, read_count(c, "layers", (size_t)(c->end - c->p) / LEAST_LAYER, &c->d->n_layers, e));
    TRY_AT(NULL, c->word, read_count(c, "blobs", (size_t)(c->end - c->p) / 2, &c->d->n_blobs, e));
    if (c->d->n_layers == 0) TRY_AT(NULL, NULL, ebb_fail(e, EBB_E_FORMAT, "the header counts no layers"));
    c->d->layers = ebb_arena_get(&c->d->arena, ebb_size_mul((size_t)c->d->n_layers, sizeof *c->d->layers));
    return c->d->layers ? EBB_OK : ebb_draft_nomem(c->d, e);
}

// Blobs are counted in order of their first appearance, as ncnn does.
static bool number_words(ebb_draft *d)
{
    int n = 0;
    for (const ebb_draft_layer *l = d->layers; l < d->layers + d->n_layers; l++)
        for (ebb_word *w = l->blobs; w < l->blobs + l->n_in + l->n_out; w++) {
            if (w->first == w) {
                w->blob = n;
                d->names[n] = ebb_arena_text(d->keep, w->at, w->n);
                if (!d->names[n++]) return false;
            }
            w->blob = w->first->blob;
        }
    return true;
}

static ebb_status name_blobs(ebb_draft *d, size_t words, ebb_error *e)
{
    ebb_word **w = ebb_arena_get(&d->arena, ebb_size_mul(words, 2 * sizeof *w));
    if (!w) return ebb_draft_nomem(d, e);
    size_t n = 0;
    for (const ebb_draft_layer *l = d->layers; l < d->layers + d->n_layers; l++)
        for (int i = 0; i < l->n_in + l->n_out; i++) w[n++] = &l->blobs[i];
    size_t blobs;
    ebb_word **sorted = ebb_distinct(w, words, &blobs);
    d->names = ebb_arena_get(&d->arena, ebb_size_mul(blobs, sizeof *d->names));
    int *by_name = ebb_arena_get(d->keep, ebb_size_mul(blobs, sizeof *by_name));
    if (!d->names || !by_name || !number_words(d)) return ebb_draft_nomem(d, e);
    n = 0;
    for (size_t i = 0; i < words; i++)
        if (sorted[i]->first == sorted[i]) by_name[n++] = sorted[i]->blob;
    d->by_name = by_name;
    if ((size_t)d->n_blobs != blobs)
        ebb_draft_warn(d, NULL, "the header's count of blobs is %d, but the layers name %zu; all are made",
                       d->n_blobs, blobs);
    d->n_blobs = (int)blobs;
    return EBB_OK;
}

static bool more_layers(cursor *c)
{
    skip_space(c);
    return c->p < c->end;
}

// The header may count fewer layers than there are.
static bool grow(ebb_draft *d, int *room)
{
    ebb_draft_layer *more = ebb_arena_get(&d->arena, ebb_size_mul((size_t)*room, 2 * sizeof *more));
    if (!more) return false;
    memcpy(more, d->layers, (size_t)*room * sizeof *more);
    d->layers = more;
    *room *= 2;
    return true;
}

ebb_status ebb_draft_text(ebb_draft *d, ebb_error *e)
{
    while (d->data[d->bytes - 1] == 0) d->bytes--;  // a C string given with its end
    cursor at = {.d = d, .p = d->data, .end = d->data + d->bytes, .line = d->data}, *c = &at;
    const char *zero = memchr(d->data, 0, d->bytes);
    if (zero) TRY_AT(NULL, zero, ebb_fail(e, EBB_E_FORMAT, "a zero byte stands in the text"));
    EBB_TRY(read_header(c, e));
    size_t words = 0;
    const int counted = d->n_layers;
    int room = counted;
    for (int i = 0; i < counted || more_layers(c); i++) {
        if (i == room && !grow(d, &room)) return ebb_draft_nomem(d, e);
        d->n_layers = i < counted ? counted : i + 1;
        EBB_TRY(read_layer(c, i, e));
        words += (size_t)d->layers[i].n_in + (size_t)d->layers[i].n_out;
    }
    if (d->n_layers != counted)
        ebb_draft_warn(d, NULL,
                       "the header's count of layers is %d, but %d stand in the file; all are loaded",
                       counted, d->n_layers);
    return name_blobs(d, words, e);
}
