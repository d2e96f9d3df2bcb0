// SPDX-License-Identifier: BSD-3-Clause
// param.c - values of a draft to the fields of a layer's state. Rule: the row's type decides, never the
// file's spelling.
#include "draft.h"
#include "number.h"
#include "registry.h"
#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct filler {
    const ebb_draft *d;
    const ebb_draft_layer *l;
    const ebb_param *row;
    const ebb_value *v;
    const char *at, *end;  // of the text that is still to be read
    const char *cell;      // where the element read last stands
} filler;

static size_t count_elements(const char *at, const char *end)
{
    size_t n = at < end;
    for (const char *p = at; p < end; p++) n += *p == ',' && p + 1 < end;  // a comma may end the array
    return n;
}

// The next element's text; fails when it is no number.
static ebb_status next_text(filler *f, ebb_number *x, ebb_error *e)
{
    f->cell = f->at;
    const char *comma = f->at < f->end ? memchr(f->at, ',', (size_t)(f->end - f->at)) : NULL;
    const char *stop = comma ? comma : f->end;
    f->at = comma ? comma + 1 : f->end;
    const size_t n = (size_t)(stop - f->cell);
    if (ebb_number_parse(f->cell, n, x)) return EBB_OK;
    const int shown = n > 40 ? 40 : (int)n;
    if (n > 1 && strchr("fFlLuU", f->cell[n - 1]) && ebb_number_parse(f->cell, n - 1, x))
        return ebb_fail(e, EBB_E_PARAM,
                        "parameter %d (%s) has '%.*s', a number as C spells it: write it without the '%c'",
                        f->row->id, f->row->name, shown, f->cell, f->cell[n - 1]);
    return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) has '%.*s' where a number should stand", f->row->id,
                    f->row->name, shown, f->cell);
}

static bool wants_floats(const ebb_param *row)
{
    return row->type == EBB_P_FLOAT || row->type == EBB_P_FLOATS;
}

static void next_cell(filler *f, ebb_number *x)
{
    const unsigned char *b = (const unsigned char *)f->at;
    const uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    f->cell = f->at;
    f->at += 4;
    if (wants_floats(f->row)) {
        memcpy(&x->f, &bits, sizeof bits);
        x->d = x->f;
    } else {
        x->d = (int32_t)bits;
    }
}

// Starts reading the value's elements and says how many there are.
static ebb_status start_elements(filler *f, size_t *n, ebb_error *e)
{
    const ebb_value *v = f->v;
    f->at = f->cell = v->at, f->end = v->at + v->n;
    *n = v->n;
    if (v->form == EBB_V_CELL || v->form == EBB_V_CELLS) return EBB_OK;
    if (v->form == EBB_V_QUOTED || v->form == EBB_V_BYTES)
        return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) is a string, but takes numbers", f->row->id,
                        f->row->name);
    *n = count_elements(f->at, f->end);
    if (v->form == EBB_V_TEXT) return EBB_OK;
    ebb_number count;
    EBB_TRY(next_text(f, &count, e));
    if (count.d != (double)(*n - 1))
        return ebb_fail(e, EBB_E_PARAM, "the array of parameter %d (%s) has %zu elements, but says %g",
                        f->row->id, f->row->name, *n - 1, count.d);
    *n -= 1;
    return EBB_OK;
}

static bool in_range(const ebb_param *r, double d)
{
    return (r->min == 0 && r->max == 0) || (d >= r->min && d <= r->max);
}

static ebb_status check_range(const ebb_param *r, double d, ebb_error *e)
{
    if (in_range(r, d)) return EBB_OK;
    if (d < r->min && r->max >= INT_MAX)
        return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) is %g; the least is %g", r->id, r->name, d,
                        r->min);
    return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) is %g; it goes from %g to %g", r->id, r->name, d,
                    r->min, r->max);
}

static ebb_status next_element(filler *f, void *to, ebb_error *e)
{
    ebb_number x;
    if (f->v->form == EBB_V_CELL || f->v->form == EBB_V_CELLS)
        next_cell(f, &x);
    else
        EBB_TRY(next_text(f, &x, e));
    EBB_TRY(check_range(f->row, x.d, e));
    if (wants_floats(f->row)) {
        memcpy(to, &x.f, sizeof x.f);
        return EBB_OK;
    }
    if (!(x.d >= INT_MIN && x.d <= INT_MAX))
        return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) is %g, which is no 32-bit integer", f->row->id,
                        f->row->name, x.d);
    const int whole = (int)x.d;
    if (whole != x.d)
        return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) is %g; it takes whole numbers", f->row->id,
                        f->row->name, x.d);
    memcpy(to, &whole, sizeof whole);
    return EBB_OK;
}

