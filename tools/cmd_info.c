// SPDX-License-Identifier: BSD-3-Clause
// cmd_info.c - `ebb info`: what a model is made of, and what it will take. Rule: shapes, work and memory come
// from the dry walk; where it cannot go on, what it said stands there and the rest is left out.
#include "json.h"
#include "precision.h"
#include "session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "ebb info MODEL.param [MODEL.bin] - layers, shapes, work, weights and memory, without running it\n"
    "\n"
    "Inputs have the size that the file gives, unless --shape says another.\n"
    "\n"
    "  ebb info squeezenet.param\n"
    "  ebb info --shape data=3x500x500 squeezenet.param\n"
    "  ebb info --json squeezenet.param\n";

static const option options[] = {
    OPTION("--shape", "BLOB=SHAPE[:DTYPE]", "the size of an input, outermost first: data=3x227x227",
           .many = true),
    OPTION("--out", "BLOB", "what would be extracted (default: all outputs)", .many = true),
    OPTION("--json", NULL, "one JSON object"),
    OPTIONS_MODEL,
    OPTIONS_ENGINE,
    OPTIONS_LIMIT,
    {0},
};

// What the dry walk told.
typedef struct facts {
    ebb_desc *blob;  // by blob; rank 0: never made
    double *macs;    // by layer
    bool *ran;       // by layer
    double total;
    ebb_prediction p;
    bool whole;   // it came to the end
    ebb_error e;  // why not
} facts;

static void note(void *user, const ebb_event *ev)
{
    facts *f = user;
    if (ev->desc && ev->blob >= 0) f->blob[ev->blob] = *ev->desc;
    if (ev->kind != EBB_EV_END) return;
    f->ran[ev->layer] = true;
    f->macs[ev->layer] = ev->macs;
    f->total += ev->macs;
}

static void gather(const session *s, facts *f)
{
    const ebb_observer watch = {note, f};
    f->whole = session_predict(s, &watch, &f->p, &f->e) == EBB_OK;
}

static const char *count_text(double n, char text[24])
{
    if (n < 1e3)
        snprintf(text, 24, "%.0f", n);
    else if (n < 1e6)
        snprintf(text, 24, "%.1f k", n / 1e3);
    else if (n < 1e9)
        snprintf(text, 24, "%.1f M", n / 1e6);
    else
        snprintf(text, 24, "%.2f G", n / 1e9);
    return text;
}

// Widths of the columns that hold names.
typedef struct widths {
    int name, type;
} widths;

static widths measure(const session *s)
{
    enum { NAME_LEAST = 12, NAME_MOST = 40 };
    widths w = {NAME_LEAST, 5};
    ebb_layer_info l;
    for (int i = 0; i < ebb_net_layer_count(s->net); i++) {
        if (ebb_net_layer(s->net, i, &l, NULL) != EBB_OK) continue;
        const int name = (int)strlen(l.name), type = (int)strlen(l.type);
        if (name > w.name) w.name = name < NAME_MOST ? name : NAME_MOST;
        if (type > w.type) w.type = type;
    }
    return w;
}

static const char *shape_text(const facts *f, int blob, char text[64])
{
    return f->blob[blob].rank ? ebb_desc_text(&f->blob[blob], text, 64) : "?";
}

static void show_layer(const session *s, const facts *f, const widths *w, int i)
{
    ebb_layer_info l;
    char macs[24] = "", weights[24] = "", shape[64];
    if (ebb_net_layer(s->net, i, &l, NULL) != EBB_OK) return;
    if (f->macs[i] > 0) count_text(f->macs[i], macs);
    if (l.weight_bytes) bytes_text(l.weight_bytes, weights);
    printf("%5d  %-*s  %-*s  %10s  %10s  ", i, w->name, l.name, w->type, l.type, macs, weights);
    for (int k = 0; k < l.n_out; k++) printf("%s%s", k ? ", " : "", shape_text(f, l.out[k], shape));
    putchar('\n');
}

static void count_weights(const session *s, size_t count[EBB_DTYPES], size_t *bytes)
{
    ebb_layer_info l;
    *bytes = 0;
    for (int t = 0; t < EBB_DTYPES; t++) count[t] = 0;
    for (int i = 0; i < ebb_net_layer_count(s->net); i++) {
        if (ebb_net_layer(s->net, i, &l, NULL) != EBB_OK) continue;
        *bytes += l.weight_bytes;
        for (int t = 0; t < EBB_DTYPES; t++) count[t] += l.weight_count[t];
    }
}

// "inputs: data 3x227x227", for as many as there are.
static void show_ends(const session *s, const facts *f, const char *what,
                      int (*list)(const ebb_net *net, int *blobs, int room))
{
    char shape[64];
    const int n = list(s->net, NULL, 0);
    int *blobs = need((size_t)n * sizeof *blobs);
    list(s->net, blobs, n);
    printf("%s:", what);
    for (int i = 0; i < n; i++) {
        const char *name = ebb_net_blob_name(s->net, blobs[i]);
        printf("%s ", i ? "," : "");
        if (name && *name)
            printf("%s %s", name, shape_text(f, blobs[i], shape));
        else
            printf("#%d %s", blobs[i], shape_text(f, blobs[i], shape));
    }
    putchar('\n');
    free(blobs);
}

