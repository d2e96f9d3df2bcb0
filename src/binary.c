// SPDX-License-Identifier: BSD-3-Clause
// binary.c - .param.bin to a draft. Rule: counts are checked against what is left of the file before they are
// used.
#include "draft.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { END_OF_VALUES = -233, ARRAYS = -23300, STRINGS = -23400, LEAST_LAYER = 16 };

typedef struct cursor {
    ebb_draft *d;
    const char *p, *end;
    const char *cell;  // the last one read, for messages
    int most_blobs;    // a file of this size cannot name more
    int blobs;         // one more than the largest index so far
} cursor;

#define TRY_AT(l, at, expr)                                                                                  \
    do {                                                                                                     \
        const ebb_status at_status_ = (expr);                                                                \
        if (at_status_ != EBB_OK) return ebb_draft_place(c->d, l, at, at_status_, e);                        \
    } while (0)

static ebb_status read_cell(cursor *c, const char *what, int *v, ebb_error *e)
{
    c->cell = c->p;
    if (c->end - c->p < 4) return ebb_fail(e, EBB_E_FORMAT, "the file ends where %s should stand", what);
    const unsigned char *b = (const unsigned char *)c->p;
    *v = (int)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
    c->p += 4;
    return EBB_OK;
}

static ebb_status read_count(cursor *c, const char *what, int each, int *v, ebb_error *e)
{
    EBB_TRY(read_cell(c, what, v, e));
    if (*v < 0 || *v > (c->end - c->p) / each)
        return ebb_fail(e, EBB_E_FORMAT, "%s is %d, which the %td bytes left in the file cannot hold", what,
                        *v, c->end - c->p);
    return EBB_OK;
}

static ebb_status read_type(cursor *c, ebb_draft_layer *l, ebb_error *e)
{
    int number = 0;
    EBB_TRY(read_cell(c, "a layer's type", &number, e));
    l->type = ebb_types_numbered(c->d->types, number);
    char digits[24];
    snprintf(digits, sizeof digits, number & EBB_CUSTOM ? "custom %d" : "number %d", number & ~EBB_CUSTOM);
    const char *name = l->type ? l->type->name : ebb_ncnn_type(number) ? ebb_ncnn_type(number) : digits;
    l->kind = (ebb_word){.at = ebb_arena_text(&c->d->arena, name, strlen(name)), .n = strlen(name)};
    if (!l->kind.at) return ebb_fail(e, EBB_E_NOMEM, "no memory for a name");
    c->d->unknown += !l->type;
    return EBB_OK;
}

static ebb_status generate_name(cursor *c, ebb_draft_layer *l, ebb_error *e)
{
    char name[160];
    const int n = snprintf(name, sizeof name, "%.128s_%td", l->kind.at, l - c->d->layers);
    l->name = ebb_arena_text(c->d->keep, name, (size_t)n);
    return l->name ? EBB_OK : ebb_fail(e, EBB_E_NOMEM, "no memory for a name");
}

static ebb_status read_blobs(cursor *c, ebb_draft_layer *l, ebb_error *e)
{
    const size_t n = (size_t)l->n_in + (size_t)l->n_out;
    if (n > (size_t)(c->end - c->p) / 4)
        return ebb_fail(e, EBB_E_FORMAT, "%zu blob indices should follow, but %td bytes are left", n,
                        c->end - c->p);
    l->blobs = ebb_arena_get(&c->d->arena, ebb_size_mul(n, sizeof *l->blobs));
    if (!l->blobs) return ebb_fail(e, EBB_E_NOMEM, "no memory for %zu blob indices", n);
    for (ebb_word *w = l->blobs; w < l->blobs + n; w++) {
        w->at = c->p;
        EBB_TRY(read_cell(c, "a blob index", &w->blob, e));
        if (w->blob < 0 || w->blob >= c->most_blobs)
            return ebb_fail(e, EBB_E_FORMAT,
                            "blob index %d is out of range: the header's count of blobs is %d", w->blob,
                            c->d->n_blobs);
        if (w->blob >= c->blobs) c->blobs = w->blob + 1;
    }
    return EBB_OK;
}

