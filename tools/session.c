// SPDX-License-Identifier: BSD-3-Clause
// session.c - a model from the command line. Rule: what the line asks for is done as it stands there, or
// refused; weights that are missing are made up only where no result is shown.
#include "session.h"
#include "own_layers.h"
#include "stop.h"
#include "words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------- files

static bool exists(const char *path) { return access(path, R_OK) == 0; }

static bool is_param(const char *name) { return ends_with(name, ".param") || ends_with(name, ".param.bin"); }

// "net.param" and "net.param.bin" -> "net.bin", when there is such a file.
static char *weights_beside(const char *param)
{
    size_t n = strlen(param);
    if (ends_with(param, ".param.bin"))
        n -= strlen(".param.bin");
    else if (ends_with(param, ".param"))
        n -= strlen(".param");
    char *bin = need_text("%.*s.bin", (int)n, param);
    if (exists(bin) && strcmp(bin, param) != 0) return bin;
    free(bin);
    return NULL;
}

// The only file of a kind in a directory; NULL: it has told why.
static char *only_file(const char *directory, bool param)
{
    int n, found = 0;
    char **names = list_directory(directory, &n), *path = NULL;
    for (int i = 0; names && i < n; i++) {
        if (param ? !is_param(names[i]) : is_param(names[i]) || !ends_with(names[i], ".bin")) continue;
        if (!found++) path = need_text("%s/%s", directory, names[i]);
    }
    if (names) drop_names(names, n);
    if (found == 1) return path;
    free(path);
    if (param) trouble("%s holds %d .param files, not one: name the file", directory, found);
    return NULL;
}

static bool find_model(session *s, const args *a)
{
    int at = 0;
    const char *param = args_text(a, "--param"), *bin = args_text(a, "--bin"), *word;
    if (s->param) return true;
    if (!param) param = args_next(a, NULL, &at);
    if (!bin) bin = args_next(a, NULL, &at);
    if (!param) return refuse("which model? Name its .param file, or a directory that holds one");
    if ((word = args_next(a, NULL, &at))) return refuse("what is '%s'? The model is %s already", word, param);
    if (!exists(param)) return refuse("cannot read %s: there is no such file", param);
    const bool directory = is_directory(param);
    s->param = directory ? only_file(param, true) : need_text("%s", param);
    if (!s->param) return false;
    s->bin = bin ? need_text("%s", bin) : weights_beside(s->param);
    if (!s->bin && directory) s->bin = only_file(param, false);
    return true;
}

// Zeros for ever: also what a tag of plain f32 looks like.
static bool read_zeros(void *user, void *to, size_t bytes)
{
    (void)user;
    memset(to, 0, bytes);
    return true;
}

static void log_line(void *user, ebb_log_level level, const char *line)
{
    (void)user;
    if (level == EBB_LOG_WARNING) fprintf(stderr, "ebb: note: %s\n", line);
}

// No weights at all; notes that some were wanted.
static bool read_nothing(void *wanted, void *to, size_t bytes)
{
    (void)to, (void)bytes;
    *(bool *)wanted = true;
    return false;
}

static bool load_weights(session *s)
{
    ebb_error e;
    bool wanted = false;
    const ebb_reader none = {s->dry ? read_zeros : read_nothing, &wanted};
    if ((s->bin ? ebb_net_load_weights(s->net, s->bin, &e)
                : ebb_net_load_weights_reader(s->net, &none, &e)) == EBB_OK)
        return true;
    if (wanted) return refuse("no file of weights beside %s: name it with --bin", s->param);
    return refuse("%s", e.msg);
}

bool session_load_in(session *s, const args *a, ebb_precision precision)
{
    ebb_error e;
    ebb_net_options opt = {.log = s->silent ? NULL : log_line};
    stop_watch(NULL);
    if (!args_net(a, &opt) || !find_model(s, a)) return false;
    opt.precision = s->precision = precision;
    const double start = seconds();
    ebb_status st = ebb_net_new(&opt, &s->net, &e);
    if (st == EBB_OK) st = add_own_layers(s->net, &e);
    if (st == EBB_OK) st = ebb_net_load_param(s->net, s->param, &e);
    const bool ok = st == EBB_OK ? load_weights(s) : refuse("%s", e.msg);
    s->load_seconds = seconds() - start;
    return ok;
}

