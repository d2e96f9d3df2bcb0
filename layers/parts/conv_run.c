// SPDX-License-Identifier: BSD-3-Clause
// conv_run.c - a convolution in blocks of output pixels. Rule: scratch belongs to a block, never to an image: tables
// of pixel pointers, and for 8-bit weights the window of the input that a block reads, quantised.
#include "conv.h"
#include <string.h>

enum {
    PIXELS = 192,             // in a block, at most
    TABLE_BYTES = 48 << 10,   // of pointers, and what is gathered
    INPUT_BYTES = 256 << 10,  // that a block reads
    SHARES = 3                // blocks a thread should get
};

// One pass over the output; a transposed convolution makes one for each phase of its strides.
typedef struct job {
    const ebb_kernels *k;
    const ebb_cpu *cpu;
    ebb_conv_weights w;
    ebb_activation act;
    ebb_axis axis[3];
    const int *tap;       // of the weights, in the order of the axes' taps; NULL: all
    int taps;             // that take part
    ebb_region region;
    ebb_volume in, out;
    bool gather;          // planar, or one channel: what a block reads is gathered, product by product
    bool window;          // the input is quantised, or put in order, block by block
    ebb_dtype in_dtype;
    int ic;
    const void *pad;
    int pixels;           // in a block
    int parts;            // the columns are shared out too
} job;

static int max_int(int a, int b) { return a > b ? a : b; }
static int min_int(int a, int b) { return a < b ? a : b; }
static size_t align(size_t n) { return ebb_size_mul(ebb_size_add(n, 63) / 64, 64); }

// ------------------------------------------------------------------------------------------- blocks

// With windows a block is a rectangle, otherwise a run of pixels.
static void block_shape(const job *j, int pixels, int *columns, int *rows)
{
    const int w = j->region.x1 - j->region.x0, h = j->region.y1 - j->region.y0;
    *columns = min_int(w, pixels);
    *rows = min_int(h, max_int(1, pixels / max_int(1, *columns)));
}

static int64_t window_side(const ebb_axis *a, int outputs)
{
    const int64_t n = (int64_t)(outputs - 1) * a->stride + (int64_t)(a->kernel - 1) * a->dilation + 1;
    return n < a->in ? n : a->in;
}

static size_t window_bytes(const job *j, int pixels)
{
    if (!j->window) return 0;
    int columns, rows;
    block_shape(j, pixels, &columns, &rows);
    const size_t n =
        ebb_size_mul((size_t)window_side(&j->axis[1], rows), (size_t)window_side(&j->axis[2], columns));
    return ebb_size_add(ebb_size_mul(n, (size_t)j->ic), 1);  // an odd last channel is read as a pair
}

// Pointers to what the rows of a block read, and to where they are written.
static size_t pointers(const job *j) { return (j->gather ? 1 : (size_t)j->taps) + 1; }

static size_t gather_bytes(const job *j, int pixels)
{
    const size_t products = j->gather ? (size_t)j->taps * (size_t)j->ic * sizeof(float) : 0;
    return ebb_size_mul(products, (size_t)pixels);
}

// For each worker: the pointers, then what is gathered, or a line for a channel of the window and the window.
static size_t worker_bytes(const job *j, int pixels)
{
    const size_t table = align(ebb_size_mul(ebb_size_mul(pointers(j), (size_t)pixels), sizeof(void *)));
    const size_t line = j->window ? (size_t)window_side(&j->axis[2], j->axis[2].out) : 0;
    const size_t rest = ebb_size_add(gather_bytes(j, pixels), ebb_size_add(window_bytes(j, pixels), line));
    return ebb_size_add(table, align(rest));
}

static int64_t block_count(const job *j, int pixels)
{
    const ebb_region *r = &j->region;
    if (!j->window) return (ebb_region_pixels(r) + pixels - 1) / pixels;
    int columns, rows;
    block_shape(j, pixels, &columns, &rows);
    if (!columns || !rows) return 0;
    return (int64_t)r->d * ((r->y1 - r->y0 + rows - 1) / rows) * ((r->x1 - r->x0 + columns - 1) / columns);
}

