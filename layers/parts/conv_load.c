// SPDX-License-Identifier: BSD-3-Clause
// conv_load.c - weights of convolutions, from the file or from inputs, packed as their way reads them. Rule:
// packed once where sizes are known at load; otherwise in scratch, for one run.
#include "conv_way.h"

typedef struct source {
    ebb_weights weights, bias, scales, in_scale, out_scale;
} source;

static ebb_status read(const ebb_conv *c, const ebb_load *l, source *s, ebb_error *e)
{
    EBB_TRY(ebb_load_weights(l, (size_t)c->weight_data_size, EBB_TAGGED, &s->weights, e));
    if (c->bias_term) EBB_TRY(ebb_load_weights(l, (size_t)c->num_output, EBB_RAW, &s->bias, e));
    if (c->int8_scale_term) {
        const int n = !c->grouped ? c->num_output : c->int8_scale_term % 100 == 1 ? c->group : 1;
        EBB_TRY(ebb_load_weights(l, (size_t)n, EBB_RAW, &s->scales, e));
        EBB_TRY(ebb_load_weights(l, 1, EBB_RAW, &s->in_scale, e));
        if (c->int8_scale_term > 100) EBB_TRY(ebb_load_weights(l, 1, EBB_RAW, &s->out_scale, e));
    } else if (s->weights.dtype == EBB_I8) {
        return ebb_fail(e, EBB_E_FORMAT,
                        "the weights are 8-bit, but int8_scale_term is 0: there are no scales");
    }
    return EBB_OK;
}

static const ebb_conv_way *const ways[] = {&ebb_conv_depthwise, &ebb_conv_gemm};  // the last takes all

void ebb_conv_size_weights(ebb_conv_weights *w, int group, int ic, int oc, int taps)
{
    w->group = group;
    w->ic = ic;
    w->oc = oc;
    w->taps = taps;
    w->group_bytes = ebb_gemm_bytes(w->dtype, oc, taps, ic);
    size_t i = 0;
    while (!ways[i]->takes(w)) i++;
    w->way = ways[i];
}

// From the scale of the weights of each output to the factor that takes a sum of 8-bit products back.
static void scales_to_factors(float *scale, int n, float in)
{
    for (int i = 0; i < n; i++) scale[i] = scale[i] == 0.f || in == 0.f ? 0.f : 1.f / (in * scale[i]);
}

// ncnn takes the channels of a grouped 1-D convolution from the input, and files are about whose weights are
// followed by others that nobody reads, as many as if the kernel stood there twice. Then only the input
// tells.
static bool is_ambiguous(const ebb_conv *c, int ic)
{
    return c->spatial == 1 && c->grouped && !c->transposed && c->axis[2].kernel > 1 &&
           ic % c->axis[2].kernel == 0;
}

static ebb_conv_from file_layout(const ebb_weights *from, const ebb_conv_weights *w)
{
    ebb_conv_from l = {{from->dtype, from->data, (ptrdiff_t)w->ic * w->taps, 1, w->taps, NULL, NULL}, 0};
    l.group = l.from.column * w->oc;
    return l;
}

// Sizes and dtype of the packed weights.
static ebb_status size_up(ebb_conv *c, const source *s, bool int8, ebb_error *e)
{
    const int n = c->num_output, taps = ebb_conv_taps(c),
              ic = (int)(c->weight_data_size / ((int64_t)n * taps));
    c->weights.dtype = int8 ? EBB_I8 : s->weights.dtype;
    ebb_conv_size_weights(&c->weights, c->group, ic, n / c->group, taps);
    if (int8 && (int64_t)taps * ic > INT32_MAX / (127 * 127))
        return ebb_fail(e, EBB_E_UNSUPPORTED, "sums of %lld 8-bit products may leave 32 bits",
                        (long long)taps * ic);
    return EBB_OK;
}

// Packs into `to`; scale: room for one of each output, for 8 bits.
static void pack_now(ebb_conv *c, const ebb_load *l, const source *s, void *to, float *scale)
{
    ebb_conv_weights *w = &c->weights;
    const size_t n = (size_t)c->num_output;
    const bool int8 = w->dtype == EBB_I8;
    ebb_conv_from from = file_layout(&s->weights, w);
    for (size_t i = 0; int8 && i < n; i++) scale[i] = ebb_weight_f32(&s->scales, i * s->scales.n / n);
    if (int8 && s->weights.dtype != EBB_I8) from.from.scale = scale;
    for (int u = 0; u < w->way->units(w, l->k); u++) w->way->pack(w, l->k, &from, to, u);
    w->b = to;
    if (!int8) return;
    w->in_scale = ebb_weight_f32(&s->in_scale, 0);
    scales_to_factors(scale, c->num_output, w->in_scale);
    w->scale = scale;
    w->narrow = c->int8_scale_term > 100;
    if (w->narrow) w->narrow_scale = ebb_weight_f32(&s->out_scale, 0);
}

