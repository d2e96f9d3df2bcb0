// SPDX-License-Identifier: BSD-3-Clause
// format.c - tells files apart by their first bytes. Rule: what is no .param is called by what it seems to be.
#include "draft.h"
#include <stdio.h>
#include <string.h>

enum { MAGIC = 7767517, OLD_MAGIC = 7767485 };

static bool starts(const ebb_draft *d, const char *with, size_t n)
{
    return d->bytes >= n && !memcmp(d->data, with, n);
}

static bool starts_with_cell(const ebb_draft *d, int32_t v)
{
    const unsigned char cell[] = {v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24 & 255};
    return starts(d, (const char *)cell, sizeof cell);
}

static bool starts_with_text(const ebb_draft *d, int32_t v)
{
    char text[16];
    const int n = snprintf(text, sizeof text, "%d", v);
    return starts(d, text, (size_t)n);
}

static bool is_text(const ebb_draft *d)
{
    for (size_t i = 0; i < d->bytes && i < 256; i++)
        if ((unsigned char)d->data[i] < ' ' && !strchr("\t\n\v\f\r", d->data[i])) return false;
    return true;
}

// What a file without the magic number seems to be.
static const char *looks_like(const ebb_draft *d)
{
    if (starts(d, "version https://git-lfs", 23)) return "a Git LFS pointer: fetch the real file";
    if (starts(d, "PK", 2)) return "a zip or PyTorch archive: convert it with pnnx first";
    if (starts(d, "\x1f\x8b", 2)) return "a gzip file: unpack it first";
    if (starts(d, "<", 1)) return "a web page: was the download right?";
    if (starts(d, "\x08", 1)) return "an ONNX file: convert it with pnnx first";
    if (is_text(d)) return "text, but no .param";
    return "no .param: are .param and .bin interchanged?";
}

static ebb_status bad_magic(const ebb_draft *d, ebb_error *e)
{
    if (d->bytes == 0) return ebb_fail(e, EBB_E_FORMAT, "the file is empty");
    if (starts_with_text(d, OLD_MAGIC) || starts_with_cell(d, OLD_MAGIC))
        return ebb_fail(e, EBB_E_FORMAT,
                        "this is a .param of the old version %d; convert it again, to version %d", OLD_MAGIC,
                        MAGIC);
    return ebb_fail(e, EBB_E_FORMAT, "the file does not start with %d; it looks like %s", MAGIC,
                    looks_like(d));
}

ebb_status ebb_draft_read(ebb_draft *d, ebb_error *e)
{
    d->binary = starts_with_cell(d, MAGIC);
    if (d->binary) return ebb_draft_check_types(d, ebb_draft_binary(d, e), e);
    if (starts(d, "\xef\xbb\xbf", 3)) d->data += 3, d->bytes -= 3;
    while (d->bytes && ebb_is_space(*d->data)) d->data++, d->bytes--;
    if (starts_with_text(d, MAGIC)) return ebb_draft_check_types(d, ebb_draft_text(d, e), e);
    return ebb_draft_place(d, NULL, NULL, bad_magic(d, e), e);
}
