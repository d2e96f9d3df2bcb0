// SPDX-License-Identifier: BSD-3-Clause
// cases_file.c - the records of a .cases file. Rule: a line is stored after all of it was checked, once; a
// record is whole or malformed, and no number in it is guessed.
#include "cases_file.h"
#include "tool.h"
#include <stdlib.h>

enum { MOST_BLOBS = 4096 };

// What a record's lines have said so far.
typedef struct head {
    record *r;
    bool eps, bin, data;
    int n_in, n_out;  // tensors described
    size_t bytes;     // of data
} head;

// Each line's reader: NULL, or what is wrong with the line.
typedef const char *line_reader(head *h, char *text);

static const char *case_line(head *h, char *text)
{
    if (h->r->name) return "a second name";
    h->r->name = text;
    return NULL;
}

static const char *eps_line(head *h, char *text)
{
    double eps;
    if (h->eps) return "a second tolerance";
    if (!take_finite(&text, &eps) || eps < 0 || !nothing_left(text))
        return "a tolerance is one number, 0 or more";
    h->eps = true;
    h->r->eps = eps;
    return NULL;
}

static const char *layer_line(head *h, char *text)
{
    long long n_in, n_out;
    const char *type = take_word(&text);
    if (h->r->type) return "a second layer";
    if (!*type || !take_whole(&text, 0, MOST_BLOBS, &n_in) || !take_whole(&text, 1, MOST_BLOBS, &n_out))
        return "a layer is a type, 0 to 4096 inputs, 1 to 4096 outputs and parameters";
    record *r = h->r;
    r->type = type;
    r->params = text;
    r->n_in = (int)n_in, r->n_out = (int)n_out;
    r->in = need((size_t)n_in * sizeof *r->in);
    r->out = need((size_t)n_out * sizeof *r->out);
    return NULL;
}

static const char *bin_line(head *h, char *text)
{
    long long bytes;
    if (h->bin) return "a second count of weights";
    if (!take_whole(&text, 0, INT64_MAX, &bytes) || !nothing_left(text))
        return "weights are counted in bytes";
    if ((unsigned long long)bytes > SIZE_MAX) return "more weights than there is memory";
    h->bin = true;
    h->r->weight_bytes = (size_t)bytes;
    return NULL;
}

static const char *tensor_line(char *text, tensor *t, int *n, int most)
{
    ebb_desc d;
    if (*n == most) return "more tensors than the layer line says";
    if (!tensor_words(&text, &d) || !nothing_left(text) || tensor_bytes(&d) == SIZE_MAX)
        return "a tensor is f32, f16, i32 or i8 and 1 to 4 sizes";
    t[(*n)++].desc = d;
    return NULL;
}

static const char *in_line(head *h, char *text) { return tensor_line(text, h->r->in, &h->n_in, h->r->n_in); }

static const char *out_line(head *h, char *text)
{
    return tensor_line(text, h->r->out, &h->n_out, h->r->n_out);
}

static const char *data_line(head *h, char *text)
{
    long long bytes;
    if (!h->r->name || !h->r->type) return "data before a case or a layer line";
    if (h->n_in != h->r->n_in || h->n_out != h->r->n_out) return "fewer tensors than the layer line says";
    if (!take_whole(&text, 0, INT64_MAX, &bytes) || !nothing_left(text)) return "data is counted in bytes";
    if ((unsigned long long)bytes > SIZE_MAX) return "more data than there is memory";
    h->data = true;
    h->bytes = (size_t)bytes;
    return NULL;
}

static const char *any_line(head *h, char *text)
{
    static const struct kind {
        const char *key;
        line_reader *read;
    } kinds[] = {{"case", case_line}, {"eps", eps_line}, {"layer", layer_line}, {"bin", bin_line},
                 {"in", in_line},     {"out", out_line}, {"data", data_line}};
    const char *key = take_word(&text);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].key, key)) return kinds[i].read(h, text);
    return "a line begins with case, eps, layer, bin, in, out or data";
}

// The text lines, up to and including `data`.
static const char *take_head(cursor *c, head *h)
{
    while (!h->data) {
        char *line = take_line(c);
        h->r->line++;
        if (!line) return "the file ends before the data";
        const char *wrong = any_line(h, line);
        if (wrong) return wrong;
    }
    return NULL;
}

// False: there are fewer bytes left than these tensors take.
static bool take_tensors(cursor *c, tensor *t, int n, size_t *left)
{
    for (int i = 0; i < n; i++) {
        const ebb_desc d = t[i].desc;
        const size_t bytes = tensor_bytes(&d);
        if (bytes > *left) return false;
        tensor_from_memory(&t[i], &d, c->at, bytes);
        c->at += bytes;
        *left -= bytes;
    }
    return true;
}

static const char *take_data(cursor *c, head *h)
{
    record *r = h->r;
    size_t left = h->bytes;
    if (left > (size_t)(c->end - c->at)) return "the file ends inside the data";
    if (r->weight_bytes > left) return "less data than weights";
    r->weights = c->at;
    c->at += r->weight_bytes;
    left -= r->weight_bytes;
    if (!take_tensors(c, r->in, r->n_in, &left) || !take_tensors(c, r->out, r->n_out, &left))
        return "less data than the tensors take";
    if (left) return "more data than weights and tensors take";
    if (c->at == c->end || *c->at++ != '\n') return "no newline behind the data";
    return NULL;
}

bool record_take(cursor *text, record *r)
{
    *r = (record){.name = NULL};
    head h = {.r = r};
    r->malformed = take_head(text, &h);
    if (!r->malformed) r->malformed = take_data(text, &h);
    return !r->malformed;
}

void record_drop(record *r)
{
    for (int i = 0; i < r->n_in; i++) tensor_drop(&r->in[i]);
    for (int i = 0; i < r->n_out; i++) tensor_drop(&r->out[i]);
    free(r->in);
    free(r->out);
}
