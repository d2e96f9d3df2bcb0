// SPDX-License-Identifier: BSD-3-Clause
// check_model.c - model.txt and image.txt: a model, its inputs and its right outputs. Rule: an output is
// right within tol * max|right|, without an absolute floor; nets with 8-bit layers by cosine and norm, since
// a rounding on the edge may fall the other way.
#include "checker.h"
#include "words.h"
#include "tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// What is right for one output.
typedef struct golden {
    char *blob;
    bool empty;
    ebb_desc desc;   // of the whole output
    tensor samples;  // elements 0, every, 2 * every, …
    size_t every;
    double sum, abs, max;  // of the whole output; NaN where the file does not say
} golden;

typedef struct model {
    const char *path;
    char *text;  // of the file, cut into words
    char *param, *bin;
    double tol;  // negative: not said
    check_io *in;
    golden *out;
    int n_in, n_out;
} model;

static void drop_model(model *m)
{
    if (m->in) check_drop(m->in, m->n_in);
    for (int i = 0; i < m->n_out; i++) {
        free(m->out[i].blob);
        tensor_drop(&m->out[i].samples);
    }
    free(m->in);
    free(m->out);
    free(m->param);
    free(m->bin);
    free(m->text);
}

// in NAME DTYPE SIZES lcg SEED LO HI | in NAME DTYPE SIZES file PATH
static bool take_input(model *m, char *line, char *why, size_t room)
{
    m->in = need_more(m->in, (size_t)(m->n_in + 1) * sizeof *m->in);
    check_io *io = &m->in[m->n_in++];
    *io = (check_io){.blob = need_text("%s", take_word(&line))};
    ebb_desc d;
    if (!tensor_words(&line, &d) || tensor_bytes(&d) == SIZE_MAX) return false;
    const char *kind = take_word(&line);
    if (!strcmp(kind, "lcg")) {
        const uint32_t seed = (uint32_t)strtoul(take_word(&line), NULL, 10);
        const double lo = atof(take_word(&line)), hi = atof(take_word(&line));
        tensor_random(&io->t, &d, seed, lo, hi);
        return true;
    }
    if (strcmp(kind, "file") != 0) return false;
    char *path = beside(m->path, take_word(&line));
    const bool ok = tensor_from_file(&io->t, &d, path, why, room);
    free(path);
    return ok;
}

// The words behind the path: every N sum S abs A max M.
static bool take_facts(golden *g, char *line)
{
    for (const char *key; *(key = take_word(&line));) {
        const char *value = take_word(&line);
        if (!strcmp(key, "every"))
            g->every = strtoull(value, NULL, 10);
        else if (!strcmp(key, "sum"))
            g->sum = atof(value);
        else if (!strcmp(key, "abs"))
            g->abs = atof(value);
        else if (!strcmp(key, "max"))
            g->max = atof(value);
        else
            return false;
    }
    return g->every > 0;
}

// out NAME empty | out NAME DTYPE SIZES PATH every N sum S abs A max M
static bool take_output(model *m, char *line, char *why, size_t room)
{
    m->out = need_more(m->out, (size_t)(m->n_out + 1) * sizeof *m->out);
    golden *g = &m->out[m->n_out++];
    *g = (golden){.blob = need_text("%s", take_word(&line)), .every = 1, .sum = NAN, .abs = NAN, .max = NAN};
    line += strspn(line, " \t");
    if (!strncmp(line, "empty", 5)) return g->empty = true;
    if (!tensor_words(&line, &g->desc) || tensor_bytes(&g->desc) == SIZE_MAX) return false;
    char *path = beside(m->path, take_word(&line));
    bool ok = take_facts(g, line);
    const size_t n = ebb_desc_count(&g->desc);
    const int samples = ok ? (int)((n + g->every - 1) / g->every) : 0;
    const ebb_desc d = ebb_desc_planar(g->desc.dtype, 1, &samples);
    ok = ok && tensor_from_file(&g->samples, &d, path, why, room);
    free(path);
    return ok;
}

