// SPDX-License-Identifier: BSD-3-Clause
// cmd_layers.c - `ebb layers`: the reference. Rule: every word of it comes from the layers' own descriptors.
#include "json.h"
#include "options.h"
#include "own_layers.h"
#include <stdio.h>
#include <string.h>

static const char usage[] = "ebb layers [TYPE...] - the layer types and their parameters\n"
                            "\n"
                            "  ebb layers\n"
                            "  ebb layers Convolution Pooling\n"
                            "  ebb layers --json\n";

static const option options[] = {OPTION("--json", NULL, "an array of JSON objects"), {0}};

static const ebb_layer_type *type_at(int i)
{
    const ebb_layer_type *t = ebb_builtin_layer(i);
    if (t) return t;
    int builtin = 0;
    while (ebb_builtin_layer(builtin)) builtin++;
    return own_layer(i - builtin);
}

static const ebb_layer_type *type_named(const char *name)
{
    const ebb_layer_type *t = ebb_builtin_layer_named(name);
    return t ? t : own_layer_named(name);
}

static const char *kind(const ebb_param *p)
{
    static const char *const name[] = {[EBB_P_INT] = "int",
                                       [EBB_P_FLOAT] = "float",
                                       [EBB_P_INTS] = "ints",
                                       [EBB_P_FLOATS] = "floats",
                                       [EBB_P_STRING] = "string"};
    return name[p->type];
}

static bool scalar(const ebb_param *p) { return p->type == EBB_P_INT || p->type == EBB_P_FLOAT; }

static const char *name_of(const ebb_param *rows, int id)
{
    for (const ebb_param *p = rows; p->name; p++)
        if (p->id == id) return p->name;
    return "?";
}

static const char *default_text(const ebb_layer_type *t, const ebb_param *p, char text[64])
{
    if (p->like)
        snprintf(text, 64, "= %s", name_of(t->params, p->like - 1));
    else if (scalar(p))
        snprintf(text, 64, "%.9g", p->def);
    else
        snprintf(text, 64, "none");
    return text;
}

static const char *range_text(const ebb_param *p, char text[64])
{
    if (p->min == 0 && p->max == 0)
        snprintf(text, 64, "any");
    else
        snprintf(text, 64, "%.9g to %.9g", p->min, p->max);
    return text;
}

static const char *count_text(int min, int max, char text[32])
{
    if (max < 0)
        snprintf(text, 32, "%d or more", min);
    else if (min == max)
        snprintf(text, 32, "%d", min);
    else
        snprintf(text, 32, "%d to %d", min, max);
    return text;
}

static void print_type(const ebb_layer_type *t)
{
    char in[32], out[32], def[64], range[64];
    printf("%s - %s\n", t->name, t->doc ? t->doc : "");
    printf("  inputs: %s; outputs: %s%s\n", count_text(t->in_min, t->in_max, in),
           count_text(t->out_min, t->out_max, out),
           t->flags & EBB_LAYER_VIEW ? "; a view where strides allow" : "");
    if (!t->params || !t->params->name) return;
    printf("  %3s  %-24s %-7s %-20s %s\n", "id", "name", "type", "default", "range");
    for (const ebb_param *p = t->params; p->name; p++)
        printf("  %3d  %-24s %-7s %-20s %s%s%s\n", p->id, p->name, kind(p), default_text(t, p, def),
               range_text(p, range), p->doc ? "; " : "", p->doc ? p->doc : "");
}

static void json_type(json *list, const ebb_layer_type *t)
{
    json j = json_object(list, NULL);
    json_text(&j, "type", t->name);
    json_text(&j, "doc", t->doc);
    json_sizes(&j, "inputs", 2, (const int[]){t->in_min, t->in_max});
    json_sizes(&j, "outputs", 2, (const int[]){t->out_min, t->out_max});
    json_bool(&j, "view", t->flags & EBB_LAYER_VIEW);
    json params = json_array(&j, "params");
    for (const ebb_param *p = t->params; p && p->name; p++) {
        json row = json_object(&params, NULL);
        json_number(&row, "id", p->id);
        json_text(&row, "name", p->name);
        json_text(&row, "type", kind(p));
        if (p->like)
            json_text(&row, "like", name_of(t->params, p->like - 1));
        else if (scalar(p))
            json_number(&row, "default", p->def);
        if (p->min != 0 || p->max != 0) {
            json_number(&row, "min", p->min);
            json_number(&row, "max", p->max);
        }
        json_text(&row, "doc", p->doc);
        json_end(&row);
    }
    json_end(&params);
    json_end(&j);
}

// The next type to print: those named on the line, or all.
static const ebb_layer_type *next_type(const args *a, bool all, int *at)
{
    if (all) return type_at((*at)++);
    const char *name = args_next(a, NULL, at);
    return name ? type_named(name) : NULL;
}

int cmd_layers(int argc, char **argv)
{
    const args a = {argc, argv, options, usage};
    int code, at = 0;
    if (args_end(&a, &code)) return code;
    bool all = true;
    for (const char *name; (name = args_next(&a, NULL, &at)); all = false)
        if (!type_named(name)) return trouble("no layer type '%s'; `ebb layers` lists them", name);
    const bool as_json = args_switch(&a, "--json");
    json list = {.to = stdout, .close = ']'};
    if (as_json) putchar('[');
    at = 0;
    for (const ebb_layer_type *t; (t = next_type(&a, all, &at));) {
        if (as_json)
            json_type(&list, t);
        else if (!all)
            print_type(t);
        else
            printf("%-26s %s\n", t->name, t->doc ? t->doc : "");
    }
    if (as_json) puts("]");
    return DONE;
}
