// SPDX-License-Identifier: BSD-3-Clause
// small_layers.c - tiny layers for tests of the interpreter. Rule: each does one thing that is easy to
// predict.
#include "small_layers.h"
#include "walk.h"
#include "order.h"
#include <stdlib.h>
#include <string.h>

static ebb_status same_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    for (int k = 0; k < in->n_out; k++) {
        out[k].rank = in->in[0].rank;
        memcpy(out[k].dim, in->in[0].dim, sizeof out[k].dim);
    }
    return EBB_OK;
}

// y[k] = x + k + 1, never in place.
static ebb_status fork_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                           ebb_error *e)
{
    (void)st, (void)e;
    const size_t n = ebb_desc_count(ebb_blob_desc(in[0]));
    for (int k = 0; k < c->n_out; k++)
        for (size_t i = 0; out[k] && i < n; i++) ebb_f32(out[k])[i] = ebb_f32(in[0])[i] + (float)k + 1;
    return EBB_OK;
}

static const ebb_layer_type fork_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Fork",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = -1,
    .shape = same_shape,
    .cpu = fork_cpu,
};

static ebb_status fail_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                           ebb_error *e)
{
    (void)st, (void)c, (void)in, (void)out;
    return ebb_fail(e, EBB_E_UNSUPPORTED, "the test wants it so");
}

static const ebb_layer_type fail_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Fail",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .cpu = fail_cpu,
};

// Keeps the positive values only: a result whose size depends on data.
static ebb_status positive_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in,
                               ebb_blob *const *out, ebb_error *e)
{
    (void)st, (void)c, (void)e;
    int n = 0;
    const float *x = ebb_f32(in[0]);
    for (int i = 0; i < ebb_blob_desc(in[0])->dim[0]; i++)
        if (x[i] > 0) ebb_f32(out[0])[n++] = x[i];
    ebb_blob_shrink(out[0], 0, n);
    return EBB_OK;
}

static const ebb_layer_type positive_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Positive",
    .flags = EBB_LAYER_DATA_SHAPE,
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .cpu = positive_cpu,
};

// Reads the shape of input 1 only.
static bool second(const void *st, int i) { return (void)st, i == 1; }
static ebb_status like_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                           ebb_error *e)
{
    (void)st, (void)c, (void)e;
    for (size_t i = 0; i < ebb_desc_count(ebb_blob_desc(out[0])); i++)
        ebb_f32(out[0])[i] = ebb_f32(in[0])[i] * (float)ebb_blob_desc(in[1])->dim[0];
    return EBB_OK;
}

static const ebb_layer_type like_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Like",
    .in_min = 2,
    .in_max = 2,
    .out_min = 1,
    .out_max = 1,
    .shape_only = second,
    .shape = same_shape,
    .cpu = like_cpu,
};

// Reads pixel order, or planar order; writes the same. For conversions.
static const ebb_layer_type pixel_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Pixel",
    .reads = EBB_PIXEL,
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .cpu = fork_cpu,
};
static const ebb_layer_type planar_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Planar",
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .cpu = fork_cpu,
};

// A cache of rows, or of rows of heads: out = past followed by the new rows.
static ebb_status cache_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    out[0].rank = in->in[0].rank;
    memcpy(out[0].dim, in->in[0].dim, sizeof out[0].dim);
    out[0].dim[out[0].rank - 2] += in->in[1].dim[out[0].rank - 2];
    return EBB_OK;
}

static ebb_status cache_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->out[0].grow = 1;
    plan->out[0].grow_axis = in->in[0].rank - 2;
    return EBB_OK;
}

static ebb_status cache_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                            ebb_error *e)
{
    (void)st, (void)c, (void)e;
    const ebb_desc *now = ebb_blob_desc(in[0]), *past = ebb_blob_desc(in[1]), *all = ebb_blob_desc(out[0]);
    const int a = now->rank - 2, heads = a ? now->dim[0] : 1;
    for (int h = 0; h < heads; h++)
        for (int y = 0; y < now->dim[a]; y++)
            for (int x = 0; x < now->dim[a + 1]; x++)
                ebb_f32(out[0])[h * (a ? all->stride[0] : 0) + (y + past->dim[a]) * all->stride[a] + x] =
                    ebb_f32(in[0])[h * (a ? now->stride[0] : 0) + y * now->stride[a] + x];
    return EBB_OK;
}

static const ebb_layer_type cache_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Cache",
    .reads = EBB_PLANAR,
    .in_min = 2,
    .in_max = 2,
    .out_min = 1,
    .out_max = 1,
    .shape = cache_shape,
    .plan = cache_plan,
    .cpu = cache_cpu,
};

// Writes how many workers it has everywhere, and wants 128 bytes of scratch for each; for large blobs theirs
// once more.
static ebb_status workers_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    const size_t n = ebb_desc_count(&in->in[0]);
    plan->worker_scratch = 64;
    plan->scratch = 64 * (size_t)in->threads + (n >= 1024 ? n * sizeof(float) : 0);
    return EBB_OK;
}

static ebb_status workers_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in,
                              ebb_blob *const *out, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    for (int i = 0; i < c->threads; i++) memset(ebb_worker_scratch(c, i), 0, 64);
    for (size_t i = 0; i < ebb_desc_count(ebb_blob_desc(out[0])); i++) ebb_f32(out[0])[i] = (float)c->threads;
    return EBB_OK;
}

static const ebb_layer_type workers_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Workers",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .plan = workers_plan,
    .cpu = workers_cpu,
};

// x + y, where x is read in planar order and y in pixel order.
static ebb_status both_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0].orders = EBB_PLANAR;
    plan->in[1].orders = EBB_PIXEL;
    return EBB_OK;
}