static void show_totals(const session *s, const facts *f)
{
    size_t count[EBB_DTYPES], bytes;
    char text[24], text2[24], text3[24];
    count_weights(s, count, &bytes);
    show_ends(s, f, "inputs", ebb_net_inputs);
    show_ends(s, f, "outputs", ebb_net_outputs);
    const int layers = ebb_net_layer_count(s->net), blobs = ebb_net_blob_count(s->net);
    printf("%d layer%s, %d blob%s; kernels: %s; device: %s\n", layers, layers == 1 ? "" : "s", blobs,
           blobs == 1 ? "" : "s", ebb_net_isa(s->net), ebb_net_device(s->net));
    printf("weights:");
    size_t any = 0;
    for (int t = 0; t < EBB_DTYPES; any += count[t++])
        if (count[t]) printf(" %s %s,", count_text((double)count[t], text), ebb_dtype_name((ebb_dtype)t));
    printf(any ? " %s held%s\n" : " none\n", bytes_text(bytes, text),
           s->bin ? "" : " (no file of weights: zeros)");
    if (!f->whole && s->unknown)
        printf("not further: the file gives no size for input '%s'; say it with --shape %s=SHAPE\n",
               s->unknown, s->unknown);
    else if (!f->whole)
        printf("not further: %s\n", f->e.msg);
    if (!f->whole) return;
    printf("work: %s multiply-add%s\n", count_text(f->total, text), f->total == 1 ? "" : "s");
    printf("blobs: peak %s%s of %s (%.1f%%); scratch: peak %s\n", f->p.exact ? "" : "at most ",
           bytes_text(f->p.blob_peak, text), bytes_text(f->p.blob_total, text2),
           f->p.blob_total ? 100.0 * (double)f->p.blob_peak / (double)f->p.blob_total : 0,
           bytes_text(f->p.scratch_peak, text3));
}

static void show(const session *s, const facts *f)
{
    const widths w = measure(s);
    printf("%5s  %-*s  %-*s  %10s  %10s  %s\n", "#", w.name, "layer", w.type, "type", "mul-adds", "weights",
           "outputs");
    for (int i = 0; i < ebb_net_layer_count(s->net); i++) show_layer(s, f, &w, i);
    putchar('\n');
    show_totals(s, f);
}

static void json_layer(const session *s, const facts *f, json *list, int i)
{
    ebb_layer_info l;
    if (ebb_net_layer(s->net, i, &l, NULL) != EBB_OK) return;
    json j = json_object(list, NULL);
    json_text(&j, "layer", l.name);
    json_text(&j, "type", l.type);
    json_number(&j, "weight_bytes", (double)l.weight_bytes);
    if (f->ran[i]) json_number(&j, "macs", f->macs[i]);
    json outs = json_array(&j, "outputs");
    for (int k = 0; k < l.n_out; k++) {
        const ebb_desc *d = &f->blob[l.out[k]];
        json o = json_object(&outs, NULL);
        json_text(&o, "blob", ebb_net_blob_name(s->net, l.out[k]));
        if (d->rank) {
            json_text(&o, "dtype", ebb_dtype_name(d->dtype));
            json_sizes(&o, "shape", d->rank, d->dim);
        }
        json_end(&o);
    }
    json_end(&outs);
    json_end(&j);
}

static void show_json(const session *s, const facts *f)
{
    size_t count[EBB_DTYPES], bytes;
    count_weights(s, count, &bytes);
    json j = json_begin(stdout), list = json_array(&j, "layers");
    for (int i = 0; i < ebb_net_layer_count(s->net); i++) json_layer(s, f, &list, i);
    json_end(&list);
    json_text(&j, "isa", ebb_net_isa(s->net));
    json_text(&j, "precision", precision_name(s->precision));
    json_text(&j, "device", ebb_net_device(s->net));
    json_number(&j, "weight_bytes", (double)bytes);
    json weights = json_object(&j, "weights");
    for (int t = 0; t < EBB_DTYPES; t++)
        json_number(&weights, ebb_dtype_name((ebb_dtype)t), (double)count[t]);
    json_end(&weights);
    if (f->whole) {
        json_number(&j, "macs", f->total);
        json_number(&j, "blob_peak", (double)f->p.blob_peak);
        json_number(&j, "blob_total", (double)f->p.blob_total);
        json_number(&j, "scratch_peak", (double)f->p.scratch_peak);
        json_number(&j, "joint_peak", (double)f->p.joint_peak);
        json_bool(&j, "exact", f->p.exact);
    } else {
        json_text(&j, "stopped", f->e.msg);
    }
    json_end(&j);
    putchar('\n');
}

int cmd_info(int argc, char **argv)
{
    const args a = {argc, argv, options, usage};
    session s = {.dry = true};
    int code;
    if (args_end(&a, &code)) return code;
    bool ok = session_load(&s, &a) && session_start(&s, &a, (ebb_observer){0}) && session_outputs(&s, &a) &&
              session_inputs(&s, &a);
    if (ok) {
        const size_t layers = (size_t)ebb_net_layer_count(s.net), blobs = (size_t)ebb_net_blob_count(s.net);
        facts f = {need(blobs * sizeof *f.blob), need(layers * sizeof *f.macs), need(layers * sizeof *f.ran),
                   .total = 0};
        for (size_t i = 0; i < blobs; i++) ebb_net_input_hint(s.net, (int)i, &f.blob[i]);
        gather(&s, &f);
        if (args_switch(&a, "--json"))
            show_json(&s, &f);
        else
            show(&s, &f);
        // A size that nobody said is no trouble; memory that is not there, or not allowed, is.
        if (!f.whole && (f.e.code == EBB_E_LIMIT || f.e.code == EBB_E_NOMEM)) ok = refuse("%s", f.e.msg);
        free(f.blob);
        free(f.macs);
        free(f.ran);
    }
    session_close(&s);
    return ok ? DONE : TROUBLE;
}
