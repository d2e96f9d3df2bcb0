// SPDX-License-Identifier: BSD-3-Clause
// keys.c - parameters that the layer type has no row for. Rule: one that may change what is computed is
// refused, unless the caller was told that it is ignored.
#include "draft.h"
#include "number.h"
#include <stdio.h>
#include <string.h>

enum { ANY_VALUE = INT32_MIN };

// What writers of files add that changes nothing here.
static const struct {
    const char *type;  // NULL: of any layer
    int id, value;
} harmless[] = {
    {NULL, EBB_ID_HINTS, ANY_VALUE}, {NULL, EBB_ID_FEATURES, ANY_VALUE},
    {NULL, 32, ANY_VALUE},           {NULL, 33, ANY_VALUE},
    {"Convolution", 7, 1},           // groups
    {"Convolution", 17, ANY_VALUE},  // which algorithm
    {"Convolution1D", 7, 1},         {"Deconvolution", 7, 1},
    {"Fold", 0, ANY_VALUE},  // channels, which follow from the input
    {"Unfold", 0, ANY_VALUE},
};

// The next number of a list in text: false at the end, or where none stands.
static bool next_number(const char **at, const char *end, ebb_number *x)
{
    const char *comma = *at < end ? memchr(*at, ',', (size_t)(end - *at)) : NULL;
    const char *stop = comma ? comma : end;
    const bool good = *at < end && ebb_number_parse(*at, (size_t)(stop - *at), x);
    *at = comma ? comma + 1 : end;
    return good;
}

static int32_t cell(const ebb_value *v, size_t i)
{
    const unsigned char *b = (const unsigned char *)v->at + 4 * i;
    return (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
}

// Whether v is this number, and nothing but it. A cell may be an integer or a float.
static bool is_number(const ebb_value *v, int number)
{
    const char *at = v->at;
    ebb_number x;
    float f;
    if (v->form == EBB_V_TEXT)
        return next_number(&at, v->at + v->n, &x) && at == v->at + v->n && x.d == number;
    if (v->form != EBB_V_CELL) return false;
    const int32_t bits = cell(v, 0);
    memcpy(&f, &bits, sizeof f);
    return bits == number || f == (float)number;
}

// Zeros only, or nothing: as if it were not there.
static bool is_zero(const ebb_value *v)
{
    const char *at = v->at, *end = v->at + v->n;
    ebb_number x;
    switch (v->form) {
    case EBB_V_QUOTED:
    case EBB_V_BYTES: return v->n == 0;
    case EBB_V_CELL: return is_number(v, 0);
    case EBB_V_CELLS:
        for (size_t i = 0; i < v->n; i++)
            if (cell(v, i) & INT32_MAX) return false;
        return true;
    case EBB_V_OLD_ARRAY: next_number(&at, end, &x); break;  // the count
    case EBB_V_TEXT: break;
    }
    while (at < end)
        if (!next_number(&at, end, &x) || x.d != 0) return false;
    return true;
}

static bool is_harmless(const char *type, const ebb_value *v)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (harmless[i].id == v->id && (!harmless[i].type || !strcmp(harmless[i].type, type)) &&
            (harmless[i].value == ANY_VALUE || is_number(v, harmless[i].value)))
            return true;
    return is_zero(v);
}

static bool has_row(const ebb_layer_type *t, int id)
{
    for (const ebb_param *r = t->params; r && r->name; r++)
        if (r->id == id) return true;
    return false;
}

static ebb_status refuse(const ebb_draft_layer *l, const ebb_value *v, ebb_error *e)
{
    char text[40] = "something";
    const int shown = v->n > 32 ? 32 : (int)v->n;
    if (v->form == EBB_V_CELL)
        snprintf(text, sizeof text, "%d", cell(v, 0));
    else if (v->form != EBB_V_CELLS)
        snprintf(text, sizeof text, "%.*s", shown, v->at);
    return ebb_fail(
        e, EBB_E_PARAM,
        "parameter %d is %s, and what it changes is not known: %.40s has no such parameter; take it out, "
        "or load with `lenient` to ignore it",
        v->id, text, l->type->name);
}

ebb_status ebb_draft_check_keys(const ebb_draft *d, const ebb_draft_layer *l, ebb_error *e)
{
    for (const ebb_value *v = l->values; v; v = v->next) {
        if (has_row(l->type, v->id) || is_harmless(l->type->name, v)) continue;
        if (!d->lenient) return ebb_draft_place(d, l, v->at, refuse(l, v, e), e);
        ebb_draft_warn(d, l, "parameter %d is not known, and is ignored", v->id);
    }
    return EBB_OK;
}