static bool take_model_line(model *m, char *line, char *why, size_t room)
{
    const char *key = take_word(&line);
    if (!*key || *key == '#') return true;
    if (!strcmp(key, "in")) return take_input(m, line, why, room);
    if (!strcmp(key, "out")) return take_output(m, line, why, room);
    if (!strcmp(key, "tol")) return (m->tol = atof(line)) >= 0;
    char **file = !strcmp(key, "param") ? &m->param : !strcmp(key, "bin") ? &m->bin : NULL;
    if (!file || *file) return false;
    *file = beside(m->path, take_word(&line));
    return true;
}

// With graph_only, only the param and bin lines count.
static bool read_model(model *m, const char *path, bool graph_only, char *why, size_t room)
{
    size_t bytes;
    *m = (model){.path = path, .tol = -1};
    m->text = read_file(path, &bytes, why, room);
    if (!m->text) return false;
    int number = 1;
    why[0] = 0;
    for (cursor at = {m->text, m->text + bytes}; at.at < at.end; number++) {
        char *line = take_line(&at);
        if (!line) line = at.at, at.at = at.end;
        if (graph_only && strncmp(line, "param ", 6) != 0 && strncmp(line, "bin ", 4) != 0) continue;
        if (take_model_line(m, line, why, room)) continue;
        if (!why[0]) snprintf(why, room, "%s:%d: malformed line", path, number);
        return false;
    }
    return true;
}

// image.txt uses the model of the model.txt beside it.
static bool find_files(model *m, char *why, size_t room)
{
    if (!m->param) {
        char *path = beside(m->path, "model.txt");
        model other;
        if (strcmp(path, m->path) != 0 && read_model(&other, path, true, why, room)) {
            m->param = other.param, m->bin = other.bin;
            other.param = other.bin = NULL;
            drop_model(&other);
        }
        free(path);
    }
    if (m->param && m->bin && m->n_out) return true;
    if (!why[0])
        snprintf(why, room,
                 "%s lacks a param and a bin line (also in a model.txt beside it), or has no outputs",
                 m->path);
    return false;
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
        const double a = tensor_at(got, i * g->every), b = tensor_at(&g->samples, i);
        aa += a * a, ab += a * b, bb += b * b;
    }
    const double cosine = aa == 0 && bb == 0 ? 1 : ab / sqrt(aa * bb), norm = aa == bb ? 1 : sqrt(aa / bb);
    score s = {.ratio = fmax((1 - cosine) / 0.001, fabs(norm - 1) / 0.02)};
    if (!isfinite(cosine) || !isfinite(norm)) s.ratio = INFINITY;
    snprintf(s.text, sizeof s.text, "%s has cosine %.6f (0.999 at least) and norm ratio %.4f (0.98 to 1.02)",
             g->blob, cosine, norm);
    return s;
}

// Sums over the whole output catch what lies between the samples.
static score score_sums(const golden *g, const tensor *got, double limit)
{
    score s = {.ratio = 0};
    const size_t n = ebb_desc_count(&g->desc);
    double sum = 0, abs = 0;
    for (size_t i = 0; i < n; i++) sum += tensor_at(got, i), abs += fabs(tensor_at(got, i));
    const double error = fmax(tensor_error(sum, g->sum), tensor_error(abs, g->abs)), most = limit * (double)n;
    if (isnan(g->sum) || isnan(g->abs) || error <= most) return s;
    s.ratio = most > 0 ? error / most : INFINITY;
    snprintf(s.text, sizeof s.text,
             "%s sums up to %.9g, should be %.9g; its absolute values to %.9g, should be %.9g", g->blob, sum,
             g->sum, abs, g->abs);
    return s;
}

