// SPDX-License-Identifier: BSD-3-Clause
// cmd_check.c - `ebb check`: runs files of right answers. Rule: every case is counted once, and the closing
// line says how many passed, failed and were skipped.
#include "checker.h"
#include "json.h"
#include "own_layers.h"
#include "options.h"
#include "precision.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "ebb check FILE|DIRECTORY... - compare with right answers\n"
    "\n"
    "Runs .cases files (single layers), model.txt and image.txt (whole models), and every such file in and\n"
    "below a directory. One line per failing case, with the largest error and where it is; the last line is\n"
    "\"N passed, M failed\", then \", K skipped\" when layer types are not supported.\n"
    "\n"
    "  ebb check conformance/Pooling.cases\n"
    "  ebb check --threads 2 --isa scalar conformance\n"
    "  ebb check --only Pooling/017 --verbose conformance/Pooling.cases\n"
    "  ebb check models/squeezenet/model.txt\n";

static const option options[] = {
    OPTION("--only", "TEXT", "only cases whose name contains this (for models: whose path)"),
    OPTION("--give", NULL,
           "hand inputs over instead of copying them, so that they may be overwritten and freed"),
    OPTION("--borrow", NULL, "lend inputs instead of copying them, and check that they were left alone"),
    OPTION("--pixel-in", NULL, "hand inputs over in pixel order (channels innermost)"),
    OPTION("--memory", NULL, "also check that the predicted peak of memory is the real one"),
    OPTION("--verbose", NULL, "name the passing cases too"),
    OPTION("--json", NULL, "one JSON object a line"),
    OPTIONS_ENGINE,
    {0},
};

// A counting allocator: what a case leaves behind is a failure.
static void *counted_get(void *user, size_t bytes, size_t align)
{
    void *p = NULL;
    if (posix_memalign(&p, align, bytes)) return NULL;
    atomic_fetch_add(&((checker *)user)->held, bytes);
    return p;
}

static void counted_put(void *user, void *p, size_t bytes)
{
    atomic_fetch_sub(&((checker *)user)->held, bytes);
    free(p);
}

// A net that knows the program's own layer types.
static ebb_net *bare_net(const checker *c, ebb_precision precision, ebb_error *e)
{
    ebb_net *net = NULL;
    ebb_net_options opt = c->net;
    opt.precision = precision;
    if (ebb_net_new(&opt, &net, e) != EBB_OK) return NULL;
    if (add_own_layers(net, e) == EBB_OK) return net;
    ebb_net_destroy(net);
    return NULL;
}

// A net without weights has no file of them.
static bool read_nothing(void *user, void *to, size_t bytes)
{
    (void)user, (void)to, (void)bytes;
    return false;
}

static ebb_status load_weights(ebb_net *net, const check_job *j, ebb_error *e)
{
    static const ebb_reader nothing = {read_nothing, NULL};
    if (j->text) return ebb_net_load_weights_mem(net, j->weights, j->weight_bytes, e);
    return j->bin ? ebb_net_load_weights(net, j->bin, e) : ebb_net_load_weights_reader(net, &nothing, e);
}

static ebb_net *load(const checker *c, check_job *j, ebb_precision precision, ebb_error *e)
{
    ebb_net *net = bare_net(c, precision, e);
    if (!net) return NULL;
    ebb_status s = j->text ? ebb_net_load_param_mem(net, j->text, strlen(j->text), e)
                           : ebb_net_load_param(net, j->param, e);
    j->graph_loads = s == EBB_OK;
    if (s == EBB_OK) s = load_weights(net, j, e);
    if (s == EBB_OK) return net;
    ebb_net_destroy(net);
    return NULL;
}

bool check_knows(const char *type) { return ebb_builtin_layer_named(type) || own_layer_named(type); }

static void drop_io(check_io *io, int n)
{
    for (int i = 0; i < n; i++) {
        free(io[i].blob);
        tensor_drop(&io[i].t);
    }
    free(io);
}

