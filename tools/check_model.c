// SPDX-License-Identifier: BSD-3-Clause
// check_model.c - the verdicts on a model.txt and an image.txt. Rule: an output is right within tol *
// max|right|, without an absolute floor; nets with 8-bit layers by cosine and norm, since a rounding on the
// edge may fall the other way.
#include "checker.h"
#include "model_file.h"
#include "tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is right for one output.
typedef struct golden {
    model_output said;
    tensor samples;  // elements 0, every, 2 * every, …
} golden;

typedef struct model {
    const char *path;
    char *text, *other_text;  // of the file and of the model.txt beside it, cut into words
    model_file said;
    char *param, *bin;
    check_job job;
    golden *out;
} model;

static void drop_model(model *m)
{
    check_drop(&m->job);
    for (int i = 0; m->out && i < m->said.n_out; i++) tensor_drop(&m->out[i].samples);
    free(m->out);
    free(m->param);
    free(m->bin);
    model_file_drop(&m->said);
    free(m->text);
    free(m->other_text);
}

// The file's words; false: why says what is wrong with it. *text is to be freed, m dropped, either way.
static bool read_words(model_file *m, const char *path, bool graph_only, char **text, char *why, size_t room)
{
    size_t bytes;
    *m = (model_file){.tol = -1};
    *text = read_file(path, &bytes, why, room);
    if (!*text) return false;
    if (model_file_read(m, *text, bytes, graph_only)) return true;
    snprintf(why, room, "%s:%d: malformed: %s", path, m->line, m->malformed);
    return false;
}

// image.txt uses the model of the model.txt beside it.
static bool find_files(model *m, char *why, size_t room)
{
    model_file other = {.tol = -1};
    const model_file *graph = &m->said;
    char *path = beside(m->path, "model.txt");
    if (!m->said.param && strcmp(path, m->path) != 0 &&
        read_words(&other, path, true, &m->other_text, why, room))
        graph = &other;
    free(path);
    if (graph->param) m->param = beside(m->path, graph->param);
    if (graph->bin) m->bin = beside(m->path, graph->bin);
    model_file_drop(&other);
    if (m->param && m->said.n_out) return true;
    snprintf(why, room, "%s has no %s", m->path,
             m->param ? "`out` line: nothing is to be compared"
                      : "`param` line, and there is none in a model.txt beside it either");
    return false;
}

static bool read_input(const model *m, const model_input *in, tensor *t, char *why, size_t room)
{
    if (!in->file) {
        tensor_random(t, &in->desc, in->seed, in->lo, in->hi);
        return true;
    }
    char *path = beside(m->path, in->file);
    const bool ok = tensor_from_file(t, &in->desc, path, why, room);
    free(path);
    return ok;
}

static bool read_output(const model *m, golden *g, char *why, size_t room)
{
    if (g->said.empty) return true;
    const ebb_desc d = ebb_desc_planar(g->said.desc.dtype, 1, &g->said.samples);
    char *path = beside(m->path, g->said.file);
    const bool ok = tensor_from_file(&g->samples, &d, path, why, room);
    free(path);
    return ok;
}

// The numbers that the file names.
static bool read_tensors(model *m, char *why, size_t room)
{
    const model_file *said = &m->said;
    m->job = (check_job){.param = m->param, .bin = m->bin, .n_in = said->n_in, .n_out = said->n_out};
    m->job.in = need((size_t)said->n_in * sizeof *m->job.in);
    m->job.out = need((size_t)said->n_out * sizeof *m->job.out);
    m->out = need((size_t)said->n_out * sizeof *m->out);
    for (int i = 0; i < said->n_in; i++) m->job.in[i].blob = need_text("%s", said->in[i].blob);
    for (int i = 0; i < said->n_out; i++) m->job.out[i].blob = need_text("%s", said->out[i].blob);
    for (int i = 0; i < said->n_out; i++) m->out[i].said = said->out[i];
    bool ok = true;
    for (int i = 0; ok && i < said->n_in; i++) ok = read_input(m, &said->in[i], &m->job.in[i].t, why, room);
    for (int i = 0; ok && i < said->n_out; i++) ok = read_output(m, &m->out[i], why, room);
    return ok;
}

static bool has_8bit_layers(const ebb_net *net)
{
    for (int i = 0; i < ebb_net_layer_count(net); i++) {
        ebb_layer_info l;
        if (ebb_net_layer(net, i, &l, NULL) != EBB_OK) continue;
        if (l.weight_count[EBB_I8] || ends_with(l.type, "uantize")) return true;
    }
    return false;
}

// How wrong an output is: up to 1 is right.
typedef struct score {
    double ratio;
    char text[256];
} score;

static score score_8bit(const golden *g, const tensor *got)
{
    double aa = 0, ab = 0, bb = 0;
    for (size_t i = 0; i < ebb_desc_count(&g->samples.desc); i++) {
        const double a = tensor_at(got, i * g->said.every), b = tensor_at(&g->samples, i);
        aa += a * a, ab += a * b, bb += b * b;
    }
    const double cosine = aa == 0 && bb == 0 ? 1 : ab / sqrt(aa * bb), norm = aa == bb ? 1 : sqrt(aa / bb);
    score s = {.ratio = fmax((1 - cosine) / 0.001, fabs(norm - 1) / 0.02)};
    if (!isfinite(cosine) || !isfinite(norm)) s.ratio = INFINITY;
    snprintf(s.text, sizeof s.text, "%s has cosine %.6f (0.999 at least) and norm ratio %.4f (0.98 to 1.02)",
             g->said.blob, cosine, norm);
    return s;
}