static score score_f32(const golden *g, const tensor *got, double tol)
{
    double max = 0, worst = -1;
    size_t at = 0;
    const size_t n = ebb_desc_count(&g->samples.desc);
    for (size_t i = 0; i < n; i++) {
        const double want = tensor_at(&g->samples, i),
                     error = tensor_error(tensor_at(got, i * g->every), want);
        if (isfinite(want)) max = fmax(max, fabs(want));
        if (error > worst) worst = error, at = i;
    }
    const double limit = tol * max;
    if (worst <= limit) return score_sums(g, got, isnan(g->max) ? limit : fmax(limit, tol * fabs(g->max)));
    char place[64];
    score s = {.ratio = limit > 0 ? worst / limit : INFINITY};
    snprintf(s.text, sizeof s.text, "%s is off by %.4g at %s: %.9g, should be %.9g (limit %.4g)", g->blob,
             worst, tensor_place(&g->desc, at * g->every, place), tensor_at(got, at * g->every),
             tensor_at(&g->samples, at), limit);
    return s;
}

static score score_output(const golden *g, const tensor *got, double tol, bool bits8)
{
    char a[64], b[64];
    score s = {.ratio = 0};
    const ebb_desc *d = &got->desc;
    ebb_desc_text(d, a, sizeof a);
    if (g->empty) {
        if (ebb_desc_count(d) == 0) return s;
        snprintf(s.text, sizeof s.text, "%s is %s, should be empty", g->blob, a);
    } else if (!ebb_desc_same_shape(d, &g->desc)) {
        snprintf(s.text, sizeof s.text, "%s is %s %s, should be %s %s", g->blob, ebb_dtype_name(d->dtype), a,
                 ebb_dtype_name(g->desc.dtype), ebb_desc_text(&g->desc, b, sizeof b));
    } else {
        return bits8 ? score_8bit(g, got) : score_f32(g, got, tol);
    }
    s.ratio = INFINITY;
    return s;
}

static bool outputs_right(checker *c, ebb_net *net, const model *m, char *why, size_t room)
{
    check_io *got = need((size_t)m->n_out * sizeof *got);
    for (int i = 0; i < m->n_out; i++) got[i].blob = need_text("%s", m->out[i].blob);
    score worst = {.ratio = 1};
    bool ok = check_infer(c, net, m->in, m->n_in, got, m->n_out, why, room);
    const bool bits8 = ok && m->tol < 0 && has_8bit_layers(net);
    for (int i = 0; ok && i < m->n_out; i++) {
        const score s = score_output(&m->out[i], &got[i].t, m->tol < 0 ? 1e-3 : m->tol, bits8);
        if (s.ratio > worst.ratio) worst = s;
    }
    if (ok && worst.ratio > 1) snprintf(why, room, "%s", worst.text);
    check_drop(got, m->n_out);
    free(got);
    return ok && worst.ratio <= 1;
}

int check_model(checker *c, const char *path)
{
    char why[1024] = "";
    model m;
    if (c->only && !strstr(path, c->only)) return DONE;
    if (!read_model(&m, path, false, why, sizeof why) || !find_files(&m, why, sizeof why)) {
        drop_model(&m);
        return trouble("%s", why);
    }
    check_begin(c, path);
    ebb_error e;
    ebb_net *net = check_net(c, &e);
    ebb_status s = net ? ebb_net_load_param(net, m.param, &e) : e.code;
    if (s == EBB_E_UNSUPPORTED && net) {
        check_skip(c, path, e.msg);
    } else {
        if (s == EBB_OK) s = ebb_net_load_weights(net, m.bin, &e);
        if (s != EBB_OK) snprintf(why, sizeof why, "%s", e.msg);
        const bool ok = s == EBB_OK && outputs_right(c, net, &m, why, sizeof why);
        check_verdict(c, path, ok ? NULL : why);
    }
    ebb_net_destroy(net);
    drop_model(&m);
    return DONE;
}