// As many pixels as the caches like, but enough blocks for all threads.
static int ideal_pixels(const job *j, int threads)
{
    const int tile = j->k->gemm_rows;
    const size_t table = ebb_size_add(pointers(j) * sizeof(void *), gather_bytes(j, 1));
    const size_t input =
        (size_t)j->ic * sizeof(float) * (size_t)j->axis[1].stride * (size_t)j->axis[2].stride;
    size_t n = PIXELS;
    if (n > TABLE_BYTES / table) n = TABLE_BYTES / table;
    if (n > INPUT_BYTES / (input + 1)) n = INPUT_BYTES / (input + 1);
    int pixels = max_int(4, (int)n / tile) * tile;
    while (threads > 1 && pixels > 4 * tile && block_count(j, pixels) < (int64_t)threads * SHARES)
        pixels -= tile;
    while (window_bytes(j, pixels) > INPUT_BYTES && pixels > tile) pixels -= tile;
    return pixels;
}

static int fit_pixels(const job *j, int pixels, size_t bytes)
{
    while (pixels > 1 && worker_bytes(j, pixels) > bytes) pixels--;
    return pixels;
}

// ------------------------------------------------------------------------------------------- windows

typedef struct block {
    ebb_region region;
    int64_t first;
    int n;
} block;

static block block_at(const job *j, size_t i)
{
    const ebb_region *r = &j->region;
    block b = {.region = *r};
    if (!j->window) {
        b.first = (int64_t)i * j->pixels;
        const int64_t left = ebb_region_pixels(r) - b.first;
        b.n = left < j->pixels ? (int)left : j->pixels;
        return b;
    }
    int columns, rows;
    block_shape(j, j->pixels, &columns, &rows);
    const size_t across = (size_t)((r->x1 - r->x0 + columns - 1) / columns);
    b.region.x0 += (int)(i % across) * columns;
    b.region.y0 += (int)(i / across) * rows;
    b.region.x1 = min_int(r->x1, b.region.x0 + columns);
    b.region.y1 = min_int(r->y1, b.region.y0 + rows);
    b.n = (int)ebb_region_pixels(&b.region);
    return b;
}

// The inputs that outputs [o0, o1) read, cut at the ends.
static void window_of(const ebb_axis *a, int o0, int o1, int *from, int *to)
{
    const int64_t lo = (int64_t)o0 * a->stride - a->before;
    const int64_t hi = (int64_t)(o1 - 1) * a->stride - a->before + (int64_t)(a->kernel - 1) * a->dilation + 1;
    *from = (int)(lo < 0 ? 0 : lo > a->in ? a->in : lo);
    *to = (int)(hi < *from ? *from : hi > a->in ? a->in : hi);
}

static void quantize(const job *j, int8_t *to, const char *from, size_t n)
{
    if (j->in_dtype == EBB_I8) {
        memcpy(to, from, n);
    } else {
        j->k->quantize_i8(to, (const float *)(const void *)from, n, &j->w.in_scale, 0);
    }
}

// n pixels of a row, as 8-bit pixels of ic channels.
static void quantize_row(const job *j, int8_t *to, const char *from, int n, int8_t *line)
{
    const ptrdiff_t pixel = j->in.stride[2], each = (ptrdiff_t)ebb_dtype_bytes(j->in_dtype);
    const size_t ic = (size_t)j->ic;
    if (j->in.channel != each && j->ic > 1) {  // planar
        for (size_t c = 0; c < ic; c++, from += j->in.channel) {
            quantize(j, line, from, (size_t)n);
            for (int x = 0; x < n; x++) to[(size_t)x * ic + c] = line[x];
        }
    } else if (pixel == j->ic * each) {
        quantize(j, to, from, (size_t)n * ic);
    } else {
        for (int x = 0; x < n; x++) quantize(j, to + (size_t)x * ic, from + x * pixel, ic);
    }
}

static ebb_volume make_window(const job *j, const ebb_region *r, int8_t *to, int8_t *line)
{
    int y0, y1, x0, x1;
    window_of(&j->axis[1], r->y0, r->y1, &y0, &y1);
    window_of(&j->axis[2], r->x0, r->x1, &x0, &x1);
    const ptrdiff_t row = (ptrdiff_t)(x1 - x0) * j->ic;
    for (int y = y0; y < y1; y++)
        quantize_row(j, to + (y - y0) * row, j->in.data + y * j->in.stride[1] + x0 * j->in.stride[2], x1 - x0,
                     line);
    return (ebb_volume){.data = (char *)to, .origin = y0 * row + (ptrdiff_t)x0 * j->ic, .channel = 1,
                        .stride = {0, row, j->ic}};
}

