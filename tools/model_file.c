// SPDX-License-Identifier: BSD-3-Clause
// model_file.c - what a model.txt says. Rule: a line is stored after all of it was checked; no number in it
// is guessed.
#include "model_file.h"
#include "tensor.h"
#include "tool.h"
#include "words.h"
#include <math.h>
#include <stdlib.h>

// Each line's reader: NULL, or what is wrong with the line.
typedef const char *line_reader(model_file *m, char *line);

static const char *file_line(const char **file, char *line)
{
    const char *path = take_word(&line);
    if (*file) return "a second file of that kind";
    if (!*path || !nothing_left(line)) return "one path is wanted";
    *file = path;
    return NULL;
}

static const char *param_line(model_file *m, char *line) { return file_line(&m->param, line); }

static const char *bin_line(model_file *m, char *line) { return file_line(&m->bin, line); }

static const char *tol_line(model_file *m, char *line)
{
    double tol;
    if (m->tol >= 0) return "a second tolerance";
    if (!take_finite(&line, &tol) || tol < 0 || !nothing_left(line))
        return "a tolerance is one number, 0 or more";
    m->tol = tol;
    return NULL;
}

static bool tensor_fits(char **line, ebb_desc *d)
{
    return tensor_words(line, d) && tensor_bytes(d) != SIZE_MAX;
}

static bool read_made_up(model_input *in, char **line)
{
    long long seed;
    if (!take_whole(line, 0, UINT32_MAX, &seed) || !take_finite(line, &in->lo) || !take_finite(line, &in->hi))
        return false;
    in->seed = (uint32_t)seed;
    return true;
}

// in NAME DTYPE SIZES lcg SEED LO HI | in NAME DTYPE SIZES file PATH
static const char *in_line(model_file *m, char *line)
{
    model_input in = {.blob = take_word(&line)};
    if (!*in.blob || !tensor_fits(&line, &in.desc))
        return "an input is a blob, f32, f16, i32 or i8, and 1 to 4 sizes";
    const char *kind = take_word(&line);
    if (!strcmp(kind, "file"))
        in.file = take_word(&line);
    else if (strcmp(kind, "lcg") != 0 || !read_made_up(&in, &line))
        return "an input's numbers are `lcg SEED LO HI` or `file PATH`";
    if ((in.file && !*in.file) || !nothing_left(line)) return "an input ends with its path or its range";
    for (int i = 0; i < m->n_in; i++)
        if (!strcmp(m->in[i].blob, in.blob)) return "an input that was set before";
    m->in = need_more(m->in, (size_t)(m->n_in + 1) * sizeof *m->in);
    m->in[m->n_in++] = in;
    return NULL;
}

// Sums of outputs that are not finite are not either.
static bool fact(const char *word, double *value)
{
    static const struct {
        const char *word;
        double value;
    } others[] = {{"nan", NAN}, {"-nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(word, others[i].word)) return *value = others[i].value, true;
    return finite_number(word, value);
}

// The words behind the path: every N sum S abs A max M.
static bool take_facts(model_output *o, char *line)
{
    for (const char *key; *(key = take_word(&line));) {
        const char *value = take_word(&line);
        long long every;
        double *said = !strcmp(key, "sum")   ? &o->sum
                       : !strcmp(key, "abs") ? &o->abs
                       : !strcmp(key, "max") ? &o->max
                                             : NULL;
        if (said ? !fact(value, said) : strcmp(key, "every") || !whole_number(value, 1, INT32_MAX, &every))
            return false;
        if (!said) o->every = (size_t)every;
    }
    return true;
}

static void add_output(model_file *m, const model_output *o)
{
    m->out = need_more(m->out, (size_t)(m->n_out + 1) * sizeof *m->out);
    m->out[m->n_out++] = *o;
}

// out NAME empty | out NAME DTYPE SIZES PATH every N sum S abs A max M
static const char *out_line(model_file *m, char *line)
{
    model_output o = {.blob = take_word(&line), .every = 1, .sum = NAN, .abs = NAN, .max = NAN};
    line += strspn(line, " \t\r");
    if (*o.blob && !strncmp(line, "empty", 5) && nothing_left(line + 5)) {
        o.empty = true;
        add_output(m, &o);
        return NULL;
    }
    if (!*o.blob || !tensor_fits(&line, &o.desc))
        return "an output is a blob, f32, f16, i32 or i8, and 1 to 4 sizes";
    o.file = take_word(&line);
    if (!*o.file || !take_facts(&o, line))
        return "an output ends with a path, then every, sum, abs, max with numbers";
    const size_t n = ebb_desc_count(&o.desc), samples = n / o.every + (n % o.every != 0);
    if (samples > INT32_MAX) return "an output has too many elements: say every N";
    o.samples = (int)samples;
    add_output(m, &o);
    return NULL;
}

static const char *any_line(model_file *m, char *line, bool graph_only)
{
    static const struct kind {
        const char *key;
        line_reader *read;
        bool graph;
    } kinds[] = {{"param", param_line, true},
                 {"bin", bin_line, true},
                 {"in", in_line, false},
                 {"out", out_line, false},
                 {"tol", tol_line, false}};
    const char *key = take_word(&line);
    if (!*key || *key == '#') return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].key, key)) return graph_only && !kinds[i].graph ? NULL : kinds[i].read(m, line);
    return "a line begins with param, bin, tol, in, out or #";
}

bool model_file_read(model_file *m, char *text, size_t bytes, bool graph_only)
{
    *m = (model_file){.tol = -1};
    for (cursor at = {text, text + bytes}; !m->malformed && at.at < at.end;) {
        char *line = take_line(&at);
        if (!line) line = at.at, at.at = at.end;
        m->line++;
        m->malformed = any_line(m, line, graph_only);
    }
    return !m->malformed;
}

void model_file_drop(model_file *m)
{
    free(m->in);
    free(m->out);
}
