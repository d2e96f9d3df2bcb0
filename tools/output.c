// SPDX-License-Identifier: BSD-3-Clause
// output.c - files that the program writes. Rule: a regular file is written beside its place and moved there
// when it is complete; whatever ends the program before leaves the old one.
#include "output.h"
#include "tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static output *volatile innermost;  // of those that are open; a signal's handler follows the chain

// Where a regular file at `path` ends up, through links; NULL: there is something else, to be written as it
// stands.
static char *place_of(const char *path)
{
    struct stat s;
    if (stat(path, &s)) return need_text("%s", path);
    return S_ISREG(s.st_mode) ? realpath(path, NULL) : NULL;
}

static void link_in(output *o)
{
    o->outer = innermost;
    innermost = o;
}

static void link_out(const output *o)
{
    if (innermost == o) innermost = o->outer;
    for (output *p = innermost; p; p = p->outer)
        if (p->outer == o) p->outer = o->outer;
}

static void keep_mode(const char *place, FILE *f)
{
    struct stat s;
    if (!stat(place, &s) && fchmod(fileno(f), s.st_mode & 07777)) errno = 0;  // then it has the usual one
}

bool output_open(output *o, const char *path)
{
    char *place = place_of(path);
    *o = (output){.path = place ? place : need_text("%s", path)};
    if (place) {
        o->beside = need_text("%s.%ld.part", place, (long)getpid());
        link_in(o);
        o->f = fopen(o->beside, "wbx");
        if (o->f) return keep_mode(place, o->f), true;
        link_out(o);
    }
    free(o->beside);  // a folder that takes no new file may have an old one that can be written
    o->beside = NULL;
    o->f = fopen(o->path, "wb");
    if (o->f) return true;
    refuse("cannot write %s: %s", path, strerror(errno));
    free(o->path);
    return false;
}

bool output_close(output *o, bool keep)
{
    if (!o->f) return true;
    const bool bad = ferror(o->f);
    bool ok = !(fclose(o->f) | bad);
    if (o->beside && keep && ok) ok = !rename(o->beside, o->path);
    if (!ok && keep)
        trouble("cannot write %s: %s", o->path, errno ? strerror(errno) : "the disk may be full");
    if (o->beside && !(keep && ok)) unlink(o->beside);
    if (o->beside) link_out(o);
    free(o->path);
    free(o->beside);
    *o = (output){.f = NULL};
    return ok || !keep;
}

bool output_write(const char *path, const void *data, size_t bytes)
{
    output o;
    if (!output_open(&o, path)) return false;
    errno = 0;
    fwrite(data, 1, bytes, o.f);
    return output_close(&o, true);
}

void output_abandon_all(void)
{
    for (const output *o = innermost; o; o = o->outer) unlink(o->beside);
}
