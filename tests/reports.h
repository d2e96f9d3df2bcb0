// SPDX-License-Identifier: BSD-3-Clause
// reports.h - what the tests of reports share: small nets, whole or refused.
#pragma once
#include "sample_nets.h"
#include "small_layers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// With weights as sample_nets.h writes them; *bin is freed after the net.
static inline ebb_net *net_with(const char *layers, const char *weights, void **bin)
{
    size_t bytes;
    *bin = sample_weights(weights, &bytes);
    return walk_net(layers, *bin, bytes, NULL);
}

static inline ebb_desc plane(int c, int h, int w)
{
    return ebb_desc_planar(EBB_F32, 3, (const int[]){c, h, w});
}

static inline void copy_in(ebb_extractor *x, const char *name, const ebb_desc *d)
{
    ebb_error e = {0};
    float *data = malloc(ebb_desc_count(d) * sizeof *data + 1);
    for (size_t i = 0; i < ebb_desc_count(d); i++) data[i] = (float)(i * 29 % 127) / 64 - 1;
    ck_assert_msg(ebb_extractor_copy(x, name, d, data, &e) == EBB_OK, "%s", e.msg);
    free(data);
}

static inline ebb_blob *take(ebb_extractor *x, const char *name)
{
    ebb_blob *b;
    ebb_error e = {0};
    ck_assert_msg(ebb_extractor_extract(x, name, EBB_TAKE_PLANAR, &b, &e) == EBB_OK, "%s", e.msg);
    return b;
}

static inline void same(const ebb_blob *a, const ebb_blob *b)
{
    const ebb_desc *d = ebb_blob_desc(a);
    ck_assert(ebb_desc_same_shape(d, ebb_blob_desc(b)) && d->dtype == ebb_blob_desc(b)->dtype);
    ck_assert_mem_eq(ebb_blob_data(a), ebb_blob_data(b), ebb_desc_count(d) * ebb_dtype_bytes(d->dtype));
}

static inline bool zeros(void *user, void *to, size_t bytes)
{
    return (void)user, memset(to, 0, bytes) != NULL;
}
// Loads the layers, with as many weights as they want, and extracts y from an x of this size.
static inline ebb_status try(const char *layers, const ebb_desc *d, ebb_error *e)
{
    char text[1024];
    int n = 0;
    for (const char *p = layers; *p; p++) n += *p == '\n';
    snprintf(text, sizeof text, "7767517\n%d 0\n%s", n, layers);
    ebb_net *net;
    ebb_extractor *x = NULL;
    ebb_blob *b = NULL;
    *e = (ebb_error){0};
    ck_assert(ebb_net_new(&(ebb_net_options){.allocator = walk_allocator}, &net, e) == EBB_OK);
    ebb_status s = ebb_net_load_param_mem(net, text, strlen(text), e);
    if (s == EBB_OK) s = ebb_net_load_weights_reader(net, &(ebb_reader){zeros, NULL}, e);
    if (s == EBB_OK) s = ebb_extractor_new(net, NULL, &x, e);
    if (s == EBB_OK) copy_in(x, "x", d);
    if (s == EBB_OK) s = ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, e);
    ebb_blob_drop(b);
    ebb_extractor_destroy(x);
    walk_net_end(net);
    return s;
}

// That must not work, and the message must have these words.
static inline void refused(const char *layers, const ebb_desc *d, const char *words)
{
    ebb_error e;
    const ebb_status s = try(layers, d, &e);
    ck_assert_msg(s != EBB_OK, "it works: %s", layers);
    ck_assert_msg(s == e.code && strstr(e.msg, words), "'%s' is not in: %s", words, e.msg);
}
