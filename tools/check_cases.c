// SPDX-License-Identifier: BSD-3-Clause
// check_cases.c - the verdicts on the records of a .cases file. Rule: each record is a net of its own, and
// what it held is given back when it goes.
#include "cases_file.h"
#include "checker.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>

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
static bool right(const record *r, const check_io *got, const tensor *want, char *why, size_t room)
{
    char a[64], b[64], place[64];
    const ebb_desc *g = &got->t.desc, *w = &want->desc;
    const ebb_dtype expected = w->dtype == EBB_F16 ? EBB_F32 : w->dtype;
    if (!ebb_desc_same_shape(g, w) || g->dtype != expected) {
        snprintf(why, room, "%s is %s %s, should be %s %s", got->blob, ebb_dtype_name(g->dtype),
                 ebb_desc_text(g, a, sizeof a), ebb_dtype_name(expected), ebb_desc_text(w, b, sizeof b));
        return false;
    }
    const difference d = tensor_compare(&got->t, want, r->eps);
    if (d.over)
        snprintf(why, room, "%s is off by %.4g at %s: %.9g, should be %.9g (eps %g)", got->blob, d.error,
                 tensor_place(w, d.at, place), d.got, d.want, r->eps);
    return !d.over;
}

// The record's inputs go over to the job.
static check_job job_of(record *r, const char *text)
{
    check_job j = {.text = text,
                   .weights = r->weights,
                   .weight_bytes = r->weight_bytes,
                   .n_in = r->n_in,
                   .n_out = r->n_out};
    j.in = need((size_t)r->n_in * sizeof *j.in);
    j.out = need((size_t)r->n_out * sizeof *j.out);
    for (int i = 0; i < r->n_in; i++) {
        j.in[i] = (check_io){need_text("in%d", i), r->in[i]};
        r->in[i].data = NULL;
    }
    for (int i = 0; i < r->n_out; i++) j.out[i].blob = need_text("out%d", i);
    return j;
}

// The verdict on a record; false: why says it.
static bool passes(checker *c, record *r, char *why, size_t room)
{
    ebb_error e;
    char *text = param_text(r);
    check_job j = job_of(r, text);
    ebb_net *net = check_load(c, &j, &e);
    bool ok = net != NULL;
    if (!ok) snprintf(why, room, "%s", e.msg);
    ok = ok && check_infer(c, net, &j, why, room);
    for (int i = 0; ok && i < r->n_out; i++) ok = right(r, &j.out[i], &r->out[i], why, room);
    free(text);
    check_drop(&j);
    ebb_net_destroy(net);
    const size_t held = atomic_load(&c->held);
    if (ok && held) snprintf(why, room, "%zu bytes are still held after the net is gone", held);
    return ok && !held;
}

static void check_record(checker *c, record *r)
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
        record r;
        if (record_take(&at, &r))
            check_record(c, &r);
        else
            code = trouble("%s: record %d (%.100s), line %d: %s", path, n, r.name ? r.name : "no name yet",
                           r.line, r.malformed);
        record_drop(&r);
    }
    free(data);
    return code;
}