static float element(const ebb_blob *b, size_t i)
{
    const ebb_desc *d = ebb_blob_desc(b);
    ptrdiff_t at = 0;
    for (int axis = d->rank - 1; axis >= 0; i /= (size_t)d->dim[axis--])
        at += (ptrdiff_t)(i % (size_t)d->dim[axis]) * d->stride[axis];
    if (d->dtype == EBB_F32) return ebb_f32(b)[at];
    return ebb_f16_to_f32(((const uint16_t *)ebb_blob_data(b))[at]);
}

static ebb_status sum_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                          ebb_error *e)
{
    (void)st, (void)e;
    const ebb_desc *d = ebb_blob_desc(out[0]);
    for (int i = 0; i < c->n_in; i++) ck_assert_mem_eq(&c->in[i], ebb_blob_desc(in[i]), sizeof *d);
    ck_assert_mem_eq(&c->out[0], d, sizeof *d);
    ck_assert(c->y0 == 0 && c->y1 == (d->rank < 2 ? 1 : d->dim[d->rank - 2]));
    ck_assert(c->n_in < 2 || ebb_desc_order(ebb_blob_desc(in[1])) & EBB_PIXEL);
    for (size_t i = 0; i < ebb_desc_count(d); i++)
        ebb_f32(out[0])[i] = element(in[0], i) + (c->n_in > 1 ? element(in[1], i) : 0);
    return EBB_OK;
}

static const ebb_layer_type both_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Both",
    .in_min = 2,
    .in_max = 2,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .plan = both_plan,
    .cpu = sum_cpu,
};

// x, which is read as f16 in any order.
static ebb_status narrow_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)in, (void)e;
    plan->in[0] = (ebb_plan_input){EBB_ANY_ORDER, EBB_BIT(EBB_F16)};
    return EBB_OK;
}

static const ebb_layer_type narrow_type = {
    .size = sizeof(ebb_layer_type),
    .name = "Narrow",
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .shape = same_shape,
    .plan = narrow_plan,
    .cpu = sum_cpu,
};

const ebb_layer_type *const small_layers[] = {
    &fork_type,  &fail_type,    &positive_type, &like_type,   &pixel_type, &planar_type,
    &cache_type, &workers_type, &both_type,     &narrow_type, NULL};

ebb_net *small_net(const char *text, const void *bin, size_t bytes)
{
    return walk_net(text, bin, bytes, small_layers);
}

ebb_net *small_walk(ebb_walk *w, const char *layers)
{
    ebb_net *net = small_net(layers, NULL, 0);
    ebb_error e = {0};
    ebb_storage *m;
    ck_assert(ebb_walk_new(w, net, &e) == EBB_OK);
    ck_assert(ebb_walk_storage(w, 40, EBB_ON_HOST, &m, &e) == EBB_OK);
    memset(m->data, 0, 40);
    w->cells[0].blob.desc = vec(10);
    w->cells[0].state = EBB_CELL_HERE;
    w->cells[0].input = EBB_GIVEN;
    ebb_walk_hold(w, &w->cells[0].blob, m, 0);
    return net;
}

ebb_extractor *open_on(ebb_net *net, const ebb_extractor_options *opt)
{
    ebb_extractor *x;
    ebb_error e = {0};
    ck_assert_msg(ebb_extractor_new(net, opt, &x, &e) == EBB_OK, "%s", e.msg);
    return x;
}

ebb_desc vec(int n) { return ebb_desc_planar(EBB_F32, 1, (const int[]){n}); }

void give(ebb_extractor *x, const char *name, const ebb_desc *d, float first)
{
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert_msg(ebb_extractor_make(x, d, &b, &e) == EBB_OK, "%s", e.msg);
    for (size_t i = 0; i < ebb_desc_count(d); i++) ebb_f32(b)[i] = first + (float)i;
    ck_assert_msg(ebb_extractor_give(x, name, b, &e) == EBB_OK, "%s", e.msg);
}

float first_of(ebb_extractor *x, const char *name)
{
    ebb_error e = {0};
    ebb_blob *b;
    ck_assert_msg(ebb_extractor_extract(x, name, EBB_TAKE_PLANAR, &b, &e) == EBB_OK, "%s", e.msg);
    const float v = ebb_desc_count(ebb_blob_desc(b)) ? ebb_f32(b)[0] : 0;
    ebb_blob_drop(b);
    return v;
}

// Runs the request dry, then for real: the two traces must be the same text, which is returned.
const char *trace_of(const char *text, const ebb_desc *d, const char *const *outs, int n)
{
    static walk_text dry, real;
    ebb_net *net = small_net(text, NULL, 0);
    ebb_extractor *x = open_on(net, &(ebb_extractor_options){.observer = walk_text_observer(&real, net)});
    const ebb_observer watch = walk_text_observer(&dry, net);
    ebb_error e = {0};
    give(x, "x", d, 1);
    walk_text_clear(&real);
    ebb_prediction p;
    ck_assert_msg(ebb_extractor_predict(x, outs, n, &watch, &p, &e) == EBB_OK, "%s", e.msg);
    ebb_blob *b[8];
    ck_assert_msg(ebb_extractor_extract_many(x, outs, n, EBB_TAKE_PLANAR, b, &e) == EBB_OK, "%s", e.msg);
    ck_assert_str_eq(dry.text, real.text);
    ebb_mem_count m[EBB_MEM_KINDS];
    ebb_extractor_memory(x, m);
    ck_assert_uint_eq(m[EBB_MEM_BLOB].peak, p.blob_peak);
    for (int i = 0; i < n; i++) ebb_blob_drop(b[i]);
    static char kept[WALK_TEXT_ROOM];
    strcpy(kept, real.text);
    ebb_extractor_destroy(x);
    walk_net_end(net);
    return kept;
}
