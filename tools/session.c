// SPDX-License-Identifier: BSD-3-Clause
// session.c - a model from the command line. Rule: an input that nobody set is never made up silently where a
// result is shown.
#include "session.h"
#include "own_layers.h"
#include "picture.h"
#include "tensor.h"
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

static bool told(const ebb_error *e) { return refuse("%s", e->msg); }

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

bool session_load(session *s, const args *a, bool weightless)
{
    ebb_error e;
    ebb_net_options opt = {.log = log_line};
    if (!args_net(a, &opt) || !find_model(s, a)) return false;
    if (!s->bin && !weightless) return refuse("no file of weights beside %s: name it with --bin", s->param);
    const double start = seconds();
    ebb_status st = ebb_net_new(&opt, &s->net, &e);
    if (st == EBB_OK) st = add_own_layers(s->net, &e);
    if (st == EBB_OK) st = ebb_net_load_param(s->net, s->param, &e);
    const ebb_reader zeros = {read_zeros, NULL};
    if (st == EBB_OK)
        st = s->bin ? ebb_net_load_weights(s->net, s->bin, &e)
                    : ebb_net_load_weights_reader(s->net, &zeros, &e);
    s->load_seconds = seconds() - start;
    return st == EBB_OK || told(&e);
}

// "8M" -> bytes.
static bool bytes_option(const args *a, const char *name, size_t *bytes)
{
    const char *text = args_text(a, name);
    *bytes = 0;
    if (!text) return true;
    char *unit;
    const double v = strtod(text, &unit);
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
    if (!args_int(a, "--threads", 1, 1, 256, &opt.threads) || !bytes_option(a, "--limit", &opt.memory_limit))
        return false;
    return ebb_extractor_new(s->net, &opt, &s->x, &e) == EBB_OK || told(&e);
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

// ------------------------------------------------------------------------------------------- inputs

// BLOB=REST: the blob, to be freed, and what stands behind the first '='. False: it has told.
static bool split(const char *option_name, const char *value, char **blob, const char **rest)
{
    const char *eq = strchr(value, '=');
    if (!eq || eq == value) return refuse("%s takes BLOB=…, not '%s'", option_name, value);
    *blob = need_text("%.*s", (int)(eq - value), value);
    *rest = eq + 1;
    return true;
}

// FILE:SHAPE or FILE:SHAPE:DTYPE; the file's name may hold colons itself.
static bool from_file(tensor *t, const char *value)
{
    char why[512];
    ebb_desc d;
    for (const char *colon = strchr(value, ':'); colon; colon = strchr(colon + 1, ':')) {
        if (!tensor_shape(colon + 1, &d)) continue;
        char *path = need_text("%.*s", (int)(colon - value), value);
        const bool ok = tensor_from_file(t, &d, path, why, sizeof why);
        free(path);
        return ok || refuse("%s", why);
    }
    return refuse("--in takes BLOB=FILE:SHAPE, like data=input.f32:3x227x227, not '%s'", value);
}

static bool make_random(tensor *t, const char *value)
{
    ebb_desc d;
    if (!tensor_shape(value, &d))
        return refuse("--shape takes BLOB=SHAPE, like data=3x227x227, not '%s'", value);
    tensor_random(t, &d, 12345, -1, 1);
    return true;
}

static bool set_picture(session *s, const args *a, const char *blob, int index, const char *path)
{
    ebb_picture_fit fit;
    ebb_desc hint;
    if (!picture_configure(&fit, a)) return false;
    if (!fit.to_width && ebb_net_input_hint(s->net, index, &hint) && hint.rank == 3)
        fit.to_width = hint.dim[2], fit.to_height = hint.dim[1];
    return picture_set(s->x, blob, path, &fit);
}

static bool give(session *s, const char *blob, const tensor *t)
{
    ebb_error e;
    void *lent;
    return tensor_set(s->x, blob, t, HAND_GIVE, false, &lent, &e) == EBB_OK || told(&e);
}

static bool expect(session *s, const char *blob, const ebb_desc *d)
{
    ebb_error e;
    return ebb_extractor_expect(s->x, blob, d, &e) == EBB_OK || told(&e);
}

// One input of the line. set[] notes its blob.
static bool set_one(session *s, const args *a, const char *name, const char *value, unset_input unset,
                    bool *set)
{
    char *blob = NULL;
    const char *rest = NULL;
    tensor t = {.data = NULL};
    if (!split(name, value, &blob, &rest)) return false;
    ebb_error e;
    const int index = ebb_net_blob_index(s->net, blob, &e);
    bool ok = index >= 0 || told(&e);
    if (ok && unset == UNSET_IS_EXPECTED) {
        ok = tensor_shape(rest, &t.desc) ||
             refuse("%s takes BLOB=SHAPE, like data=3x227x227, not '%s'", name, value);
        ok = ok && expect(s, blob, &t.desc);
    } else if (ok && !strcmp(name, "--image")) {
        ok = set_picture(s, a, blob, index, rest);
    } else if (ok) {
        ok = !strcmp(name, "--in") ? from_file(&t, rest) : make_random(&t, rest);
        ok = ok && give(s, blob, &t);
    }
    if (ok) set[index] = true;
    tensor_drop(&t);
    free(blob);
    return ok;
}

// An input that the line does not name.
static bool set_unset(session *s, int blob, unset_input unset)
{
    ebb_desc d;
    char text[64];
    const char *name = ebb_net_blob_name(s->net, blob);
    char *number = need_text("#%d", blob);
    if (!name || !*name) name = number;
    const bool hinted = ebb_net_input_hint(s->net, blob, &d);
    bool ok = true;
    if (unset == UNSET_IS_EXPECTED && !hinted) {
        ok = true;  // the walk will say what it misses
    } else if (!hinted || unset == UNSET_IS_TROUBLE) {
        ok = refuse("input '%s' is not set: try --in %s=FILE:%s, or --shape for pseudo-random numbers", name,
                    name, hinted ? ebb_desc_text(&d, text, sizeof text) : "SHAPE");
    } else if (unset == UNSET_IS_EXPECTED) {
        ok = expect(s, number, &d);
    } else {
        tensor t;
        const ebb_desc dense = ebb_desc_planar(d.dtype, d.rank, d.dim);
        tensor_random(&t, &dense, 12345, -1, 1);
        ok = give(s, number, &t);
        tensor_drop(&t);
    }
    free(number);
    return ok;
}

bool session_inputs(session *s, const args *a, unset_input unset)
{
    static const char *const names[] = {"--in", "--shape", "--image"};
    const int n_blobs = ebb_net_blob_count(s->net), n = ebb_net_inputs(s->net, NULL, 0);
    bool *set = need((size_t)n_blobs * sizeof *set), ok = true;
    int *inputs = need((size_t)n * sizeof *inputs);
    ebb_net_inputs(s->net, inputs, n);
    for (int k = 0; ok && k < 3; k++)
        for (int at = 0; ok;) {
            const char *value = args_next(a, names[k], &at);
            if (!value) break;
            ok = set_one(s, a, names[k], value, unset, set);
        }
    for (int i = 0; ok && i < n; i++)
        if (!set[inputs[i]]) ok = set_unset(s, inputs[i], unset);
    free(inputs);
    free(set);
    return ok;
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
    return ebb_extractor_declare(s->x, (const char *const *)s->out, s->n_out, &e) == EBB_OK || told(&e);
}

bool session_extract(session *s, ebb_blob **blobs)
{
    ebb_error e;
    ebb_blob **own = blobs ? NULL : need((size_t)s->n_out * sizeof *own), **to = blobs ? blobs : own;
    const ebb_status st =
        ebb_extractor_extract_many(s->x, (const char *const *)s->out, s->n_out, EBB_TAKE_PLANAR, to, &e);
    for (int i = 0; own && i < s->n_out; i++) ebb_blob_drop(own[i]);
    free(own);
    return st == EBB_OK || told(&e);
}

bool trace_format(const args *a, const char *name, ebb_trace_format *format)
{
    int which = *format;
    if (!args_choice(a, name, "logical|full|table", &which)) return false;
    *format = (ebb_trace_format)which;
    return true;
}

void trace_to_file(void *file, const char *text, size_t bytes) { fwrite(text, 1, bytes, file); }
