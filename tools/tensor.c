// SPDX-License-Identifier: BSD-3-Clause
// tensor.c - dense numbers with a shape. Rule: NaN equals NaN and an infinity itself; nothing else is
// forgiven but the tolerance that was asked for.
#include "tensor.h"
#include "tool.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ebb_dtype dtypes[] = {EBB_F32, EBB_I32, EBB_I8, EBB_F16};

static bool dtype_named(const char *word, size_t n, ebb_dtype *t)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        const char *name = ebb_dtype_name(dtypes[i]);
        if (strlen(name) == n && !memcmp(name, word, n)) {
            *t = dtypes[i];
            return true;
        }
    }
    return false;
}

void tensor_drop(tensor *t)
{
    free(t->data);
    t->data = NULL;
}

// A size at *text, ended by a space, an 'x', a ':' or the end.
static bool size_word(char **text, int *size)
{
    if (!isdigit((unsigned char)**text)) return false;
    char *end;
    const long v = strtol(*text, &end, 10);
    if ((*end && !strchr(" \t\rx:", *end)) || v > INT32_MAX) return false;
    *size = (int)v;
    *text = end;
    return true;
}

bool tensor_words(char **text, ebb_desc *d)
{
    ebb_dtype t;
    const size_t n = strcspn(*text, " \t\r");
    if (!dtype_named(*text, n, &t)) return false;
    int dim[EBB_MAX_RANK], rank = 0;
    *text += n;
    for (*text += strspn(*text, " \t\r"); rank < EBB_MAX_RANK && size_word(text, &dim[rank]); rank++)
        *text += strspn(*text, " \t\r");
    *d = ebb_desc_planar(t, rank, dim);
    return rank > 0;
}

bool tensor_shape(const char *text, ebb_desc *d)
{
    ebb_dtype t = EBB_F32;
    int dim[EBB_MAX_RANK], rank = 0;
    char *at = (char *)text;
    do {
        if (rank == EBB_MAX_RANK || !size_word(&at, &dim[rank++])) return false;
    } while (*at++ == 'x');
    at--;
    if (*at && (*at != ':' || !dtype_named(at + 1, strlen(at + 1), &t))) return false;
    *d = ebb_desc_planar(t, rank, dim);
    return tensor_bytes(d) != SIZE_MAX;
}

size_t tensor_bytes(const ebb_desc *d)
{
    const size_t n = ebb_desc_count(d), each = ebb_dtype_bytes(d->dtype);
    return n > PTRDIFF_MAX / each ? SIZE_MAX : n * each;
}

bool tensor_from_memory(tensor *t, const ebb_desc *d, const char *data, size_t bytes)
{
    if (tensor_bytes(d) != bytes) return false;
    *t = (tensor){*d, need(bytes)};
    if (bytes) memcpy(t->data, data, bytes);
    return true;
}

bool tensor_from_file(tensor *t, const ebb_desc *d, const char *path, char *why, size_t room)
{
    size_t bytes;
    char *data = read_file(path, &bytes, why, room);
    if (!data) return false;
    *t = (tensor){*d, data};
    if (bytes == tensor_bytes(d)) return true;
    char shape[64];
    snprintf(why, room, "%s has %zu bytes, but %s %s takes %zu", path, bytes, ebb_dtype_name(d->dtype),
             ebb_desc_text(d, shape, sizeof shape), tensor_bytes(d));
    tensor_drop(t);
    return false;
}

void tensor_random(tensor *t, const ebb_desc *d, uint32_t seed, double lo, double hi)
{
    *t = (tensor){*d, need(tensor_bytes(d))};
    const size_t n = ebb_desc_count(d);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        const double x = (double)(seed >> 8) / 16777216.0, v = lo + (hi - lo) * x;
        if (d->dtype == EBB_I32)
            ((int32_t *)t->data)[i] = (int32_t)(400 * x);
        else if (d->dtype == EBB_I8)
            ((int8_t *)t->data)[i] = (int8_t)(254 * x - 127);
        else if (d->dtype == EBB_F16)
            ((uint16_t *)t->data)[i] = (uint16_t)(0x3c00 | seed >> 22);  // 1 to 2
        else
            ((float *)t->data)[i] = (float)v;
    }
}