// ------------------------------------------------------------------------------------------- one block

// Columns of one group.
static void multiply(const job *j, struct ebb_gemm *g, int group, int panel0, int panel1)
{
    const ebb_conv_weights *w = &j->w;
    g->panel0 = panel0;
    g->panel1 = panel1;
    g->a_offset = (ptrdiff_t)group * w->ic;
    g->c_offset = (ptrdiff_t)group * w->oc;
    g->b = (const char *)w->b + (size_t)group * w->group_bytes;
    g->bias = w->bias ? w->bias + g->c_offset : NULL;
    g->scale = w->scale ? w->scale + g->c_offset : NULL;
    ebb_gemm_run(j->k, w->dtype, g);
}

static void depthwise(const job *j, const block *b, struct ebb_gemm *g)
{
    const ebb_conv_weights *w = &j->w;
    const ebb_axis *x = &j->axis[2];
    if (x->stride == 1 && x->dilation == 1 && (x->kernel == 3 || x->kernel == 5) && !j->tap) {
        g->slide = x->kernel;
        g->run = b->region.x1 - b->region.x0;
        g->run0 = g->run - (int)(b->first % g->run);
    }
    g->b = w->b;
    g->bias = w->bias;
    g->scale = w->scale;
    if (w->dtype == EBB_F32) {
        j->k->depthwise_f32(g);
    } else if (w->dtype == EBB_F16) {
        j->k->depthwise_f16(g);
    } else {
        j->k->depthwise_i8(g);
    }
}

// Points rows of A at what the block reads, and fills g's side of A.
static void read_block(const job *j, const block *b, const void **table, void *rest, struct ebb_gemm *g)
{
    g->a = table;
    g->a_row = j->pixels;
    if (j->gather) {
        float *to = rest;
        ebb_points_gather(j->k, to, j->pixels, j->axis, &b->region, b->first, b->n, &j->in, j->ic,
                          *(const float *)j->pad);
        for (int i = 0; i < b->n; i++) table[i] = to + i;
        g->a_step = j->pixels;
        g->taps = g->b_taps = 1;
        g->k = j->taps * j->ic;
        return;
    }
    int8_t *window = rest;
    const ebb_volume in =
        j->window ? make_window(j, &b->region, window, window + window_bytes(j, j->pixels)) : j->in;
    ebb_points_in(table, j->pixels, j->axis, &b->region, b->first, b->n, &in, j->pad);
    g->a_step = 1;
    g->tap = j->tap;
    g->taps = j->taps;
    g->b_taps = j->w.taps;
    g->k = j->w.ic;
}

static void item(void *ctx, size_t i, int worker)
{
    const job *j = ctx;
    const block b = block_at(j, i / (size_t)j->parts);
    const ebb_conv_weights *w = &j->w;
    const void **table = ebb_worker_scratch(j->cpu, worker);
    void **to = (void **)(table + (pointers(j) - 1) * (size_t)j->pixels);
    struct ebb_gemm g = {.m = b.n,
                         .n = w->depthwise ? w->group : w->oc,
                         .c = to,
                         .act = j->act.type,
                         .act_a = j->act.a,
                         .act_b = j->act.b,
                         .narrow = w->narrow,
                         .narrow_scale = w->narrow_scale};
    read_block(j, &b, table, (char *)table + align(pointers(j) * (size_t)j->pixels * sizeof(void *)), &g);
    ebb_points_out(to, &b.region, b.first, b.n, &j->out);
    if (w->depthwise) {
        depthwise(j, &b, &g);
        return;
    }
    const int panels = ebb_gemm_panels(j->k, w->oc), units = w->group * panels;
    const int part = (int)(i % (size_t)j->parts);
    const int end = (int)((int64_t)units * (part + 1) / j->parts);
    for (int u = (int)((int64_t)units * part / j->parts); u < end;) {
        const int group = u / panels, stop = min_int(end, (group + 1) * panels);
        multiply(j, &g, group, u - group * panels, stop - group * panels);
        u = stop;
    }
}

// Shares out a pass; few blocks are cut by columns too.
static void run(job *j)
{
    const int64_t blocks = block_count(j, j->pixels);
    const int units = ebb_conv_units(&j->w, j->k), threads = j->cpu->threads;
    j->parts = 1;
    if (threads > 1 && blocks < (int64_t)threads * SHARES)
        j->parts = min_int(units, (threads * SHARES + (int)blocks - 1) / max_int(1, (int)blocks));
    ebb_parallel(j->cpu, ebb_size_mul((size_t)blocks, (size_t)j->parts), item, j);
}

