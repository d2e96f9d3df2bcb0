// SPDX-License-Identifier: BSD-3-Clause
// conv_gemm.c - a convolution as a product: rows of pixels, found through pointers, times packed panels of
// weights for each group. Rule: a panel is multiplied by itself, so that few pixels can still be shared out.
#include "conv_way.h"
#include <string.h>

static bool takes(const ebb_conv_weights *w)
{
    (void)w;
    return true;
}

static size_t packed(const ebb_conv_weights *w, const ebb_kernels *k)
{
    const size_t n = ebb_size_mul(w->group_bytes, (size_t)w->group);
    return ebb_size_mul(ebb_size_add(ebb_size_add(n, ebb_gemm_slack(k, w->dtype)), 63) / 64, 64);
}

static int units(const ebb_conv_weights *w, const ebb_kernels *k)
{
    return w->group * ebb_gemm_panels(k, w->oc);
}

static void pack(const ebb_conv_weights *w, const ebb_kernels *k, const ebb_conv_from *from, char *to,
                 int unit)
{
    ebb_gemm_from f = from->from;
    const int panels = ebb_gemm_panels(k, w->oc), g = unit / panels, p = unit % panels;
    f.data = (const char *)f.data + g * from->group * (ptrdiff_t)ebb_dtype_bytes(f.dtype);
    if (f.scale) f.scale += (size_t)g * (size_t)w->oc;
    ebb_gemm_pack(k, w->dtype, to + (size_t)g * w->group_bytes, w->oc, w->taps, w->ic, &f, p, p + 1);
    if (unit + 1 == units(w, k))  // kernels read whole vectors, beyond the last column too
        memset(to + (size_t)w->group * w->group_bytes, 0, ebb_gemm_slack(k, w->dtype));
}

// Panels of one group.
static void multiply_group(const ebb_conv_job *j, struct ebb_gemm *g, int group, int panel0, int panel1)
{
    const ebb_conv_weights *w = &j->w;
    g->n = w->oc;
    g->panel0 = panel0;
    g->panel1 = panel1;
    g->a_offset = (ptrdiff_t)group * w->ic;
    g->c_offset = (ptrdiff_t)group * w->oc;
    g->b = (const char *)w->b + (size_t)group * w->group_bytes;
    g->bias = w->bias ? w->bias + g->c_offset : NULL;
    g->scale = w->scale ? w->scale + g->c_offset : NULL;
    ebb_gemm_run(j->k, w->dtype, g);
}

static void multiply(const ebb_conv_job *j, const ebb_conv_block *b, struct ebb_gemm *g, int from, int to)
{
    (void)b;
    const int panels = ebb_gemm_panels(j->k, j->w.oc);
    while (from < to) {
        const int group = from / panels, end = (group + 1) * panels, stop = end < to ? end : to;
        multiply_group(j, g, group, from - group * panels, stop - group * panels);
        from = stop;
    }
}

const ebb_conv_way ebb_conv_gemm = {
    .name = "indirect gemm",
    .takes = takes,
    .packed = packed,
    .units = units,
    .pack = pack,
    .multiply = multiply,
};
