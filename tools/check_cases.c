// SPDX-License-Identifier: BSD-3-Clause
// check_cases.c - .cases files: records of one layer, its inputs, its weights and the right outputs. Rule: a
// record is used whole or reported as malformed; no number in it is guessed.
#include "checker.h"
#include "words.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
    char *name, *type, *params;
    double eps;
    int n_in, n_out;
    const char *weights;
    size_t weight_bytes;
    check_io *in, *out;
} record;

static bool take_layer(record *r, char *text)
{
    r->type = take_word(&text);
    r->n_in = atoi(take_word(&text));
    r->n_out = atoi(take_word(&text));
    r->params = text;
    if (!*r->type || r->n_in < 0 || r->n_in > 4096 || r->n_out < 1 || r->n_out > 4096 || r->in) return false;
    r->in = need((size_t)r->n_in * sizeof *r->in);
    r->out = need((size_t)r->n_out * sizeof *r->out);
    return true;
}

static bool take_tensor(check_io *io, int *n, int max, const char *prefix, char *text)
{
    if (*n >= max || !tensor_words(&text, &io[*n].t.desc) || tensor_bytes(&io[*n].t.desc) == SIZE_MAX)
        return false;
    io[*n].blob = need_text("%s%d", prefix, *n);
    (*n)++;
    return true;
}

// The text lines up to and including `data`, whose count goes to *bytes.
static bool take_head(cursor *c, record *r, size_t *bytes)
{
    int n_in = 0, n_out = 0;
    for (char *line; (line = take_line(c));) {
        const char *key = take_word(&line);
        bool ok = true;
        if (!strcmp(key, "case"))
            r->name = line;
        else if (!strcmp(key, "eps"))
            r->eps = atof(line);
        else if (!strcmp(key, "layer"))
            ok = take_layer(r, line);
        else if (!strcmp(key, "bin"))
            r->weight_bytes = strtoull(line, NULL, 10);
        else if (!strcmp(key, "in"))
            ok = take_tensor(r->in, &n_in, r->n_in, "in", line);
        else if (!strcmp(key, "out"))
            ok = take_tensor(r->out, &n_out, r->n_out, "out", line);
        else if (!strcmp(key, "data")) {
            *bytes = strtoull(line, NULL, 10);
            return r->name && r->type && n_in == r->n_in && n_out == r->n_out;
        } else
            ok = false;
        if (!ok) return false;
    }
    return false;
}

static bool take_data(cursor *c, check_io *io, int n, size_t *left)
{
    for (int i = 0; i < n; i++) {
        const ebb_desc d = io[i].t.desc;
        const size_t bytes = tensor_bytes(&d);
        if (bytes > *left) return false;
        tensor_from_memory(&io[i].t, &d, c->at, bytes);
        c->at += bytes;
        *left -= bytes;
    }
    return true;
}

static bool take_record(cursor *c, record *r)
{
    size_t left;
    if (!take_head(c, r, &left) || left > (size_t)(c->end - c->at) || r->weight_bytes > left) return false;
    r->weights = c->at;
    c->at += r->weight_bytes;
    left -= r->weight_bytes;
    if (!take_data(c, r->in, r->n_in, &left) || !take_data(c, r->out, r->n_out, &left) || left) return false;
    return c->at < c->end && *c->at++ == '\n';
}

static void drop_record(record *r)
{
    if (r->in) check_drop(r->in, r->n_in);
    if (r->out) check_drop(r->out, r->n_out);
    free(r->in);
    free(r->out);
}

