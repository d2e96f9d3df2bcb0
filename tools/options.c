// SPDX-License-Identifier: BSD-3-Clause
// options.c - command lines as rows. Rule: nothing on the line is ignored; a stray word is an error in words.
#include "options.h"
#include "words.h"
#include <stdio.h>

static const option *row_of(const args *a, const char *word, size_t n)
{
    for (const option *o = a->rows; o->name; o++)
        if (strlen(o->name) == n && !memcmp(o->name, word, n)) return o;
    return NULL;
}

// One item of the line: an option with its value, or a plain word.
typedef struct item {
    const option *row;  // NULL: plain, or unknown when word starts with "--"
    const char *word, *value;
    bool malformed;  // a value is missing, or a switch has one
} item;

static bool next_item(const args *a, int *at, item *it)
{
    const int i = *at ? *at : 1;
    if (i >= a->argc) return false;
    const char *word = a->argv[i], *eq = strchr(word, '=');
    *it = (item){.word = word, .value = word};
    *at = i + 1;
    if (strncmp(word, "--", 2) != 0) return true;
    it->row = row_of(a, word, eq ? (size_t)(eq - word) : strlen(word));
    it->value = eq ? eq + 1 : "";
    if (!it->row) return true;
    it->malformed = eq && !it->row->arg;
    if (eq || !it->row->arg) return true;
    it->malformed = i + 1 >= a->argc;
    if (!it->malformed) it->value = a->argv[i + 1], *at = i + 2;
    return true;
}

// Words in lines that end before `right`, from column `left` on; the first line has begun there.
static void print_wrapped(const char *text, int left, int right)
{
    for (int at = left; *text;) {
        const int n = (int)strcspn(text, " ");
        if (at > left && at + 1 + n > right) {
            printf("\n%*s", left, "");
            at = left;
        }
        at += printf("%s%.*s", at > left ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

static void print_row(const option *o)
{
    enum { LEFT = 29, RIGHT = 100 };
    if (!*o->name) {
        printf("\n%s\n", o->help);
        return;
    }
    const int n = printf("  %s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
    if (n < LEFT)
        printf("%*s", LEFT - n, "");
    else
        printf("\n%*s", LEFT, "");
    print_wrapped(o->help, LEFT, RIGHT);
}

static void print_help(const args *a)
{
    fputs(a->usage, stdout);
    if (a->rows->name && *a->rows->name) puts("\nOptions");
    for (const option *o = a->rows; o->name; o++) print_row(o);
    puts("\nExit codes: 0 done; 1 a check failed; 2 wrong usage or any other trouble, told in one sentence "
         "on\n"
         "stderr; 130 and 143 stopped by SIGINT and SIGTERM.");
}

// How often the line gives this option.
static int times_given(const args *a, const option *row)
{
    int n = 0;
    item it;
    for (int at = 0; next_item(a, &at, &it);) n += it.row == row;
    return n;
}

bool args_end(const args *a, int *code)
{
    item it;
    *code = DONE;
    for (int at = 0; next_item(a, &at, &it);) {
        if (!strcmp(it.word, "--help") || !strcmp(it.word, "-h")) {
            print_help(a);
            return true;
        }
    }
    for (int at = 0; next_item(a, &at, &it);) {
        if (it.malformed && it.row->arg)
            *code = trouble("%s needs a value: %s", it.row->name, it.row->arg);
        else if (it.malformed)
            *code = trouble("%s takes no value", it.row->name);
        else if (it.word[0] == '-' && it.word[1] && !it.row)
            *code = trouble("unknown option '%s'; `ebb %s --help` lists them", it.word, a->argv[0]);
        else if (it.row && !it.row->many && times_given(a, it.row) > 1)
            *code = trouble("%s is given twice: which one counts?", it.row->name);
        else if (it.row && it.row->of && !args_text(a, it.row->of))
            *code = trouble("%s does nothing without %s", it.row->name, it.row->of);
        if (*code) return true;
    }
    return false;
}

const char *args_next(const args *a, const char *name, int *at)
{
    for (item it; next_item(a, at, &it);)
        if (name ? it.row && !strcmp(it.row->name, name) : it.word[0] != '-' || !it.word[1]) return it.value;
    return NULL;
}

const char *args_text(const args *a, const char *name)
{
    const char *last = NULL;
    int at = 0;
    for (const char *v; (v = args_next(a, name, &at));) last = v;
    return last;
}

bool args_switch(const args *a, const char *name) { return args_text(a, name) != NULL; }

bool args_int(const args *a, const char *name, int def, int min, int max, int *value)
{
    const char *text = args_text(a, name);
    *value = def;
    if (!text) return true;
    long long v;
    if (whole_number(text, min, max, &v)) return *value = (int)v, true;
    return refuse("%s takes a whole number from %d to %d, not '%s'", name, min, max, text);
}

bool args_choice(const args *a, const char *name, const char *choices, int *which)
{
    const char *text = args_text(a, name);
    if (!text) return true;
    int at = 0;
    for (const char *word = choices; *word; at++) {
        const size_t n = strcspn(word, "|");
        if (strlen(text) == n && !memcmp(text, word, n)) {
            *which = at;
            return true;
        }
        word += n + (word[n] == '|');
    }
    return refuse("%s is one of %s, not '%s'", name, choices, text);
}

bool args_net(const args *a, ebb_net_options *opt)
{
    int device = EBB_DEVICE_CPU, prefer = EBB_PREFER_SMALL, precision = EBB_PRECISION_F32;
    if (!args_choice(a, "--device", "cpu|vulkan", &device) ||
        !args_choice(a, "--prefer", "small|fast", &prefer) ||
        !args_choice(a, "--precision", "f32|f16|bf16", &precision))
        return false;
    opt->isa = args_text(a, "--isa");
    opt->lenient = args_switch(a, "--lenient");
    opt->device = (ebb_device)device;
    opt->prefer = (ebb_prefer)prefer;
    opt->precision = (ebb_precision)precision;
    return true;
}
