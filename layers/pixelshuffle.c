// SPDX-License-Identifier: BSD-3-Clause
// pixelshuffle.c - PixelShuffle (channels become blocks of pixels) and Reorg (blocks become channels). Rule:
// one is the other backwards; both copy each place of a block by itself, and only the rows that are asked
// for.
#include "ebb_layer.h"

typedef struct blocks {
    int size;  // of a block, in each direction
    int mode;  // 0: a channel's block lies together, 1: a place's channels do
} blocks;

#define ROWS(name_)                                                                                          \
    {                                                                                                        \
        EBB_INT(blocks, 0, name_, size, .def = 1, .min = 1, .max = 32767),                                   \
        EBB_INT(blocks, 1, "mode", mode, .min = 0, .max = 1,                                                 \
                .doc = "0: channel (c, y, x), 1: channel (y, x, c)"),                                        \
        {0},                                                                                                 \
    }
static const ebb_param shuffle_params[] = ROWS("upscale_factor");
static const ebb_param reorg_params[] = ROWS("stride");

static ebb_status check_rank(const ebb_desc *x, ebb_error *e)
{
    if (x->rank == 3) return EBB_OK;
    return ebb_fail(e, EBB_E_SHAPE, "the input is %s, but only c, h, w has blocks of pixels",
                    EBB_SHAPE(x));
}

static ebb_status set_size(ebb_desc *y, const ebb_desc *x, size_t c, size_t h, size_t w, ebb_error *e)
{
    if (c > INT32_MAX || h > INT32_MAX || w > INT32_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "the output would be too large");
    y->dtype = x->dtype;
    y->rank = 3;
    y->dim[0] = (int)c, y->dim[1] = (int)h, y->dim[2] = (int)w;
    return EBB_OK;
}

static ebb_status shuffle_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const size_t size = (size_t)((const blocks *)st)->size, pixels = ebb_size_mul(size, size);
    const ebb_desc *x = &in->in[0];
    EBB_TRY(check_rank(x, e));
    if ((size_t)x->dim[0] % pixels)
        return ebb_fail(e, EBB_E_SHAPE, "%d channels do not make blocks of %dx%d pixels", x->dim[0],
                        (int)size, (int)size);
    return set_size(&out[0], x, (size_t)x->dim[0] / pixels, ebb_size_mul((size_t)x->dim[1], size),
                    ebb_size_mul((size_t)x->dim[2], size), e);
}

static ebb_status reorg_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const size_t size = (size_t)((const blocks *)st)->size, pixels = ebb_size_mul(size, size);
    const ebb_desc *x = &in->in[0];
    EBB_TRY(check_rank(x, e));
    return set_size(&out[0], x, ebb_size_mul((size_t)x->dim[0], pixels), (size_t)x->dim[1] / size,
                    (size_t)x->dim[2] / size, e);
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)st, (void)e;
    plan->in[0] = (ebb_plan_input){.orders = EBB_ANY_ORDER, .dtypes = EBB_BIT(in->out[0].dtype)};
    return EBB_OK;
}

static int ceil_div(int a, int b) { return a < 0 ? 0 : a / b + (a % b != 0); }

// Place (y, x) of all blocks in rows [from, to) of blocks: in the blob whose pixels they are, and in the one
// whose channels they are.
static ebb_desc in_pixels(const blocks *p, const ebb_desc *d, const ebb_desc *channels, int y, int x,
                          int from, int to, ptrdiff_t *at)
{
    *at = ((ptrdiff_t)from * p->size + y) * d->stride[1] + x * d->stride[2];
    return (ebb_desc){d->dtype, 3, {d->dim[0], to - from, channels->dim[2]},
                      {d->stride[0], d->stride[1] * p->size, d->stride[2] * p->size}};
}

static ebb_desc in_channels(const blocks *p, const ebb_desc *d, int count, int y, int x, int from, int to,
                            ptrdiff_t *at)
{
    const ptrdiff_t place = y * p->size + x, first = p->mode ? place * count : place;
    *at = first * d->stride[0] + from * d->stride[1];
    return (ebb_desc){d->dtype, 3, {count, to - from, d->dim[2]},
                      {d->stride[0] * (p->mode ? 1 : p->size * p->size), d->stride[1], d->stride[2]}};
}

static ebb_status cpu(const blocks *p, const ebb_cpu *c, const ebb_blob *in, ebb_blob *out, bool shuffle)
{
    const ebb_desc *pixels = ebb_blob_desc(shuffle ? out : in), *channels = ebb_blob_desc(shuffle ? in : out);
    if (ebb_desc_count(pixels) == 0 || ebb_desc_count(channels) == 0)
        return EBB_OK;  // however large the blocks
    const ptrdiff_t cell = (ptrdiff_t)ebb_dtype_bytes(pixels->dtype);
    for (int y = 0; y < p->size; y++)
        for (int x = 0; x < p->size; x++) {
            const int from = shuffle ? ceil_div(c->y0 - y, p->size) : c->y0;
            const int to = shuffle ? ceil_div(c->y1 - y, p->size) : c->y1;
            ptrdiff_t a, b;
            const ebb_desc da = in_pixels(p, pixels, channels, y, x, from, to, &a);
            const ebb_desc db = in_channels(p, channels, pixels->dim[0], y, x, from, to, &b);
            char *to_data = ebb_blob_data(out), *from_data = ebb_blob_data(in);
            if (shuffle) ebb_copy(c, &da, to_data + a * cell, &db, from_data + b * cell);
            else ebb_copy(c, &db, to_data + b * cell, &da, from_data + a * cell);
        }
    return EBB_OK;
}

static ebb_status shuffle_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in,
                              ebb_blob *const *out, ebb_error *e)
{
    (void)e;
    return cpu(st, c, in[0], out[0], true);
}

static ebb_status reorg_cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                            ebb_error *e)
{
    (void)e;
    return cpu(st, c, in[0], out[0], false);
}

const ebb_layer_type ebb_layer_pixelshuffle = {
    .size = sizeof(ebb_layer_type), .name = "PixelShuffle", .doc = "channels become blocks of pixels",
    .reads = EBB_PIXEL, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(blocks),
    .params = shuffle_params, .shape = shuffle_shape, .plan = plan, .cpu = shuffle_cpu,
};

const ebb_layer_type ebb_layer_reorg = {
    .size = sizeof(ebb_layer_type), .name = "Reorg", .doc = "blocks of pixels become channels",
    .reads = EBB_PIXEL, .in_min = 1, .in_max = 1, .out_min = 1, .out_max = 1,
    .state_size = sizeof(blocks),
    .params = reorg_params, .shape = reorg_shape, .plan = plan, .cpu = reorg_cpu,
};