// ncnn reads a whole array as the number 0; real files count on it.
static ebb_status array_as_zero(filler *f, size_t n, void *field, ebb_error *e)
{
    const bool array = f->v->form == EBB_V_OLD_ARRAY || f->v->form == EBB_V_CELLS;
    if (!array || n == 0 || !in_range(f->row, 0))
        return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) is one number, but has %zu", f->row->id,
                        f->row->name, n);
    ebb_draft_warn(f->d, f->l, "parameter %d (%s) is one number, but has an array of %zu; it counts as 0",
                   f->row->id, f->row->name, n);
    memset(field, 0, ebb_param_bytes(f->row->type));
    return EBB_OK;
}

static ebb_status fill_scalar(filler *f, void *field, ebb_error *e)
{
    size_t n;
    EBB_TRY(start_elements(f, &n, e));
    return n == 1 ? next_element(f, field, e) : array_as_zero(f, n, field, e);
}

static ebb_status fill_array(filler *f, void *field, ebb_error *e)
{
    size_t n;
    EBB_TRY(start_elements(f, &n, e));
    char *cells = ebb_arena_get(f->d->keep, ebb_size_mul(n, 4));
    if (!cells || n > INT_MAX) return ebb_fail(e, EBB_E_NOMEM, "no memory for %zu numbers", n);
    for (size_t i = 0; i < n; i++) EBB_TRY(next_element(f, cells + 4 * i, e));
    if (wants_floats(f->row))
        *(ebb_floats *)field = (ebb_floats){(int)n, (const float *)cells};
    else
        *(ebb_ints *)field = (ebb_ints){(int)n, (const int *)cells};
    return EBB_OK;
}

static ebb_status fill_string(filler *f, void *field, ebb_error *e)
{
    const ebb_value *v = f->v;
    f->cell = v->at;
    if (v->form == EBB_V_OLD_ARRAY || v->form == EBB_V_CELL || v->form == EBB_V_CELLS)
        return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) takes a string, but has numbers", f->row->id,
                        f->row->name);
    size_t n = v->n;
    while (v->form == EBB_V_BYTES && n && v->at[n - 1] == 0) n--;
    if (memchr(v->at, 0, n))
        return ebb_fail(e, EBB_E_PARAM, "the string of parameter %d has a zero byte", v->id);
    const char *text = ebb_arena_text(f->d->keep, v->at, n);
    if (!text) return ebb_fail(e, EBB_E_NOMEM, "no memory for %zu characters", n);
    *(const char **)field = text;
    return EBB_OK;
}

static ebb_status fill_field(filler *f, void *field, ebb_error *e)
{
    switch (f->row->type) {
    case EBB_P_INT:
    case EBB_P_FLOAT: return fill_scalar(f, field, e);
    case EBB_P_INTS:
    case EBB_P_FLOATS: return fill_array(f, field, e);
    case EBB_P_STRING: return fill_string(f, field, e);
    }
    return EBB_OK;
}

static ebb_status fill_default(const ebb_layer_type *t, const ebb_param *row, char *st, ebb_error *e)
{
    if (row->like) {
        const ebb_param *r = t->params;
        while (r->id != row->like - 1) r++;
        memcpy(st + row->offset, st + r->offset, ebb_param_bytes(row->type));
    } else if (row->type == EBB_P_INT || row->type == EBB_P_FLOAT) {
        if (!in_range(row, row->def))
            return ebb_fail(e, EBB_E_PARAM, "parameter %d (%s) is missing", row->id, row->name);
        const int whole = row->type == EBB_P_INT ? (int)row->def : 0;
        const float real = (float)row->def;
        memcpy(st + row->offset, row->type == EBB_P_INT ? (const void *)&whole : &real, 4);
    }
    return EBB_OK;
}

ebb_status ebb_draft_fill(const ebb_draft *d, const ebb_draft_layer *l, void *st, ebb_error *e)
{
    EBB_TRY(ebb_draft_check_keys(d, l, e));
    for (const ebb_param *row = l->type->params; row && row->name; row++) {
        filler f = {.d = d, .l = l, .row = row, .v = ebb_draft_value(l, row->id)};
        const ebb_status s =
            f.v ? fill_field(&f, (char *)st + row->offset, e) : fill_default(l->type, row, st, e);
        if (s != EBB_OK) return ebb_draft_place(d, l, f.v ? f.cell : l->at, s, e);
    }
    return EBB_OK;
}

ebb_status ebb_draft_ints(const ebb_draft *d, const ebb_draft_layer *l, int id, ebb_ints *v, ebb_error *e)
{
    static const ebb_param rows[] = {{.id = EBB_ID_HINTS, .name = "shape hints", .type = EBB_P_INTS},
                                     {.id = EBB_ID_FEATURES, .name = "feature mask", .type = EBB_P_INTS}};
    *v = (ebb_ints){0};
    filler f = {.d = d, .l = l, .row = &rows[id == EBB_ID_FEATURES], .v = ebb_draft_value(l, id)};
    if (!f.v) return EBB_OK;
    const ebb_status s = fill_field(&f, v, e);
    return s == EBB_OK ? s : ebb_draft_place(d, l, f.cell, s, e);
}