// "8M" -> bytes.
static bool bytes_option(const args *a, const char *name, size_t *bytes)
{
    const char *text = args_text(a, name);
    *bytes = 0;
    if (!text) return true;
    char *unit;
    const double v = strtod(text, &unit);  // what stands behind it is checked below
    const double factor = *unit == 'K' ? 0x1p10 : *unit == 'M' ? 0x1p20 : *unit == 'G' ? 0x1p30 : 1;
    if (unit == text || (*unit && (factor == 1 || unit[1])) || !(v > 0) || v * factor > 0x1p60)
        return refuse("%s takes bytes, like 800000, 900K or 1.5M, not '%s'", name, text);
    *bytes = (size_t)(v * factor);
    return true;
}

bool session_start(session *s, const args *a, ebb_observer observer)
{
    ebb_error e;
    ebb_extractor_options opt = {.observer = observer};
    if (!args_int(a, "--threads", 1, 1, MOST_THREADS, &opt.threads) ||
        !bytes_option(a, "--limit", &opt.memory_limit))
        return false;
    if (s->silent) opt.memory_limit = 0;  // a forecast is not cut
    return ebb_extractor_new(s->net, &opt, &s->x, &e) == EBB_OK || refuse("%s", e.msg);
}

void session_stop(session *s)
{
    ebb_extractor_destroy(s->x);
    s->x = NULL;
}

void session_close(session *s)
{
    session_stop(s);
    if (s->net) ebb_net_destroy(s->net);
    for (int i = 0; i < s->n_out; i++) free(s->out[i]);
    free(s->out);
    free(s->out_file);
    free(s->param);
    free(s->bin);
}

// ------------------------------------------------------------------------------------------- outputs

static void add_output(session *s, char *name, const char *file)
{
    s->out = need_more(s->out, (size_t)(s->n_out + 1) * sizeof *s->out);
    s->out_file = need_more(s->out_file, (size_t)(s->n_out + 1) * sizeof *s->out_file);
    s->out[s->n_out] = name;
    s->out_file[s->n_out++] = file;
}

bool session_outputs(session *s, const args *a)
{
    int at = 0;
    for (const char *value; (value = args_next(a, "--out", &at));) {
        const char *eq = strchr(value, '=');
        if (eq == value || (eq && !eq[1])) return refuse("--out takes BLOB or BLOB=FILE, not '%s'", value);
        add_output(s, need_text("%.*s", (int)(eq ? eq - value : (long)strlen(value)), value),
                   eq ? eq + 1 : NULL);
    }
    if (s->n_out == 0) {
        const int n = ebb_net_outputs(s->net, NULL, 0);
        int *blobs = need((size_t)n * sizeof *blobs);
        ebb_net_outputs(s->net, blobs, n);
        for (int i = 0; i < n; i++) {
            const char *name = ebb_net_blob_name(s->net, blobs[i]);
            add_output(s, name && *name ? need_text("%s", name) : need_text("#%d", blobs[i]), NULL);
        }
        free(blobs);
    }
    ebb_error e;
    return ebb_extractor_declare(s->x, (const char *const *)s->out, s->n_out, &e) == EBB_OK ||
           refuse("%s", e.msg);
}

ebb_status session_predict(const session *s, const ebb_observer *watch, ebb_prediction *p, ebb_error *e)
{
    return ebb_extractor_predict(s->x, (const char *const *)s->out, s->n_out, watch, p, e);
}

bool session_extract(session *s, ebb_blob **blobs)
{
    ebb_error e;
    ebb_blob **own = blobs ? NULL : need((size_t)s->n_out * sizeof *own), **to = blobs ? blobs : own;
    stop_watch(s->x);
    const ebb_status st =
        ebb_extractor_extract_many(s->x, (const char *const *)s->out, s->n_out, EBB_TAKE_PLANAR, to, &e);
    stop_watch(NULL);
    for (int i = 0; own && i < s->n_out; i++) ebb_blob_drop(own[i]);
    free(own);
    return st == EBB_OK || refuse("%s", e.msg);
}

bool trace_format(const args *a, const char *name, ebb_trace_format *format)
{
    int which = *format;
    if (!args_choice(a, name, "logical|full|table", &which)) return false;
    *format = (ebb_trace_format)which;
    return true;
}

void trace_to_file(void *file, const char *text, size_t bytes) { fwrite(text, 1, bytes, file); }