// Sums over the whole output catch what lies between the samples.
static score score_sums(const golden *g, const tensor *got, double limit)
{
    score s = {.ratio = 0};
    const size_t n = ebb_desc_count(&g->said.desc);
    double sum = 0, abs = 0;
    for (size_t i = 0; i < n; i++) sum += tensor_at(got, i), abs += fabs(tensor_at(got, i));
    const double error = fmax(tensor_error(sum, g->said.sum), tensor_error(abs, g->said.abs)),
                 most = limit * (double)n;
    if (isnan(g->said.sum) || isnan(g->said.abs) || error <= most) return s;
    s.ratio = most > 0 ? error / most : INFINITY;
    snprintf(s.text, sizeof s.text,
             "%s sums up to %.9g, should be %.9g; its absolute values to %.9g, should be %.9g", g->said.blob,
             sum, g->said.sum, abs, g->said.abs);
    return s;
}

static score score_f32(const golden *g, const tensor *got, double tol)
{
    double max = 0, worst = -1;
    size_t at = 0;
    const size_t n = ebb_desc_count(&g->samples.desc);
    for (size_t i = 0; i < n; i++) {
        const double want = tensor_at(&g->samples, i),
                     error = tensor_error(tensor_at(got, i * g->said.every), want);
        if (isfinite(want)) max = fmax(max, fabs(want));
        if (error > worst) worst = error, at = i;
    }
    const double limit = tol * max;
    if (worst <= limit)
        return score_sums(g, got, isnan(g->said.max) ? limit : fmax(limit, tol * fabs(g->said.max)));
    char place[64];
    score s = {.ratio = limit > 0 ? worst / limit : INFINITY};
    snprintf(s.text, sizeof s.text, "%s is off by %.4g at %s: %.9g, should be %.9g (limit %.4g)",
             g->said.blob, worst, tensor_place(&g->said.desc, at * g->said.every, place),
             tensor_at(got, at * g->said.every), tensor_at(&g->samples, at), limit);
    return s;
}

static score score_output(const golden *g, const tensor *got, double tol, bool bits8)
{
    char a[64], b[64];
    score s = {.ratio = 0};
    const ebb_desc *d = &got->desc;
    ebb_desc_text(d, a, sizeof a);
    if (g->said.empty) {
        if (ebb_desc_count(d) == 0) return s;
        snprintf(s.text, sizeof s.text, "%s is %s, should be empty", g->said.blob, a);
    } else if (!ebb_desc_same_shape(d, &g->said.desc)) {
        snprintf(s.text, sizeof s.text, "%s is %s %s, should be %s %s", g->said.blob,
                 ebb_dtype_name(d->dtype), a, ebb_dtype_name(g->said.desc.dtype),
                 ebb_desc_text(&g->said.desc, b, sizeof b));
    } else {
        return bits8 ? score_8bit(g, got) : score_f32(g, got, tol);
    }
    s.ratio = INFINITY;
    return s;
}

static bool outputs_right(checker *c, ebb_net *net, model *m, char *why, size_t room)
{
    score worst = {.ratio = 1};
    const double tol = m->said.tol;
    bool ok = check_infer(c, net, &m->job, why, room);
    const bool bits8 = ok && tol < 0 && has_8bit_layers(net);
    for (int i = 0; ok && i < m->said.n_out; i++) {
        const score s = score_output(&m->out[i], &m->job.out[i].t, tol < 0 ? 1e-3 : tol, bits8);
        if (s.ratio > worst.ratio) worst = s;
    }
    if (ok && worst.ratio > 1) snprintf(why, room, "%s", worst.text);
    return ok && worst.ratio <= 1;
}

static void judge(checker *c, model *m)
{
    char why[1024] = "";
    ebb_error e;
    check_begin(c, m->path);
    ebb_net *net = check_load(c, &m->job, &e);
    if (!net && !m->job.graph_loads && e.code == EBB_E_UNSUPPORTED) {
        check_skip(c, m->path, e.msg);
        return;
    }
    if (!net) snprintf(why, sizeof why, "%s", e.msg);
    const bool ok = net && outputs_right(c, net, m, why, sizeof why);
    check_verdict(c, m->path, ok ? NULL : why);
    ebb_net_destroy(net);
}

int check_model(checker *c, const char *path)
{
    char why[1024] = "";
    model m = {.path = path};
    if (c->only && !strstr(path, c->only)) return DONE;
    const bool ok = read_words(&m.said, path, false, &m.text, why, sizeof why) &&
                    find_files(&m, why, sizeof why) && read_tensors(&m, why, sizeof why);
    if (ok) judge(c, &m);
    drop_model(&m);
    return ok ? DONE : trouble("%s", why);
}