void check_drop(check_job *j)
{
    drop_io(j->in, j->n_in);
    drop_io(j->out, j->n_out);
}

// What the job would take on this net.
static bool forecast(const checker *c, ebb_net *net, const check_job *j, ebb_prediction *p)
{
    ebb_extractor *x = NULL;
    const char **names = need((size_t)j->n_out * sizeof *names);
    bool ok = ebb_extractor_new(net, &c->run, &x, NULL) == EBB_OK;
    for (int i = 0; ok && i < j->n_in; i++) {
        const ebb_desc *d = &j->in[i].t.desc, pixel = ebb_desc_pixel(d->dtype, d->rank, d->dim);
        ok = ebb_extractor_expect(x, j->in[i].blob, c->pixel ? &pixel : d, NULL) == EBB_OK;
    }
    for (int i = 0; i < j->n_out; i++) names[i] = j->out[i].blob;
    ok = ok && ebb_extractor_predict(x, names, j->n_out, NULL, p, NULL) == EBB_OK;
    ebb_extractor_destroy(x);
    free(names);
    return ok;
}

ebb_net *check_load(checker *c, check_job *j, ebb_error *e)
{
    ebb_prediction wanted, plain;
    atomic_store(&c->held, 0);
    ebb_net *net = load(c, j, c->net.precision, e);
    if (!net || c->net.precision == EBB_PRECISION_F32 || !forecast(c, net, j, &wanted)) return net;
    ebb_net *f32 = load(c, j, EBB_PRECISION_F32, e);
    const bool lower = !f32 || !forecast(c, f32, j, &plain) || precision_lowers(&plain, &wanted);
    ebb_net_destroy(lower ? f32 : net);
    if (!lower) c->plain++;
    return lower ? net : f32;
}

// The prediction of what extracting these blobs will take.
static bool predict(const checker *c, ebb_extractor *x, const char *const *blobs, int n, ebb_prediction *p,
                    ebb_error *e)
{
    return !c->memory || ebb_extractor_predict(x, blobs, n, NULL, p, e) == EBB_OK;
}

static bool as_predicted(const ebb_prediction *p, const ebb_extractor *x, char *why, size_t room)
{
    ebb_mem_count used[EBB_MEM_KINDS];
    ebb_extractor_memory(x, used);
    const size_t peak = used[EBB_MEM_BLOB].peak;
    if (p->exact ? peak == p->blob_peak : peak <= p->blob_peak) return true;
    snprintf(why, room, "blobs took %zu bytes at their peak, predicted were %s%zu", peak,
             p->exact ? "" : "at most ", p->blob_peak);
    return false;
}

// What was lent, and what it held.
typedef struct loan {
    void *now, *before;
    size_t bytes;
} loan;

static ebb_status set_inputs(checker *c, ebb_extractor *x, const check_io *in, int n, loan *loans,
                             ebb_error *e)
{
    for (int i = 0; i < n; i++) {
        const ebb_status s = tensor_set(x, in[i].blob, &in[i].t, c->how, c->pixel, &loans[i].now, e);
        if (s != EBB_OK) return s;
        if (!loans[i].now) continue;
        loans[i].bytes = tensor_bytes(&in[i].t.desc);
        loans[i].before = need(loans[i].bytes);
        memcpy(loans[i].before, loans[i].now, loans[i].bytes);
    }
    return EBB_OK;
}

static bool end_loans(loan *loans, int n)
{
    bool same = true;
    for (int i = 0; i < n; i++) {
        same = same && (!loans[i].now || !memcmp(loans[i].now, loans[i].before, loans[i].bytes));
        free(loans[i].now);
        free(loans[i].before);
    }
    free(loans);
    return same;
}

