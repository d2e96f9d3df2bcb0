// SPDX-License-Identifier: BSD-3-Clause
// cmd_run.c - `ebb run`: one inference. Rule: every input is named on the line, and every number shown is the
// engine's own.
#include "json.h"
#include "output.h"
#include "picture.h"
#include "precision.h"
#include "session.h"
#include "stop.h"
#include "tensor.h"
#include "words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] = "ebb run MODEL.param [MODEL.bin] INPUTS... - one inference\n"
                            "\n"
                            "  ebb run squeezenet.param --image data=cat.jpg --size 227x227 --mean "
                            "104,117,123 --top 5 --labels words.txt\n"
                            "  ebb run model.param --in data=input.f32:3x227x227 --out prob=prob.f32\n"
                            "  ebb run model.param --shape data=3x227x227 --threads 2 --trace run.jsonl\n";

static const option options[] = {
    HEADING("Outputs"),
    OPTION("--out", "BLOB[=FILE]", "what to extract, and where to write it raw (default: show all outputs)",
           .many = true),
    OPTION("--top", "N", "show the N largest elements of each output"),
    OPTION("--labels", "FILE", "names for them, one a line", .of = "--top"),
    OPTION("--trace", "FILE", "write a trace of the run"),
    OPTION("--trace-format", "logical|full|table", "its form (default full)", .of = "--trace"),
    OPTION("--json", NULL, "one JSON object"),
    OPTIONS_INPUT,
    OPTIONS_PICTURE,
    OPTIONS_MODEL,
    OPTIONS_ENGINE,
    OPTIONS_LIMIT,
    {0},
};

typedef struct labels {
    char *text;
    char **line;
    int n;
} labels;

static bool read_labels(labels *l, const char *path)
{
    char why[512];
    size_t bytes;
    if (!path) return true;
    if (!(l->text = read_file(path, &bytes, why, sizeof why))) return refuse("%s", why);
    for (cursor at = {l->text, l->text + bytes}; at.at < at.end;) {
        char *line = take_line(&at);
        if (!line) line = at.at, at.at = at.end;
        line[strcspn(line, "\r")] = 0;
        l->line = need_more(l->line, (size_t)(l->n + 1) * sizeof *l->line);
        l->line[l->n++] = line;
    }
    return true;
}

// The indices of the n largest elements, largest first; NaN is never one.
static int largest(const tensor *t, int n, size_t *index)
{
    int found = 0;
    const size_t count = ebb_desc_count(&t->desc);
    for (size_t i = 0; i < count; i++) {
        const double v = tensor_at(t, i);
        int at = found;
        while (at > 0 && v > tensor_at(t, index[at - 1])) at--;
        if (isnan(v) || at == n) continue;
        if (found < n) found++;
        for (int k = found - 1; k > at; k--) index[k] = index[k - 1];
        index[at] = i;
    }
    return found;
}

static const char *label_of(const labels *l, size_t i) { return i < (size_t)l->n ? l->line[i] : NULL; }

static void show_output(const char *blob, const tensor *t, int top, const size_t *best, const labels *l)
{
    char shape[64];
    const summary s = tensor_summary(t);
    printf("%s: %s %s", blob, ebb_dtype_name(t->desc.dtype), ebb_desc_text(&t->desc, shape, sizeof shape));
    if (s.count > s.strange)
        printf(", min %.6g, max %.6g, mean %.6g", s.min + 0.0, s.max + 0.0,
               s.sum / (double)(s.count - s.strange));
    if (s.strange) printf(", %zu of %zu are NaN or infinite", s.strange, s.count);
    putchar('\n');
    for (int i = 0; i < top; i++) {
        const char *label = label_of(l, best[i]);
        printf("  %10.6f  %zu%s%s\n", tensor_at(t, best[i]), best[i], label ? "  " : "", label ? label : "");
    }
}

static void json_output(json *list, const char *blob, const tensor *t, int top, const size_t *best,
                        const labels *l)
{
    const summary s = tensor_summary(t);
    json j = json_object(list, NULL);
    json_text(&j, "blob", blob);
    json_text(&j, "dtype", ebb_dtype_name(t->desc.dtype));
    json_sizes(&j, "shape", t->desc.rank, t->desc.dim);
    json_number(&j, "min", s.min);
    json_number(&j, "max", s.max);
    json_number(&j, "mean", s.sum / (double)(s.count - s.strange));
    json_number(&j, "not_finite", (double)s.strange);
    json best_list = json_array(&j, "top");
    for (int i = 0; i < top; i++) {
        json one = json_object(&best_list, NULL);
        json_number(&one, "index", (double)best[i]);
        json_number(&one, "value", tensor_at(t, best[i]));
        if (label_of(l, best[i])) json_text(&one, "label", label_of(l, best[i]));
        json_end(&one);
    }
    json_end(&best_list);
    json_end(&j);
}

// Shows or writes every output; list is NULL for people.
static bool report_outputs(const session *s, ebb_blob *const *blobs, int top, const labels *l, json *list)
{
    bool ok = true;
    size_t *best = need((size_t)top * sizeof *best);
    for (int i = 0; i < s->n_out; i++) {
        tensor t;
        tensor_from_blob(&t, blobs[i]);
        const int found = largest(&t, top, best);
        if (list)
            json_output(list, s->out[i], &t, found, best, l);
        else
            show_output(s->out[i], &t, found, best, l);
        if (s->out_file[i]) ok = output_write(s->out_file[i], t.data, tensor_bytes(&t.desc)) && ok;
        tensor_drop(&t);
    }
    free(best);
    return ok;
}