static double half(uint16_t h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double sign = h >> 15 ? -1 : 1;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

double tensor_at(const tensor *t, size_t i)
{
    switch (t->desc.dtype) {
    case EBB_F32: return ((const float *)t->data)[i];
    case EBB_I32: return ((const int32_t *)t->data)[i];
    case EBB_I8: return ((const int8_t *)t->data)[i];
    case EBB_F16: return half(((const uint16_t *)t->data)[i]);
    case EBB_BF16: break;  // no file holds it
    }
    return NAN;
}

// Element i of the dense t to where d's strides want it.
static void spread(const tensor *t, const ebb_desc *d, char *to)
{
    const size_t n = ebb_desc_count(d), each = ebb_dtype_bytes(d->dtype);
    for (size_t i = 0; i < n; i++) {
        size_t rest = i;
        ptrdiff_t at = 0;
        for (int axis = d->rank - 1; axis >= 0; axis--) {
            at += (ptrdiff_t)(rest % (size_t)d->dim[axis]) * d->stride[axis];
            rest /= (size_t)d->dim[axis];
        }
        memcpy(to + at * (ptrdiff_t)each, (const char *)t->data + i * each, each);
    }
}

static ebb_status give(ebb_extractor *x, const char *blob, const tensor *t, const ebb_desc *d, ebb_error *e)
{
    ebb_blob *b;
    ebb_status s = ebb_extractor_make(x, d, &b, e);
    if (s != EBB_OK) return s;
    if (ebb_desc_count(d)) spread(t, ebb_blob_desc(b), ebb_blob_data(b));
    s = ebb_extractor_give(x, blob, b, e);
    if (s != EBB_OK) ebb_blob_drop(b);
    return s;
}

ebb_status tensor_set(ebb_extractor *x, const char *blob, const tensor *t, hand_over how, bool pixel,
                      void **lent, ebb_error *e)
{
    const ebb_desc d = pixel ? ebb_desc_pixel(t->desc.dtype, t->desc.rank, t->desc.dim) : t->desc;
    *lent = NULL;
    if (how == HAND_GIVE) return give(x, blob, t, &d, e);
    char *data = need(tensor_bytes(&d));
    spread(t, &d, data);
    if (how == HAND_BORROW) {
        *lent = data;
        return ebb_extractor_borrow(x, blob, &d, data, e);
    }
    const ebb_status s = ebb_extractor_copy(x, blob, &d, data, e);
    free(data);
    return s;
}

double tensor_error(double got, double want)
{
    if (got == want || (isnan(got) && isnan(want))) return 0;
    return isfinite(got) && isfinite(want) ? fabs(got - want) : INFINITY;
}

difference tensor_compare(const tensor *got, const tensor *want, double eps)
{
    difference worst = {0};
    const size_t n = ebb_desc_count(&want->desc);
    for (size_t i = 0; i < n; i++) {
        const double a = tensor_at(got, i), b = tensor_at(want, i), error = tensor_error(a, b);
        const bool over = error > eps && !(error <= eps * fmax(fabs(a), fabs(b)) && isfinite(error));
        // Among those that are over the limit the largest, otherwise the largest of all.
        if (over > worst.over || (over == worst.over && error > worst.error))
            worst = (difference){i, a, b, error, over};
    }
    return worst;
}

const char *tensor_place(const ebb_desc *d, size_t i, char text[64])
{
    size_t index[EBB_MAX_RANK], at = 1;
    for (int axis = d->rank - 1; axis >= 0; axis--) {
        index[axis] = i % (size_t)d->dim[axis];
        i /= (size_t)d->dim[axis];
    }
    strcpy(text, "[");
    for (int axis = 0; axis < d->rank; axis++)
        at += (size_t)snprintf(text + at, 64 - at, "%s%zu", axis ? "," : "", index[axis]);
    snprintf(text + at, 64 - at, "]");
    return text;
}

void tensor_from_blob(tensor *t, const ebb_blob *b)
{
    const ebb_desc *d = ebb_blob_desc(b);
    *t = (tensor){ebb_desc_planar(d->dtype, d->rank, d->dim), need(tensor_bytes(d))};
    if (ebb_desc_count(d)) memcpy(t->data, ebb_blob_data(b), tensor_bytes(d));
}

summary tensor_summary(const tensor *t)
{
    summary s = {.min = INFINITY, .max = -INFINITY, .count = ebb_desc_count(&t->desc)};
    for (size_t i = 0; i < s.count; i++) {
        const double v = tensor_at(t, i);
        if (!isfinite(v)) {
            s.strange++;
            continue;
        }
        s.min = fmin(s.min, v), s.max = fmax(s.max, v), s.sum += v;
    }
    return s;
}