static ebb_status read_value(cursor *c, int key, ebb_value *v, ebb_error *e)
{
    *v = (ebb_value){.id = key, .form = EBB_V_CELL, .at = c->p, .n = 1};
    int n = 1;
    size_t bytes = 4;
    if (key <= STRINGS) {
        EBB_TRY(read_count(c, "the length of a string", 1, &n, e));
        *v = (ebb_value){.id = STRINGS - key, .form = EBB_V_BYTES, .at = c->p, .n = (size_t)n};
        bytes = ((size_t)n + 3) / 4 * 4;
    } else if (key <= ARRAYS) {
        EBB_TRY(read_count(c, "the length of an array", 4, &n, e));
        *v = (ebb_value){.id = ARRAYS - key, .form = EBB_V_CELLS, .at = c->p, .n = (size_t)n};
        bytes = (size_t)n * 4;
    }
    if ((size_t)(c->end - c->p) < bytes)
        return ebb_fail(e, EBB_E_FORMAT, "the file ends within the value of parameter %d", v->id);
    c->p += bytes;
    return EBB_OK;
}

static ebb_status read_layer(cursor *c, ebb_draft_layer *l, ebb_error *e)
{
    l->at = c->p;
    TRY_AT(l, l->at, read_type(c, l, e));
    TRY_AT(l, l->at, generate_name(c, l, e));
    TRY_AT(l, c->cell, read_count(c, "the number of inputs", 4, &l->n_in, e));
    TRY_AT(l, c->cell, read_count(c, "the number of outputs", 4, &l->n_out, e));
    TRY_AT(l, c->cell, read_blobs(c, l, e));
    for (ebb_value *last = NULL;;) {
        const char *at = c->p;
        int key = 0;
        ebb_value v;
        TRY_AT(l, at, read_cell(c, "a parameter, or -233 for their end,", &key, e));
        if (key == END_OF_VALUES) return EBB_OK;
        TRY_AT(l, at, read_value(c, key, &v, e));
        TRY_AT(l, at, ebb_draft_add_value(c->d, l, &last, v, e));
    }
}

static ebb_status name_blobs(cursor *c, ebb_error *e)
{
    ebb_draft *d = c->d;
    d->n_blobs = c->blobs;
    d->names = ebb_arena_get(&d->arena, ebb_size_mul((size_t)d->n_blobs, sizeof *d->names));
    if (!d->names) return ebb_draft_nomem(d, e);
    for (int i = 0; i < d->n_blobs; i++) {
        char name[16];
        const int n = snprintf(name, sizeof name, "#%d", i);
        d->names[i] = ebb_arena_text(c->d->keep, name, (size_t)n);
        if (!d->names[i]) return ebb_draft_nomem(d, e);
    }
    return EBB_OK;
}

ebb_status ebb_draft_binary(ebb_draft *d, ebb_error *e)
{
    cursor at = {.d = d, .p = d->data + 4, .end = d->data + d->bytes}, *c = &at;
    const size_t cells = d->bytes / 4;
    c->most_blobs = cells > INT_MAX ? INT_MAX : (int)cells;
    TRY_AT(NULL, c->cell, read_count(c, "the number of layers", LEAST_LAYER, &d->n_layers, e));
    TRY_AT(NULL, c->cell, read_count(c, "the number of blobs", 4, &d->n_blobs, e));
    if (d->n_layers == 0) TRY_AT(NULL, NULL, ebb_fail(e, EBB_E_FORMAT, "the header counts no layers"));
    d->layers = ebb_arena_get(&d->arena, ebb_size_mul((size_t)d->n_layers, sizeof *d->layers));
    if (!d->layers) return ebb_draft_nomem(d, e);
    for (int i = 0; i < d->n_layers; i++) EBB_TRY(read_layer(c, &d->layers[i], e));
    if (c->p != c->end)
        TRY_AT(NULL, c->p,
               ebb_fail(e, EBB_E_FORMAT, "the last layer ends at byte %td, but the file has %zu bytes",
                        c->p - d->data, d->bytes));
    if (c->blobs != d->n_blobs)
        ebb_draft_warn(d, NULL, "the header's count of blobs is %d, but the layers use %d; all are made",
                       d->n_blobs, c->blobs);
    return name_blobs(c, e);
}