ebb_status ebb_conv_load(void *st, const ebb_load *l, ebb_error *e)
{
    ebb_conv *c = st;
    if (c->dynamic_weight) return EBB_OK;
    source s = {0};
    EBB_TRY(read(c, l, &s, e));
    const bool int8 = s.weights.dtype == EBB_I8 || (c->int8_scale_term && !(l->features & EBB_NO_INT8));
    EBB_TRY(size_up(c, &s, int8, e));
    ebb_conv_weights *w = &c->weights;
    const bool keep = is_ambiguous(c, w->ic) || l->device != EBB_DEVICE_CPU;
    const size_t packed = keep ? 0 : w->way->packed(w, l->k), rows = (c->bias_term != 0) + int8,
                 row = ebb_size_mul((size_t)c->num_output, sizeof(float));
    void *to;
    EBB_TRY(ebb_load_alloc(l, ebb_size_add(packed, ebb_size_mul(rows, row)), &to, e));
    float *bias = (float *)((char *)to + packed), *scale = c->bias_term ? bias + c->num_output : bias;
    if (c->bias_term) {
        ebb_weights_to_f32(&s.bias, bias);
        w->bias = bias;
    }
    if (!keep) {
        pack_now(c, l, &s, to, scale);
        return EBB_OK;
    }
    c->raw = s.weights;
    return ebb_load_keep(l, &c->raw, e);
}

// ------------------------------------------------------------------------------------------- weights as
// inputs

size_t ebb_conv_late_bytes(const ebb_conv *c, const ebb_conv_weights *w, const ebb_kernels *k)
{
    if (w->b) return 0;
    const size_t packed = w->way->packed(w, k);
    if (!c->dynamic_weight) return packed;
    const size_t taps = ebb_size_mul((size_t)w->taps, sizeof(ptrdiff_t));
    const size_t bias = ebb_size_mul(ebb_size_mul((size_t)w->group, (size_t)w->oc), sizeof(float));
    return ebb_size_add(packed, ebb_size_add(taps, bias));
}

typedef struct packing {
    const ebb_conv_weights *w;
    const ebb_kernels *k;
    ebb_conv_from from;
    char *to;
} packing;

static void pack_item(void *ctx, size_t i, int worker)
{
    (void)worker;
    const packing *p = ctx;
    p->w->way->pack(p->w, p->k, &p->from, p->to, (int)i);
}

static ptrdiff_t element(const ebb_desc *d, int i)
{
    ptrdiff_t at = 0;
    for (int axis = d->rank - 1; axis >= 0; axis--) {
        at += i % d->dim[axis] * d->stride[axis];
        i /= d->dim[axis];
    }
    return at;
}

// An input as weights. tap: room for where each tap begins.
static ebb_conv_from input_layout(const ebb_conv *c, const ebb_conv_weights *w, const ebb_blob *in,
                                  ptrdiff_t *tap)
{
    const ebb_desc *d = ebb_blob_desc(in);
    ptrdiff_t step[3] = {0}, size[3] = {1, 1, 1};
    for (int i = 0; i < c->spatial; i++) {
        step[3 - c->spatial + i] = d->stride[2 + i];
        size[3 - c->spatial + i] = d->dim[2 + i];
    }
    for (int t = 0; t < w->taps; t++)
        tap[t] = t / size[2] / size[1] * step[0] + t / size[2] % size[1] * step[1] + t % size[2] * step[2];
    const ptrdiff_t column = d->stride[c->transposed], product = d->stride[!c->transposed];
    return (ebb_conv_from){{EBB_F32, ebb_blob_data(in), column, 0, product, tap, NULL},
                           (c->transposed ? w->ic : w->oc) * d->stride[0]};
}

void ebb_conv_pack_late(const ebb_conv *c, ebb_conv_weights *w, const ebb_cpu *cpu, const ebb_blob *const *in,
                        void *to)
{
    ptrdiff_t *tap = (ptrdiff_t *)((char *)to + w->way->packed(w, cpu->k));
    packing p = {w, cpu->k, c->dynamic_weight ? input_layout(c, w, in[1], tap) : file_layout(&c->raw, w), to};
    ebb_parallel(cpu, (size_t)w->way->units(w, cpu->k), pack_item, &p);
    w->b = to;
    if (!c->dynamic_weight || !c->bias_term) return;
    float *bias = (float *)(tap + w->taps);
    for (int i = 0; i < w->group * w->oc; i++) bias[i] = ebb_f32(in[2])[element(&cpu->in[2], i)];
    w->bias = bias;
}