// ------------------------------------------------------------------------------------------- phases

// The outputs o = phase + i * stride of a transposed axis read every period-th tap, each at a fixed distance: an
// ordinary axis with stride 1.
typedef struct phase {
    ebb_axis axis;
    int tap0, period;
} phase;

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

static phase phase_of(const ebb_axis *a, int at)
{
    phase p = {.period = a->stride / gcd(a->dilation, a->stride)};
    const int64_t shift = (int64_t)at + a->before;
    while (p.tap0 < a->kernel && p.tap0 < p.period && (shift - (int64_t)p.tap0 * a->dilation) % a->stride)
        p.tap0++;
    const bool none = p.tap0 == p.period || p.tap0 >= a->kernel;
    p.axis = (ebb_axis){.in = a->in, .out = (a->out - at + a->stride - 1) / a->stride, .stride = 1,
                        .kernel = none ? 0 : (a->kernel - p.tap0 + p.period - 1) / p.period,
                        .dilation = -(int)((int64_t)a->dilation * p.period / a->stride),
                        .before = (int)-((shift - (int64_t)p.tap0 * a->dilation) / a->stride)};
    return p;
}

static int phase_row(int y, int at, int stride) { return y <= at ? 0 : (y - at + stride - 1) / stride; }

// The pass of job j for one phase of each axis; taps has room for all taps.
static job phase_job(const job *j, const int at[3], int *taps)
{
    phase p[3];
    job one = *j;
    one.taps = 0;
    for (int i = 0; i < 3; i++) {
        p[i] = phase_of(&j->axis[i], at[i]);
        one.axis[i] = p[i].axis;
        one.out.data += at[i] * j->out.stride[i];
        one.out.stride[i] *= j->axis[i].stride;
    }
    for (int z = 0; z < p[0].axis.kernel; z++)
        for (int y = 0; y < p[1].axis.kernel; y++)
            for (int x = 0; x < p[2].axis.kernel; x++)
                taps[one.taps++] =
                    ((p[0].tap0 + z * p[0].period) * j->axis[1].kernel + p[1].tap0 + y * p[1].period) *
                        j->axis[2].kernel +
                    p[2].tap0 + x * p[2].period;
    one.tap = taps;
    one.region = (ebb_region){p[0].axis.out, phase_row(j->region.y0, at[1], j->axis[1].stride),
                              phase_row(j->region.y1, at[1], j->axis[1].stride), 0, p[2].axis.out};
    return one;
}

static void run_phases(const job *j, int *taps)
{
    int at[3];
    for (at[0] = 0; at[0] < min_int(j->axis[0].stride, j->axis[0].out); at[0]++)
        for (at[1] = 0; at[1] < min_int(j->axis[1].stride, j->axis[1].out); at[1]++)
            for (at[2] = 0; at[2] < min_int(j->axis[2].stride, j->axis[2].out); at[2]++) {
                job one = phase_job(j, at, taps);
                run(&one);
            }
}

// ------------------------------------------------------------------------------------------- plan and cpu

static ebb_volume volume_of(const ebb_desc *d, bool channels, void *data)
{
    const ptrdiff_t each = (ptrdiff_t)ebb_dtype_bytes(d->dtype);
    ebb_volume v = {.data = data, .channel = channels ? d->stride[0] * each : each};
    const int n = d->rank - channels;
    for (int i = 0; i < n; i++) v.stride[3 - n + i] = d->stride[channels + i] * each;
    return v;
}

// Whether the input may be read one channel at a time.
static bool reads_planar(const ebb_conv *c, const ebb_conv_case *k)
{
    return k->ic <= 4 && !k->w.depthwise && k->w.group == 1 && !c->transposed;
}