typedef struct costs {
    double run_seconds;
    int threads;
    size_t peak, scratch, all, weights;
} costs;

static costs count_costs(const session *s, const args *a, double run_seconds, const ebb_prediction *p)
{
    ebb_mem_count used[EBB_MEM_KINDS], held[EBB_MEM_KINDS];
    ebb_extractor_memory(s->x, used);
    ebb_net_memory(s->net, held);
    const char *threads = args_text(a, "--threads");
    return (costs){
        run_seconds,   threads ? atoi(threads) : 1, used[EBB_MEM_BLOB].peak, used[EBB_MEM_SCRATCH].peak,
        p->blob_total, held[EBB_MEM_WEIGHT].live};
}

static void show_costs(const session *s, const costs *c)
{
    char peak[24], all[24], scratch[24], weights[24];
    printf("load %.1f ms, run %.1f ms (%s, %s, %d thread%s)\n", 1e3 * s->load_seconds, 1e3 * c->run_seconds,
           ebb_net_device(s->net), ebb_net_isa(s->net), c->threads, c->threads == 1 ? "" : "s");
    printf("blobs: peak %s of %s (%.1f%%); scratch: peak %s; weights: %s\n", bytes_text(c->peak, peak),
           bytes_text(c->all, all), c->all ? 100.0 * (double)c->peak / (double)c->all : 0,
           bytes_text(c->scratch, scratch), bytes_text(c->weights, weights));
}

static void json_costs(const session *s, const costs *c, json *j)
{
    json_number(j, "load_ms", 1e3 * s->load_seconds);
    json_number(j, "run_ms", 1e3 * c->run_seconds);
    json_text(j, "device", ebb_net_device(s->net));
    json_text(j, "isa", ebb_net_isa(s->net));
    json_text(j, "precision", precision_name(s->precision));
    json_number(j, "threads", c->threads);
    json_number(j, "blob_peak", (double)c->peak);
    json_number(j, "blob_total", (double)c->all);
    json_number(j, "scratch_peak", (double)c->scratch);
    json_number(j, "weights", (double)c->weights);
}

// The results of a run that came to its end.
static bool report(const session *s, const args *a, ebb_blob *const *blobs, const costs *c)
{
    int top;
    labels l = {0};
    bool ok = args_int(a, "--top", 0, 0, 1000, &top) && read_labels(&l, args_text(a, "--labels"));
    if (ok && args_switch(a, "--json")) {
        json j = json_begin(stdout), list = json_array(&j, "outputs");
        ok = report_outputs(s, blobs, top, &l, &list);
        json_end(&list);
        json_costs(s, c, &j);
        json_end(&j);
        putchar('\n');
    } else if (ok) {
        ok = report_outputs(s, blobs, top, &l, NULL);
        show_costs(s, c);
    }
    free(l.line);
    free(l.text);
    return ok;
}

// With --trace, the writer that watches the run, and its file.
typedef struct tracing {
    output file;
    ebb_trace *t;
    bool begun;  // there is something to tell
} tracing;

static bool open_trace(const session *s, const args *a, tracing *to)
{
    const char *path = args_text(a, "--trace");
    ebb_trace_format format = EBB_TRACE_FULL;
    ebb_error e;
    if (!trace_format(a, "--trace-format", &format)) return false;
    if (!path) return true;
    return output_open(&to->file, path) &&
           (ebb_trace_new(s->net, format, trace_to_file, to->file.f, &to->t, &e) == EBB_OK ||
            refuse("%s", e.msg));
}

static bool close_trace(tracing *to)
{
    ebb_error e;
    const bool ok = !to->t || ebb_trace_finish(to->t, &e) == EBB_OK || refuse("%s", e.msg);
    return output_close(&to->file, ok && to->begun) && ok;
}

// The run itself, from the extractor's birth to its end, so that the trace is complete before anything is
// shown.
static bool infer(session *s, const args *a, ebb_blob ***blobs, costs *c)
{
    tracing to = {.begun = false};
    ebb_prediction p;
    bool ok = open_trace(s, a, &to) &&
              session_start(s, a, to.t ? ebb_trace_observer(to.t) : (ebb_observer){0}) &&
              session_outputs(s, a) && session_inputs(s, a);
    if (ok) {
        if (session_predict(s, NULL, &p, NULL) != EBB_OK) p.blob_total = 0;
        *blobs = need((size_t)s->n_out * sizeof **blobs);
        to.begun = true;
        const double start = seconds();
        ok = session_extract(s, *blobs);
        *c = count_costs(s, a, seconds() - start, &p);
    }
    session_stop(s);
    return close_trace(&to) && ok;
}

int cmd_run(int argc, char **argv)
{
    const args a = {argc, argv, options, usage};
    session s = {.dry = false};
    costs c = {0};
    ebb_blob **blobs = NULL;
    int code, top;
    if (args_end(&a, &code)) return code;
    bool ok = args_int(&a, "--top", 0, 0, 1000, &top) && session_load(&s, &a) && infer(&s, &a, &blobs, &c);
    if (ok && !stop_code()) ok = report(&s, &a, blobs, &c);
    for (int i = 0; blobs && i < s.n_out; i++) ebb_blob_drop(blobs[i]);
    free(blobs);
    session_close(&s);
    return stop_code() ? stop_code() : ok ? DONE : TROUBLE;
}