// The record's layer as a net of its own.
static char *param_text(const record *r)
{
    size_t room = strlen(r->type) + strlen(r->params) + 256 + 64 * (size_t)(r->n_in + r->n_out), n = 0;
    char *text = need(room);
    n += (size_t)snprintf(text, room, "7767517\n%d %d\n", r->n_in + 1, r->n_in + r->n_out);
    for (int i = 0; i < r->n_in; i++)
        n += (size_t)snprintf(text + n, room - n, "Input in%d 0 1 in%d\n", i, i);
    n += (size_t)snprintf(text + n, room - n, "%s case %d %d", r->type, r->n_in, r->n_out);
    for (int i = 0; i < r->n_in; i++) n += (size_t)snprintf(text + n, room - n, " in%d", i);
    for (int i = 0; i < r->n_out; i++) n += (size_t)snprintf(text + n, room - n, " out%d", i);
    snprintf(text + n, room - n, " %s\n", r->params);
    return text;
}

// False: output `got` is not what the record says.
static bool right(const record *r, const check_io *got, const check_io *want, char *why, size_t room)
{
    char a[64], b[64], place[64];
    const ebb_desc *g = &got->t.desc, *w = &want->t.desc;
    const ebb_dtype expected = w->dtype == EBB_F16 ? EBB_F32 : w->dtype;
    if (!ebb_desc_same_shape(g, w) || g->dtype != expected) {
        snprintf(why, room, "%s is %s %s, should be %s %s", got->blob, ebb_dtype_name(g->dtype),
                 ebb_desc_text(g, a, sizeof a), ebb_dtype_name(expected), ebb_desc_text(w, b, sizeof b));
        return false;
    }
    const difference d = tensor_compare(&got->t, &want->t, r->eps);
    if (d.over)
        snprintf(why, room, "%s is off by %.4g at %s: %.9g, should be %.9g (eps %g)", got->blob, d.error,
                 tensor_place(w, d.at, place), d.got, d.want, r->eps);
    return !d.over;
}

// The verdict on a record; false: why says it.
static bool passes(checker *c, const record *r, char *why, size_t room)
{
    ebb_error e;
    ebb_net *net = check_net(c, &e);
    check_io *got = need((size_t)r->n_out * sizeof *got);
    for (int i = 0; i < r->n_out; i++) got[i].blob = need_text("out%d", i);
    char *text = param_text(r);
    bool ok = net && ebb_net_load_param_mem(net, text, strlen(text), &e) == EBB_OK &&
              ebb_net_load_weights_mem(net, r->weights, r->weight_bytes, &e) == EBB_OK;
    if (!ok) snprintf(why, room, "%s", e.msg);
    ok = ok && check_infer(c, net, r->in, r->n_in, got, r->n_out, why, room);
    for (int i = 0; ok && i < r->n_out; i++) ok = right(r, &got[i], &r->out[i], why, room);
    free(text);
    check_drop(got, r->n_out);
    free(got);
    ebb_net_destroy(net);
    const size_t held = atomic_load(&c->held);
    if (ok && held) snprintf(why, room, "%zu bytes are still held after the net is gone", held);
    return ok && !held;
}

static void check_record(checker *c, const record *r)
{
    char why[1024], line[2048];
    if (c->only && !strstr(r->name, c->only)) return;
    check_begin(c, r->name);
    if (!check_knows(r->type)) {
        check_skip(c, r->name, r->type);
        return;
    }
    if (passes(c, r, why, sizeof why)) {
        check_verdict(c, r->name, NULL);
        return;
    }
    snprintf(line, sizeof line, "%s [%s %d %d %.900s]", why, r->type, r->n_in, r->n_out, r->params);
    check_verdict(c, r->name, line);
}

int check_cases(checker *c, const char *path)
{
    char why[512];
    size_t bytes;
    char *data = read_file(path, &bytes, why, sizeof why);
    if (!data) return trouble("%s", why);
    int n = 0, code = DONE;
    for (cursor at = {data, data + bytes}; code == DONE && at.at < at.end; n++) {
        record r = {0};
        if (take_record(&at, &r))
            check_record(c, &r);
        else
            code = trouble("%s: record %d is malformed or cut short", path, n);
        drop_record(&r);
    }
    free(data);
    return code;
}