static bool extract(checker *c, ebb_extractor *x, check_io *out, int n, char *why, size_t room)
{
    ebb_error e;
    ebb_prediction p;
    const char **names = need((size_t)n * sizeof *names);
    ebb_blob **blobs = need((size_t)n * sizeof *blobs);
    for (int i = 0; i < n; i++) names[i] = out[i].blob;
    bool ok = predict(c, x, names, n, &p, &e) &&
              ebb_extractor_extract_many(x, names, n, EBB_TAKE_PLANAR, blobs, &e) == EBB_OK;
    if (!ok) snprintf(why, room, "%s", e.msg);
    for (int i = 0; ok && i < n; i++) {
        tensor_from_blob(&out[i].t, blobs[i]);
        ebb_blob_drop(blobs[i]);
    }
    ok = ok && (!c->memory || as_predicted(&p, x, why, room));
    free(names);
    free(blobs);
    return ok;
}

bool check_infer(checker *c, ebb_net *net, check_job *j, char *why, size_t room)
{
    ebb_error e;
    ebb_extractor *x = NULL;
    loan *loans = need((size_t)j->n_in * sizeof *loans);
    bool ok = ebb_extractor_new(net, &c->run, &x, &e) == EBB_OK &&
              set_inputs(c, x, j->in, j->n_in, loans, &e) == EBB_OK;
    if (!ok) snprintf(why, room, "%s", e.msg);
    ok = ok && extract(c, x, j->out, j->n_out, why, room);
    ebb_extractor_destroy(x);
    if (end_loans(loans, j->n_in) || !ok) return ok;
    snprintf(why, room, "a borrowed input was overwritten");
    return false;
}

void check_begin(checker *c, const char *name)
{
    if (c->progress)
        fprintf(stderr, "\r\033[K%d done, %d failed: %s", c->passed + c->failed + c->skipped, c->failed,
                name);
}

// One verdict as a line, with the progress line out of its way.
static void tell(const checker *c, const char *name, const char *status, const char *why)
{
    if (c->progress) fputs("\r\033[K", stderr);
    if (c->json) {
        json j = json_begin(stdout);
        json_text(&j, "case", name);
        json_text(&j, "status", status);
        if (why) json_text(&j, "why", why);
        json_end(&j);
        putchar('\n');
    } else {
        printf("%s %s%s%s\n", status, name, why ? ": " : "", why ? why : "");
    }
    fflush(stdout);
}

void check_verdict(checker *c, const char *name, const char *why)
{
    if (why)
        c->failed++;
    else
        c->passed++;
    if (why || c->verbose) tell(c, name, why ? "failed" : "passed", why);
}

void check_skip(checker *c, const char *name, const char *type)
{
    c->skipped++;
    if (c->verbose) tell(c, name, "skipped", type);
    for (int i = 0; i < c->n_types; i++) {
        if (strcmp(c->types[i].type, type) != 0) continue;
        c->types[i].count++;
        return;
    }
    c->types = need_more(c->types, (size_t)(c->n_types + 1) * sizeof *c->types);
    c->types[c->n_types++] = (struct skipped_type){need_text("%s", type), 1};
}

static bool is_file_of_answers(const char *name)
{
    return ends_with(name, ".cases") || !strcmp(name, "model.txt") || !strcmp(name, "image.txt");
}

static int check_file(checker *c, const char *path)
{
    c->files++;
    return ends_with(path, ".cases") ? check_cases(c, path) : check_model(c, path);
}

// Everything in and below a directory, in the order of names.
static int check_directory(checker *c, const char *path)
{
    int n = 0, code = DONE;
    char **names = list_directory(path, &n);
    if (!names) return trouble("cannot read the directory %s", path);
    for (int i = 0; i < n; i++) {
        char *inside = need_text("%s/%s", path, names[i]);
        int got = DONE;
        if (is_directory(inside))
            got = check_directory(c, inside);
        else if (is_file_of_answers(names[i]))
            got = check_file(c, inside);
        if (got != DONE) code = got;
        free(inside);
    }
    drop_names(names, n);
    return code;
}

