// SPDX-License-Identifier: BSD-3-Clause
// conv_blocks.c - a pass over the output in blocks of pixels. Rule: scratch belongs to a block, never to an
// image: tables of pixel pointers, and for 8-bit weights the window of the input that a block reads.
#include "conv_way.h"

enum {
    PIXELS = 192,             // in a block, at most
    TABLE_BYTES = 48 << 10,   // of pointers, and what is gathered
    INPUT_BYTES = 256 << 10,  // that a block reads
    SHARES = 3                // blocks a thread should get
};

static int max_int(int a, int b) { return a > b ? a : b; }
static int min_int(int a, int b) { return a < b ? a : b; }
static size_t align(size_t n) { return ebb_size_mul(ebb_size_add(n, 63) / 64, 64); }

// ------------------------------------------------------------------------------------------- blocks

// With windows a block is a rectangle, otherwise a run of pixels.
static void block_shape(const ebb_conv_job *j, int pixels, int *columns, int *rows)
{
    const int w = j->region.x1 - j->region.x0, h = j->region.y1 - j->region.y0;
    *columns = min_int(w, pixels);
    *rows = min_int(h, max_int(1, pixels / max_int(1, *columns)));
}

static size_t window_bytes(const ebb_conv_job *j, int pixels)
{
    if (!j->window) return 0;
    int columns, rows;
    block_shape(j, pixels, &columns, &rows);
    const size_t n = ebb_size_mul((size_t)ebb_conv_window_side(&j->axis[1], rows),
                                  (size_t)ebb_conv_window_side(&j->axis[2], columns));
    return ebb_size_add(ebb_size_mul(n, (size_t)j->ic), 1);  // an odd last channel is read as a pair
}

// Pointers to what the rows of a block read, and to where they are written.
static size_t pointers(const ebb_conv_job *j) { return (j->gather ? 1 : (size_t)j->taps) + 1; }

static size_t gather_bytes(const ebb_conv_job *j, int pixels)
{
    const size_t products =
        j->gather ? ebb_size_mul((size_t)j->taps, ebb_size_mul((size_t)j->ic, sizeof(float))) : 0;
    return ebb_size_mul(products, (size_t)pixels);
}

// For each worker: the pointers, then what is gathered, or a line for a channel of the window and the window.
size_t ebb_conv_block_bytes(const ebb_conv_job *j, int pixels)
{
    const size_t table = align(ebb_size_mul(ebb_size_mul(pointers(j), (size_t)pixels), sizeof(void *)));
    const size_t line = j->window ? (size_t)ebb_conv_window_side(&j->axis[2], j->axis[2].out) : 0;
    const size_t rest = ebb_size_add(gather_bytes(j, pixels), ebb_size_add(window_bytes(j, pixels), line));
    return ebb_size_add(table, align(rest));
}

static int64_t block_count(const ebb_conv_job *j, int pixels)
{
    const ebb_region *r = &j->region;
    if (!j->window) return (ebb_region_pixels(r) + pixels - 1) / pixels;
    int columns, rows;
    block_shape(j, pixels, &columns, &rows);
    if (!columns || !rows) return 0;
    return (int64_t)r->d * ((r->y1 - r->y0 + rows - 1) / rows) * ((r->x1 - r->x0 + columns - 1) / columns);
}

// As many pixels as the caches like, but enough blocks for all threads.
static int ideal_pixels(const ebb_conv_job *j, int threads)
{
    const int tile = j->k->gemm_rows;
    const size_t table = ebb_size_add(ebb_size_mul(pointers(j), sizeof(void *)), gather_bytes(j, 1));
    const size_t pixel = ebb_size_mul((size_t)j->ic, sizeof(float));
    const size_t input =
        ebb_size_mul(ebb_size_mul(pixel, (size_t)j->axis[1].stride), (size_t)j->axis[2].stride);
    size_t n = PIXELS;
    if (n > TABLE_BYTES / table) n = TABLE_BYTES / table;
    if (n > INPUT_BYTES / ebb_size_add(input, 1)) n = INPUT_BYTES / ebb_size_add(input, 1);
    int pixels = max_int(4, (int)n / tile) * tile;
    while (threads > 1 && pixels > 4 * tile && block_count(j, pixels) < (int64_t)threads * SHARES)
        pixels -= tile;
    while (window_bytes(j, pixels) > INPUT_BYTES && pixels > tile) pixels -= tile;
    return pixels;
}

int ebb_conv_block_pixels(const ebb_conv_job *j, int threads, size_t bytes)
{
    int pixels = ideal_pixels(j, threads);
    while (pixels > 1 && ebb_conv_block_bytes(j, pixels) > bytes) pixels--;
    return pixels;
}

// ------------------------------------------------------------------------------------------- one block

static ebb_conv_block block_at(const ebb_conv_job *j, size_t i)
{
    const ebb_region *r = &j->region;
    ebb_conv_block b = {.region = *r};
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

// Points rows of A at what the block reads, and fills g's side of A.
static void read_block(const ebb_conv_job *j, const ebb_conv_block *b, const void **table, void *rest,
                       struct ebb_gemm *g)
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
        j->window ? ebb_conv_window(j, &b->region, window, window + window_bytes(j, j->pixels)) : j->in;
    ebb_points_in(table, j->pixels, j->axis, &b->region, b->first, b->n, &in, j->pad);
    g->a_step = 1;
    g->tap = j->tap;
    g->taps = j->taps;
    g->b_taps = j->w.taps;
    g->k = j->w.ic;
}

static void item(void *ctx, size_t i, int worker)
{
    const ebb_conv_job *j = ctx;
    const ebb_conv_block b = block_at(j, i / (size_t)j->parts);
    const ebb_conv_weights *w = &j->w;
    const void **table = ebb_worker_scratch(j->cpu, worker);
    void **to = (void **)(table + (pointers(j) - 1) * (size_t)j->pixels);
    struct ebb_gemm g = {.m = b.n,
                         .c = to,
                         .act = j->act.type,
                         .act_a = j->act.a,
                         .act_b = j->act.b,
                         .narrow = w->narrow,
                         .narrow_scale = w->narrow_scale};
    // fits: as planned
    read_block(j, &b, table, (char *)table + align(pointers(j) * (size_t)j->pixels * sizeof(void *)), &g);
    ebb_points_out(to, &b.region, b.first, b.n, &j->out);
    const int64_t units = w->way->units(w, j->k), part = (int64_t)(i % (size_t)j->parts);
    w->way->multiply(j, &b, &g, (int)(units * part / j->parts), (int)(units * (part + 1) / j->parts));
}

// Few blocks are cut by columns too.
void ebb_conv_run(ebb_conv_job *j)
{
    const int64_t blocks = block_count(j, j->pixels);
    const int units = j->w.way->units(&j->w, j->k), threads = j->cpu->threads;
    j->parts = 1;
    if (threads > 1 && blocks < (int64_t)threads * SHARES)
        j->parts = min_int(units, (threads * SHARES + (int)blocks - 1) / max_int(1, (int)blocks));
    ebb_parallel(j->cpu, ebb_size_mul((size_t)blocks, (size_t)j->parts), item, j);
}
