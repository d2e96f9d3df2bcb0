// SPDX-License-Identifier: BSD-3-Clause
// json.c - JSON for --json. Rule: what is written is valid UTF-8 JSON, whatever bytes the names are made of.
#include "json.h"
#include <math.h>
#include <string.h>

// Length of the valid UTF-8 sequence at s, 0 when there is none.
static int sequence(const unsigned char *s)
{
    const int n = s[0] < 0x80                   ? 1
                  : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                  : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                  : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

static void quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = sequence(s);
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (n == 0 || *s < 32)
            fprintf(to, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)n, to);
        s += n ? n : 1;
    }
    fputc('"', to);
}

static void start(json *j, const char *key)
{
    if (j->more) fputc(',', j->to);
    j->more = true;
    if (!key) return;
    quoted(j->to, key);
    fputc(':', j->to);
}

static json open(FILE *to, char bracket, char close)
{
    fputc(bracket, to);
    return (json){.to = to, .close = close};
}

json json_begin(FILE *to) { return open(to, '{', '}'); }

json json_object(json *in, const char *key)
{
    start(in, key);
    return open(in->to, '{', '}');
}

json json_array(json *in, const char *key)
{
    start(in, key);
    return open(in->to, '[', ']');
}

void json_end(json *j) { fputc(j->close, j->to); }

void json_text(json *j, const char *key, const char *value)
{
    start(j, key);
    if (value)
        quoted(j->to, value);
    else
        fputs("null", j->to);
}

void json_number(json *j, const char *key, double value)
{
    start(j, key);
    if (!isfinite(value))
        fputs("null", j->to);
    else if (value == floor(value) && fabs(value) < 1e15)
        fprintf(j->to, "%.0f", value);
    else
        fprintf(j->to, "%.9g", value);
}

void json_bool(json *j, const char *key, bool value)
{
    start(j, key);
    fputs(value ? "true" : "false", j->to);
}

void json_sizes(json *j, const char *key, int n, const int *v)
{
    json a = json_array(j, key);
    for (int i = 0; i < n; i++) json_number(&a, NULL, v[i]);
    json_end(&a);
}