static int check_path(checker *c, const char *path)
{
    const int before = c->files;
    const int code = is_directory(path) ? check_directory(c, path) : check_file(c, path);
    if (code != DONE || c->files > before) return code;
    return trouble("%s holds nothing to check: no .cases, model.txt or image.txt in it or below", path);
}

// Nothing failed where nothing was checked, but it would read as if all were well.
static int nothing_checked(const checker *c)
{
    if (c->skipped)
        return trouble("nothing was checked: no layer type of the %d skipped is known here", c->skipped);
    return c->only ? trouble("nothing was checked: no name contains '%s'", c->only)
                   : trouble("nothing was checked: the files hold no records");
}

static void tell_totals(checker *c)
{
    if (c->progress) fputs("\r\033[K", stderr);
    if (c->json) {
        json j = json_begin(stdout);
        json_number(&j, "passed", c->passed);
        json_number(&j, "failed", c->failed);
        json_number(&j, "skipped", c->skipped);
        if (c->net.precision != EBB_PRECISION_F32) json_number(&j, "in_f32", c->plain);
        json_end(&j);
        putchar('\n');
        return;
    }
    if (c->plain)
        printf("in f32 %d: %s would not lower their peak of memory\n", c->plain,
               precision_name(c->net.precision));
    for (int i = 0; i < c->n_types; i++) printf("skipped %d: %s\n", c->types[i].count, c->types[i].type);
    printf("%d passed, %d failed", c->passed, c->failed);
    if (c->skipped) printf(", %d skipped", c->skipped);
    putchar('\n');
}

// Kernels or a device that are not here: told once. Asked for a device, a check must not pass on another.
static bool engine_is_here(checker *c)
{
    ebb_error e;
    ebb_net *net = bare_net(c, EBB_PRECISION_F32, &e);
    if (!net) return refuse("%s", e.msg);
    const bool other = c->net.device == EBB_DEVICE_VULKAN && !strcmp(ebb_net_device(net), "cpu");
    ebb_net_destroy(net);
    return !other || refuse("there is no Vulkan device here");
}

static bool configure(checker *c, const args *a)
{
    int threads;
    if (!args_net(a, &c->net) || !args_int(a, "--threads", 1, 1, MOST_THREADS, &threads)) return false;
    c->net.allocator = (ebb_allocator){counted_get, counted_put, c};
    c->run.threads = threads;
    c->only = args_text(a, "--only");
    c->how = args_switch(a, "--give") ? HAND_GIVE : args_switch(a, "--borrow") ? HAND_BORROW : HAND_COPY;
    c->pixel = args_switch(a, "--pixel-in");
    c->memory = args_switch(a, "--memory");
    c->verbose = args_switch(a, "--verbose");
    c->json = args_switch(a, "--json");
    c->progress = isatty(STDERR_FILENO);
    if (!engine_is_here(c)) return false;
    ebb_error e;
    if (threads == 1 || ebb_pool_new(threads, NULL, &c->run.pool, &e) == EBB_OK) return true;
    return refuse("%s", e.msg);
}

int cmd_check(int argc, char **argv)
{
    const args a = {argc, argv, options, usage};
    checker c = {0};
    int code, at = 0;
    if (args_end(&a, &code)) return code;
    if (!args_next(&a, NULL, &at))
        return trouble("check what? Name .cases files, model.txt files or directories");
    if (args_switch(&a, "--give") && args_switch(&a, "--borrow"))
        return trouble("--give and --borrow exclude each other");
    if (!configure(&c, &a)) return TROUBLE;
    at = 0;
    for (const char *path; (path = args_next(&a, NULL, &at));)
        if (check_path(&c, path) != DONE) code = TROUBLE;
    tell_totals(&c);
    for (int i = 0; i < c.n_types; i++) free(c.types[i].type);
    free(c.types);
    if (c.run.pool) ebb_pool_destroy(c.run.pool);
    if (code == DONE && c.passed + c.failed == 0) code = nothing_checked(&c);
    return code != DONE ? code : c.failed ? CHECKS_FAILED : DONE;
}
