// SPDX-License-Identifier: BSD-3-Clause
// deformableconv2d.c - DeformableConv2D: a convolution whose taps are moved by a second input, and weighed by a third.
// Rule: what a block of pixels reads is blended into rows, and a product does the rest.
#include "parts/conv.h"
#include <math.h>
#include <string.h>

static const ebb_param params[] = {
    EBB_CONV_COMMON, EBB_CONV_HEIGHT, {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    const ebb_init one = {.n_in = 1, .n_out = 1, .ctx = in->ctx};  // the others are none of conv.c's
    return ebb_conv_init(st, &one, 2, e);
}

static ebb_status check_map(const ebb_desc *d, const ebb_conv_case *k, int channels, const char *what,
                            ebb_error *e)
{
    if (d->rank == 3 && d->dim[0] == channels && d->dim[1] == k->axis[1].out && d->dim[2] == k->axis[2].out)
        return EBB_OK;
    return ebb_fail(e, EBB_E_SHAPE, "the %s have shape %s, %dx%dx%d is needed", what,
                    EBB_SHAPE(d), channels, k->axis[1].out, k->axis[2].out);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    ebb_conv_case k;
    EBB_TRY(ebb_conv_resolve(st, in->in, &k, e));
    if (in->in[0].rank != 3)
        return ebb_fail(e, EBB_E_SHAPE, "the input has rank %d, 3 is needed", in->in[0].rank);
    if (k.w.taps > INT32_MAX / 2)
        return ebb_fail(e, EBB_E_SHAPE, "a kernel of %d taps is too large", k.w.taps);
    EBB_TRY(check_map(&in->in[1], &k, 2 * k.w.taps, "offsets", e));
    if (in->n_in > 2) EBB_TRY(check_map(&in->in[2], &k, k.w.taps, "masks", e));
    return ebb_conv_shape(st, in, out, e);
}

enum { PIXELS = 96, ROW_BYTES = 256 << 10 };  // in a block, at most

static size_t align(size_t n) { return ebb_size_mul(ebb_size_add(n, 63) / 64, 64); }

static size_t block_bytes(const ebb_conv_case *k, int pixels)
{
    const size_t row = ebb_size_mul(ebb_size_mul((size_t)k->w.taps, (size_t)k->ic), sizeof(float));
    return ebb_size_add(align(ebb_size_mul((size_t)pixels, 2 * sizeof(void *))),
                        ebb_size_mul(row, (size_t)pixels));
}

static int fit(const ebb_conv_case *k, int pixels, size_t bytes)
{
    while (pixels > 1 && block_bytes(k, pixels) > bytes) pixels--;
    return pixels;
}

static int ideal(const ebb_conv_case *k, const ebb_kernels *kernels)
{
    const int pixels = fit(k, PIXELS, ROW_BYTES);
    return pixels < kernels->gemm_rows ? kernels->gemm_rows : pixels;
}

typedef struct job {
    const ebb_cpu *cpu;
    ebb_conv_case k;
    ebb_activation act;
    const float *x, *offset, *mask, *zeros;  // mask: NULL for none
    const ebb_desc *dx, *doffset, *dmask, *dy;
    float *y;
    int y0, y1, pixels;
    size_t all;                              // pixels of these rows
} job;

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    job *j = plan->work;
    EBB_TRY(ebb_conv_resolve(st, in->in, &j->k, e));
    for (int i = 1; i < in->n_in; i++) plan->in[i].orders = EBB_ANY_ORDER;
    plan->scratch = align(ebb_size_mul((size_t)j->k.ic, sizeof(float)));
    const size_t left = in->memory_limit > plan->scratch ? in->memory_limit - plan->scratch : 0;
    j->pixels = fit(&j->k, ideal(&j->k, in->k), left / (size_t)in->threads);
    plan->worker_scratch = block_bytes(&j->k, j->pixels);
    plan->macs = ebb_conv_macs(&j->k, false);
    plan->algorithm = "sampled gemm";
    return EBB_OK;
}

static float at(const float *p, const ebb_desc *d, int c, int y, int x)
{
    return p[c * d->stride[0] + y * d->stride[1] + x * d->stride[2]];
}