// What depends on shapes and order alone. orders: what the input is in, or may come in.
static job job_of(const ebb_conv *c, const ebb_conv_case *k, const ebb_desc *in, unsigned orders,
                  const ebb_kernels *kernels)
{
    job j = {.k = kernels,
             .w = k->w,
             .act = c->act,
             .axis = {k->axis[0], k->axis[1], k->axis[2]},
             .taps = k->w.taps,
             .in_dtype = in->dtype,
             .ic = k->ic,
             .region = {k->axis[0].out, 0, k->axis[1].out, 0, k->axis[2].out}};
    const bool planar = !(orders & EBB_PIXEL) && k->ic > 1, pairs = !k->w.depthwise && k->w.ic % 2;
    if (k->w.dtype == EBB_I8) {
        j.window = in->dtype != EBB_I8 || planar || pairs;
    } else {
        j.gather = reads_planar(c, k) && (planar || (k->ic == 1 && k->w.taps > 1));
    }
    for (int i = 0; c->transposed && i < 3; i++) {
        const int period = phase_of(&k->axis[i], 0).period;
        j.taps = j.taps / k->axis[i].kernel * ((k->axis[i].kernel + period - 1) / period);
    }
    return j;
}

static size_t pad_bytes(const ebb_conv_case *k) { return align(((size_t)k->ic + 1) * sizeof(float)); }

ebb_status ebb_conv_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    const ebb_conv *c = st;
    ebb_conv_case k;
    EBB_TRY(ebb_conv_resolve(c, in->in, &k, e));
    const bool int8 = k.w.dtype == EBB_I8, planar = reads_planar(c, &k);
    plan->in[0].orders = EBB_PIXEL | (planar ? EBB_PLANAR : 0);
    plan->in[0].dtypes = EBB_BIT(EBB_F32) | (int8 ? EBB_BIT(EBB_I8) : 0);
    for (int i = 1; i < in->n_in; i++) plan->in[i].orders = EBB_ANY_ORDER;
    plan->out[0].order = EBB_PIXEL;
    plan->macs = ebb_conv_macs(&k, c->transposed);
    plan->algorithm = k.w.depthwise ? "depthwise" : k.w.taps == 1 ? "pointwise gemm" : "indirect gemm";
    const job j = job_of(c, &k, &in->in[0], planar ? EBB_PLANAR : EBB_PIXEL, in->k);
    const size_t taps = c->transposed ? (size_t)k.w.taps * sizeof(int) : 0;
    plan->scratch = ebb_size_add(ebb_size_add(pad_bytes(&k), taps), ebb_conv_dynamic_bytes(c, &k, in->k));
    const size_t left = in->memory_limit > plan->scratch ? in->memory_limit - plan->scratch : 0;
    const int pixels = fit_pixels(&j, ideal_pixels(&j, in->threads), left / (size_t)in->threads);
    plan->worker_scratch = worker_bytes(&j, pixels);
    return EBB_OK;
}

static void fill_pad(const ebb_conv *c, const ebb_conv_case *k, void *to)
{
    if (k->w.dtype == EBB_I8) {
        memset(to, ebb_quantize(c->pad_value, k->w.in_scale), (size_t)k->ic + 1);
    } else {
        for (int i = 0; i < k->ic; i++) ((float *)to)[i] = c->pad_value;
    }
}

ebb_status ebb_conv_cpu(const void *st, const ebb_cpu *cpu, const ebb_blob *const *in, ebb_blob *const *out,
                        ebb_error *e)
{
    const ebb_conv *c = st;
    const ebb_desc *from = &cpu->in[0], *to = &cpu->out[0];
    ebb_conv_case k;
    EBB_TRY(ebb_conv_resolve(c, cpu->in, &k, e));
    char *scratch = cpu->scratch, *weights = scratch + pad_bytes(&k),
         *taps = weights + ebb_conv_dynamic_bytes(c, &k, cpu->k);
    fill_pad(c, &k, scratch);
    if (!k.w.b) ebb_conv_pack_dynamic(c, &k, cpu, in, weights);
    job j = job_of(c, &k, from, ebb_desc_order(from), cpu->k);
    j.cpu = cpu;
    j.pad = scratch;
    j.in = volume_of(from, k.vector || from->rank == c->spatial + 1, ebb_blob_data(in[0]));
    j.out = volume_of(to, true, ebb_blob_data(out[0]));
    j.pixels = fit_pixels(&j, ideal_pixels(&j, cpu->threads), cpu->worker_bytes);
    if (to->rank > 2) {
        j.region.y0 = cpu->y0;
        j.region.y1 = cpu->y1;
    }
    if (c->transposed) {
        run_phases(&j, (int *)(void *)taps);
    } else {
        run(&j);
    }
    return EBB_OK;
}
