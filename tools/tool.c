// SPDX-License-Identifier: BSD-3-Clause
// tool.c - files, memory and messages for all commands. Rule: what comes back is there, or the reason is.
#include "tool.h"
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void complain(const char *fmt, va_list ap)
{
    fputs("ebb: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

int trouble(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    complain(fmt, ap);
    va_end(ap);
    return TROUBLE;
}

bool refuse(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    complain(fmt, ap);
    va_end(ap);
    return false;
}

void *need_more(void *p, size_t bytes)
{
    p = realloc(p, bytes ? bytes : 1);
    if (!p) exit(trouble("no memory for %zu bytes", bytes));
    return p;
}

void *need(size_t bytes) { return memset(need_more(NULL, bytes), 0, bytes); }

char *need_text(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *text = need((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return text;
}

static char *read_stream(FILE *f, size_t *bytes)
{
    size_t room = 1 << 16, n = 0;
    char *data = need_more(NULL, room);
    for (size_t got; (got = fread(data + n, 1, room - 1 - n, f)) > 0;) {
        n += got;
        if (n == room - 1) data = need_more(data, room *= 2);
    }
    data[n] = 0;
    *bytes = n;
    return data;
}

char *read_file(const char *path, size_t *bytes, char *why, size_t room)
{
    FILE *f = fopen(path, "rb");
    char *data = f ? read_stream(f, bytes) : NULL;
    if (!f || ferror(f)) {
        snprintf(why, room, "cannot read %s: %s", path, strerror(errno));
        free(data);
        data = NULL;
    }
    if (f) fclose(f);
    return data;
}

bool is_directory(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

char **list_directory(const char *path, int *n)
{
    DIR *d = opendir(path);
    if (!d) return NULL;
    char **names = need(0);
    *n = 0;
    for (const struct dirent *entry; (entry = readdir(d));) {
        if (entry->d_name[0] == '.') continue;
        names = need_more(names, (size_t)(*n + 1) * sizeof *names);
        names[(*n)++] = need_text("%s", entry->d_name);
    }
    closedir(d);
    qsort(names, (size_t)*n, sizeof *names, by_text);
    return names;
}

void drop_names(char **names, int n)
{
    for (int i = 0; i < n; i++) free(names[i]);
    free(names);
}

char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    if (name[0] == '/' || !slash) return need_text("%s", name);
    return need_text("%.*s/%s", (int)(slash - path), path, name);
}

double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *bytes_text(size_t bytes, char text[24])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double x = (double)bytes;
    int u = 0;
    for (; x >= 1024 && u < 4; u++) x /= 1024;
    snprintf(text, 24, u ? "%.2f %s" : "%.0f %s", x, unit[u]);
    return text;
}