// Blends the four pixels around (y, x); what lies outside is 0.
static void blend(const job *j, float *to, float y, float x, float mask)
{
    const int h = j->dx->dim[1], w = j->dx->dim[2];
    const float *corner[4] = {j->zeros, j->zeros, j->zeros, j->zeros};
    float factor[4] = {0};
    if (y > -1.f && x > -1.f && y < (float)h && x < (float)w) {
        const int y0 = (int)floorf(y), x0 = (int)floorf(x);
        const float fy = y - (float)y0, fx = x - (float)x0;
        for (int i = 0; i < 4; i++) {
            const int cy = y0 + i / 2, cx = x0 + i % 2;
            if (cy < 0 || cy >= h || cx < 0 || cx >= w) continue;
            corner[i] = j->x + cy * j->dx->stride[1] + cx * j->dx->stride[2];
            factor[i] = (i / 2 ? fy : 1.f - fy) * (i % 2 ? fx : 1.f - fx) * mask;
        }
    }
    j->cpu->k->weighted_sum_f32(to, corner, factor, 4, 0, (size_t)j->k.ic);
}

static void sample(const job *j, float *to, int oy, int ox)
{
    const ebb_axis *v = &j->k.axis[1], *u = &j->k.axis[2];
    for (int t = 0; t < j->k.w.taps; t++, to += j->k.ic) {
        const float y = (float)(oy * v->stride - v->before + t / u->kernel * v->dilation);
        const float x = (float)(ox * u->stride - u->before + t % u->kernel * u->dilation);
        const float mask = j->mask ? at(j->mask, j->dmask, t, oy, ox) : 1.f;
        blend(j, to, y + at(j->offset, j->doffset, 2 * t, oy, ox),
              x + at(j->offset, j->doffset, 2 * t + 1, oy, ox), mask);
    }
}

static void item(void *ctx, size_t i, int worker)
{
    const job *j = ctx;
    const ebb_conv_weights *w = &j->k.w;
    const size_t width = (size_t)j->k.axis[2].out, first = i * (size_t)j->pixels;  // fits: below `all`
    const size_t left = j->all - first;
    const int n = left < (size_t)j->pixels ? (int)left : j->pixels, products = w->taps * j->k.ic;
    const void **from = ebb_worker_scratch(j->cpu, worker);
    void **to = (void **)(from + j->pixels);
    float *rows =
        (float *)((char *)from + align(2 * (size_t)j->pixels * sizeof(void *)));  // fits: as planned
    for (int p = 0; p < n; p++) {
        const size_t pixel = first + (size_t)p;
        const int oy = j->y0 + (int)(pixel / width), ox = (int)(pixel % width);
        from[p] = rows + (size_t)p * (size_t)products;
        to[p] = j->y + oy * j->dy->stride[1] + ox * j->dy->stride[2];
        sample(j, rows + (size_t)p * (size_t)products, oy, ox);
    }
    const struct ebb_gemm g = {.a = from,
                               .a_row = n,
                               .a_step = 1,
                               .taps = 1,
                               .k = products,
                               .m = n,
                               .n = w->oc,
                               .b_taps = 1,
                               .b = w->b,
                               .panel1 = ebb_gemm_panels(j->cpu->k, w->oc),
                               .c = to,
                               .bias = w->bias,
                               .act = j->act.type,
                               .act_a = j->act.a,
                               .act_b = j->act.b};
    ebb_gemm_run(j->cpu->k, w->dtype, &g);
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    job j = *(const job *)c->work;
    j.cpu = c;
    j.act = ((const ebb_conv *)st)->act;
    j.x = ebb_f32(in[0]), j.offset = ebb_f32(in[1]), j.mask = c->n_in > 2 ? ebb_f32(in[2]) : NULL;
    j.dx = &c->in[0], j.doffset = &c->in[1], j.dmask = &c->in[2];
    j.y = ebb_f32(out[0]), j.dy = &c->out[0];
    j.y0 = c->y0, j.y1 = c->y1;
    j.zeros = memset(c->scratch, 0, (size_t)j.k.ic * sizeof(float));
    j.all = ebb_size_mul((size_t)(j.y1 - j.y0), (size_t)j.k.axis[2].out);
    ebb_parallel(c, (j.all + (size_t)j.pixels - 1) / (size_t)j.pixels, item, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_deformableconv2d = {
    .size = sizeof(ebb_layer_type),
    .name = "DeformableConv2D",
    .reads = EBB_PIXEL,
    .doc = "a convolution whose taps are moved by offsets and weighed by masks",
    .in_min = 2,
    .in_max = 3,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(ebb_conv),
    .work_size = sizeof(job),
    .params = params,
    .init = init,
    .load = ebb_conv_load,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
