// SPDX-License-Identifier: BSD-3-Clause
// conv_depthwise.c - a convolution whose groups have one channel in and out. Rule: a row of weights for each
// tap, all channels side by side, as pixels lie.
#include "conv_way.h"

static bool takes(const ebb_conv_weights *w) { return w->ic == 1 && w->oc == 1; }

static size_t packed(const ebb_conv_weights *w, const ebb_kernels *k)
{
    const size_t row = ebb_size_mul((size_t)w->group, ebb_dtype_bytes(w->dtype));
    const size_t n = ebb_size_add(ebb_size_mul(row, (size_t)w->taps), ebb_gemm_slack(k, w->dtype));
    return ebb_size_mul(ebb_size_add(n, 63) / 64, 64);
}

static int units(const ebb_conv_weights *w, const ebb_kernels *k)
{
    (void)w, (void)k;
    return 1;
}

static void pack(const ebb_conv_weights *w, const ebb_kernels *k, const ebb_conv_from *from, char *to,
                 int unit)
{
    (void)k, (void)unit;
    ebb_gemm_from f = from->from;
    const size_t row = ebb_size_mul((size_t)w->group, ebb_dtype_bytes(w->dtype));
    f.column = from->group;
    for (int t = 0; t < w->taps; t++) ebb_gemm_pack_row(w->dtype, to + (size_t)t * row, w->group, t, &f);
}

static void multiply(const ebb_conv_job *j, const ebb_conv_block *b, struct ebb_gemm *g, int from, int to)
{
    (void)from, (void)to;
    const ebb_conv_weights *w = &j->w;
    const ebb_axis *x = &j->axis[2];
    if (x->stride == 1 && x->dilation == 1 && (x->kernel == 3 || x->kernel == 5) && !j->tap) {
        g->slide = x->kernel;
        g->run = b->region.x1 - b->region.x0;
        g->run0 = g->run - (int)(b->first % g->run);
    }
    g->n = w->group;
    g->b = w->b;
    g->bias = w->bias;
    g->scale = w->scale;
    if (w->dtype == EBB_F32)
        j->k->depthwise_f32(g);
    else if (w->dtype == EBB_F16)
        j->k->depthwise_f16(g);
    else
        j->k->depthwise_i8(g);
}

const ebb_conv_way ebb_conv_depthwise = {
    .name = "depthwise",
    .by_channel = true,
    .takes = takes,
    .packed = packed,
    .units = units,
    .pack = pack,
    .multiply = multiply,
};
