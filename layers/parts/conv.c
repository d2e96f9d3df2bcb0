// SPDX-License-Identifier: BSD-3-Clause
// conv.c - parameters, weights and shapes of all convolutions. Rule: what the parameters promise is checked against
// what the file and the inputs bring, before anything is computed.
#include "conv.h"
#include <limits.h>

static const char *const axis_names[3] = {"depth", "height", "width"};

static int taps_of(const ebb_conv *c)
{
    const int64_t n = (int64_t)c->axis[1].kernel * c->axis[2].kernel;
    if (n > INT_MAX || n * c->axis[0].kernel > INT_MAX) return 0;
    return (int)n * c->axis[0].kernel;
}

static bool is_same(int pad) { return pad == EBB_PAD_SAME_UPPER || pad == EBB_PAD_SAME_LOWER; }

static ebb_status check_pads(const ebb_conv *c, ebb_error *e)
{
    const int first = c->axis[2].before;
    for (int i = 3 - c->spatial; i < 3; i++) {
        const ebb_axis_params *a = &c->axis[i];
        const bool fits =
            is_same(first) ? a->before == first && a->after == first : a->before >= 0 && a->after >= 0;
        if (!fits)
            return ebb_fail(e, EBB_E_PARAM,
                            "the padding of the %s is %d and %d: give sizes of at least 0, or -233 or -234 "
                            "for all of them",
                            axis_names[i], a->before, a->after);
    }
    return EBB_OK;
}

static ebb_status check_sizes(const ebb_conv *c, ebb_error *e)
{
    if (c->num_output < 1)
        return ebb_fail(e, EBB_E_PARAM, "num_output is %d, at least 1 is needed", c->num_output);
    if (c->num_output % c->group)
        return ebb_fail(e, EBB_E_PARAM, "num_output %d is not a multiple of group %d", c->num_output,
                        c->group);
    for (int i = 0; i < 3; i++)
        if (c->axis[i].kernel < 1)
            return ebb_fail(e, EBB_E_PARAM, "the kernel's %s is %d, at least 1 is needed", axis_names[i],
                            c->axis[i].kernel);
    const int64_t each = (int64_t)c->num_output * taps_of(c);
    if (each == 0 || c->weight_data_size < 1 || c->weight_data_size % each)
        return ebb_fail(e, EBB_E_PARAM,
                        "weight_data_size %d is not num_output %d times kernel %d x %d x %d times channels",
                        c->weight_data_size, c->num_output, c->axis[0].kernel, c->axis[1].kernel,
                        c->axis[2].kernel);
    if ((int64_t)(c->weight_data_size / each) * c->group > INT_MAX)
        return ebb_fail(e, EBB_E_PARAM, "group %d of %lld channels each is too much", c->group,
                        (long long)(c->weight_data_size / each));
    return EBB_OK;
}

static ebb_status check_int8(const ebb_conv *c, ebb_error *e)
{
    const int term = c->int8_scale_term, base = term > 100 ? term - 100 : term;
    if (term && c->dynamic_weight)
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "int8_scale_term %d needs weights from the file, not dynamic_weight", term);
    if (term < 0 || (c->grouped && term && base != 1 && base != 2))
        return ebb_fail(e, EBB_E_PARAM, "int8_scale_term is %d, known are 0, 1, 2, 101 and 102", term);
    return EBB_OK;
}

ebb_status ebb_conv_init(ebb_conv *c, const ebb_init *in, int spatial, ebb_error *e)
{
    c->spatial = spatial;
    if (!c->grouped) c->group = 1;  // there is no row for it
    for (int i = 0; i < 3 - spatial; i++)
        c->axis[i] = (ebb_axis_params){.kernel = 1, .dilation = 1, .stride = 1};
    bool sized = true;
    for (int i = 3 - spatial; i < 3; i++) sized &= c->axis[i].output > 0;
    for (int i = 0; i < 3 && !sized; i++) c->axis[i].output = 0;
    const int inputs = c->dynamic_weight ? 2 + (c->bias_term != 0) : 1;
    if (in->n_in != inputs)
        return ebb_fail(e, EBB_E_PARAM, "%d inputs are connected, dynamic_weight %d and bias_term %d need %d",
                        in->n_in, c->dynamic_weight, c->bias_term, inputs);
    if (c->group < 1) return ebb_fail(e, EBB_E_PARAM, "group is %d, at least 1 is needed", c->group);
    EBB_TRY(ebb_activation_init(&c->act, c->activation_type, c->activation_params, e));
    EBB_TRY(check_pads(c, e));
    EBB_TRY(check_int8(c, e));
    return c->dynamic_weight ? EBB_OK : check_sizes(c, e);
}

// ------------------------------------------------------------------------------------------- load

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

// How the weights lie in the file, or in an input: elements from group to group and so on.
typedef struct layout {
    ebb_gemm_from from;
    ptrdiff_t group;
} layout;

static size_t packed_bytes(const ebb_conv_weights *w, const ebb_kernels *k)
{
    const size_t each = ebb_dtype_bytes(w->dtype);
    const size_t n = w->depthwise ? ebb_size_mul(ebb_size_mul((size_t)w->group, (size_t)w->taps), each)
                                  : ebb_size_mul(w->group_bytes, (size_t)w->group);
    return ebb_size_mul(ebb_size_add(ebb_size_add(n, ebb_gemm_slack(k, w->dtype)), 63) / 64, 64);
}

// The units that can be packed, or multiplied, by themselves.
int ebb_conv_units(const ebb_conv_weights *w, const ebb_kernels *k)
{
    return w->depthwise ? 1 : w->group * ebb_gemm_panels(k, w->oc);
}

static void pack_unit(const ebb_conv_weights *w, const ebb_kernels *k, const layout *l, char *to, int unit)
{
    ebb_gemm_from f = l->from;
    if (w->depthwise) {
        f.column = l->group;
        for (int t = 0; t < w->taps; t++)
            ebb_gemm_pack_row(w->dtype, to + (size_t)t * (size_t)w->group * ebb_dtype_bytes(w->dtype),
                              w->group, t, &f);
        return;
    }
    const int panels = ebb_gemm_panels(k, w->oc), g = unit / panels, p = unit % panels;
    f.data = (const char *)f.data + g * l->group * (ptrdiff_t)ebb_dtype_bytes(f.dtype);
    if (f.scale) f.scale += (size_t)g * (size_t)w->oc;
    ebb_gemm_pack(k, w->dtype, to + (size_t)g * w->group_bytes, w->oc, w->taps, w->ic, &f, p, p + 1);
}

static void size_weights(ebb_conv_weights *w, int group, int ic, int oc, int taps)
{
    w->group = group;
    w->ic = ic;
    w->oc = oc;
    w->taps = taps;
    w->depthwise = ic == 1 && oc == 1;
    w->group_bytes = ebb_gemm_bytes(w->dtype, oc, taps, ic);
}

// From the scale of the weights of each output to the factor that takes a sum of 8-bit products back.
static void scales_to_factors(float *scale, int n, float in)
{
    for (int i = 0; i < n; i++) scale[i] = scale[i] == 0.f || in == 0.f ? 0.f : 1.f / (in * scale[i]);
}

// ncnn takes the channels of a grouped 1-D convolution from the input, and files are about whose weights are followed
// by others that nobody reads, as many as if the kernel stood there twice. Then only the input tells.
static bool is_ambiguous(const ebb_conv *c, int ic)
{
    return c->spatial == 1 && c->grouped && !c->transposed && c->axis[2].kernel > 1 &&
           ic % c->axis[2].kernel == 0;
}

bool ebb_conv_is_pointwise(const ebb_conv *c)
{
    bool every = true;
    for (int i = 1; i < 3; i++)
        every &= c->axis[i].kernel == 1 && c->axis[i].stride == 1 && c->axis[i].before <= 0 &&
                 c->axis[i].after <= 0;  // below 0: "same", which is nothing here
    return every && c->spatial == 2 && !c->transposed && !c->grouped && !c->dynamic_weight &&
           !c->int8_scale_term;
}

static layout file_layout(const ebb_weights *from, const ebb_conv_weights *w)
{
    layout l = {{from->dtype, from->data, (ptrdiff_t)w->ic * w->taps, 1, w->taps, NULL, NULL}, 0};
    l.group = l.from.column * w->oc;
    return l;
}

ebb_status ebb_conv_load(void *st, const ebb_load *l, ebb_error *e)
{
    ebb_conv *c = st;
    if (c->dynamic_weight) return EBB_OK;
    source s = {0};
    EBB_TRY(read(c, l, &s, e));
    ebb_conv_weights *w = &c->weights;
    const bool int8 = s.weights.dtype == EBB_I8 || (c->int8_scale_term && !(l->features & EBB_NO_INT8));
    const int n = c->num_output, taps = taps_of(c), ic = (int)(c->weight_data_size / ((int64_t)n * taps));
    w->dtype = int8 ? EBB_I8 : s.weights.dtype;
    size_weights(w, c->group, ic, n / c->group, taps);
    if (int8 && (int64_t)taps * ic > INT32_MAX / (127 * 127))
        return ebb_fail(e, EBB_E_UNSUPPORTED, "sums of %lld 8-bit products may leave 32 bits",
                        (long long)taps * ic);
    const bool keep = is_ambiguous(c, ic) || (l->device != EBB_DEVICE_CPU && ebb_conv_is_pointwise(c));
    const size_t packed = keep ? 0 : packed_bytes(w, l->k), rows = (c->bias_term != 0) + int8;
    void *to;
    EBB_TRY(ebb_load_alloc(l, ebb_size_add(packed, ebb_size_mul(rows, (size_t)n * sizeof(float))), &to, e));
    float *at = (float *)((char *)to + packed);
    if (c->bias_term) {
        ebb_weights_to_f32(&s.bias, at);
        w->bias = at;
        at += n;
    }
    if (keep) {
        c->raw = s.weights;
        return ebb_load_keep(l, &c->raw, e);
    }
    layout from = file_layout(&s.weights, w);
    if (int8) {
        for (int i = 0; i < n; i++) at[i] = ebb_weight_f32(&s.scales, (size_t)i * s.scales.n / (size_t)n);
        if (s.weights.dtype != EBB_I8) from.from.scale = at;
    }
    for (int u = 0; u < ebb_conv_units(w, l->k); u++) pack_unit(w, l->k, &from, to, u);
    w->b = to;
    if (int8) {
        w->in_scale = ebb_weight_f32(&s.in_scale, 0);
        scales_to_factors(at, n, w->in_scale);
        w->scale = at;
        w->narrow = c->int8_scale_term > 100;
        if (w->narrow) w->narrow_scale = ebb_weight_f32(&s.out_scale, 0);
    }
    return EBB_OK;
}

// ------------------------------------------------------------------------------------------- weights as inputs

// Weights come as {out, in of a group, [depth,] [height,] width}; transposed: {in, out of a group, …}.
static ebb_status resolve_dynamic(const ebb_conv *c, const ebb_desc *in, int ic, ebb_axis_params axis[3],
                                  ebb_conv_weights *w, ebb_error *e)
{
    char text[64];
    const ebb_desc *d = &in[1];
    if (d->rank != c->spatial + 2)
        return ebb_fail(e, EBB_E_SHAPE, "the weights have shape %s, rank %d is needed",
                        ebb_desc_text(d, text, sizeof text), c->spatial + 2);
    int taps = 1;
    for (int i = 0; i < c->spatial; i++) {
        axis[3 - c->spatial + i].kernel = d->dim[2 + i];
        if (d->dim[2 + i] < 1 || taps > INT_MAX / d->dim[2 + i])
            return ebb_fail(e, EBB_E_SHAPE, "the weights have shape %s: no kernel",
                            ebb_desc_text(d, text, sizeof text));
        taps *= d->dim[2 + i];
    }
    const int oc = c->transposed ? d->dim[1] : d->dim[0] / c->group;
    const bool fits = c->transposed
                          ? d->dim[0] == ic && ic % c->group == 0 && oc <= INT_MAX / c->group
                          : d->dim[0] % c->group == 0 && ic % c->group == 0 && d->dim[1] == ic / c->group;
    if (!fits || oc < 1)
        return ebb_fail(e, EBB_E_SHAPE, "weights of shape %s do not fit %d channels in %d groups",
                        ebb_desc_text(d, text, sizeof text), ic, c->group);
    if (c->bias_term && ebb_desc_count(&in[2]) != (size_t)oc * (size_t)c->group)
        return ebb_fail(e, EBB_E_SHAPE, "the bias has shape %s, %d values are needed",
                        ebb_desc_text(&in[2], text, sizeof text), oc * c->group);
    w->dtype = EBB_F32;
    size_weights(w, c->group, ic / c->group, oc, taps);
    return EBB_OK;
}

size_t ebb_conv_dynamic_bytes(const ebb_conv *c, const ebb_conv_case *k, const ebb_kernels *kernels)
{
    if (k->w.b) return 0;
    if (!c->dynamic_weight) return packed_bytes(&k->w, kernels);
    const size_t taps = (size_t)k->w.taps * sizeof(ptrdiff_t), bias = (size_t)k->oc * sizeof(float);
    return ebb_size_add(packed_bytes(&k->w, kernels), ebb_size_add(taps, bias));
}

typedef struct packing {
    const ebb_conv_weights *w;
    const ebb_kernels *k;
    layout from;
    char *to;
} packing;

static void pack_item(void *ctx, size_t i, int worker)
{
    (void)worker;
    const packing *p = ctx;
    pack_unit(p->w, p->k, &p->from, p->to, i);
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
static layout input_layout(const ebb_conv *c, const ebb_conv_weights *w, const ebb_blob *in, ptrdiff_t *tap)
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
    return (layout){{EBB_F32, ebb_blob_data(in), column, 0, product, tap, NULL},
                    (c->transposed ? w->ic : w->oc) * d->stride[0]};
}

void ebb_conv_pack_dynamic(const ebb_conv *c, ebb_conv_case *k, const ebb_cpu *cpu, const ebb_blob *const *in,
                           void *to)
{
    ebb_conv_weights *w = &k->w;
    ptrdiff_t *tap = (ptrdiff_t *)((char *)to + packed_bytes(w, cpu->k));
    packing p = {w, cpu->k, c->dynamic_weight ? input_layout(c, w, in[1], tap) : file_layout(&c->raw, w), to};
    ebb_parallel(cpu, ebb_conv_units(w, cpu->k), pack_item, &p);
    w->b = to;
    if (!c->dynamic_weight || !c->bias_term) return;
    float *bias = (float *)(tap + w->taps);
    for (int i = 0; i < k->oc; i++) bias[i] = ebb_f32(in[2])[element(ebb_blob_desc(in[2]), i)];
    w->bias = bias;
}

// ------------------------------------------------------------------------------------------- shapes

static void sizes_of(const ebb_desc *d, bool channels, int *c, int size[3])
{
    *c = channels ? d->dim[0] : 1;
    const int n = d->rank - channels;
    for (int i = 0; i < 3; i++) size[i] = 1;
    for (int i = 0; i < n; i++) size[3 - n + i] = d->dim[channels + i];
}

// A flattened blob under a 1 x 1 Convolution is one pixel.
static bool is_vector(const ebb_conv *c, const ebb_desc *d)
{
    return c->spatial == 2 && !c->transposed && !c->grouped && d->rank == 1 && !c->dynamic_weight &&
           c->weights.taps == 1 && d->dim[0] == c->weights.ic;
}

ebb_status ebb_conv_resolve(const ebb_conv *c, const ebb_desc *in, ebb_conv_case *k, ebb_error *e)
{
    char text[64];
    *k = (ebb_conv_case){.vector = is_vector(c, &in[0]), .w = c->weights};
    if (in[0].rank < 1 || in[0].rank > c->spatial + 1)
        return ebb_fail(e, EBB_E_SHAPE, "the input has shape %s: rank %d, at most %d fits",
                        ebb_desc_text(&in[0], text, sizeof text), in[0].rank, c->spatial + 1);
    int size[3];
    ebb_axis_params axis[3] = {c->axis[0], c->axis[1], c->axis[2]};
    sizes_of(&in[0], k->vector || in[0].rank == c->spatial + 1, &k->ic, size);
    const int kernel = c->axis[2].kernel;
    if (c->dynamic_weight) {
        EBB_TRY(resolve_dynamic(c, in, k->ic, axis, &k->w, e));
    } else if (c->raw.data && k->ic % k->w.group == 0 &&
               (int64_t)k->ic * kernel == (int64_t)k->w.group * k->w.ic) {
        size_weights(&k->w, k->w.group, k->w.ic / kernel, k->w.oc, k->w.taps);
    } else if (k->ic != k->w.group * k->w.ic) {
        return ebb_fail(e, EBB_E_SHAPE, "the input %s has %d channels, the weights are for %d",
                        ebb_desc_text(&in[0], text, sizeof text), k->ic, k->w.group * k->w.ic);
    }
    if (in[0].dtype == EBB_I8 && k->w.dtype != EBB_I8)
        return ebb_fail(e, EBB_E_SHAPE, "the input is 8-bit, but the weights are %s",
                        ebb_dtype_name(k->w.dtype));
    k->oc = k->w.group * k->w.oc;
    for (int i = 0; i < 3; i++) {
        if (k->vector || i < 3 - c->spatial)
            axis[i] = (ebb_axis_params){.kernel = 1, .dilation = 1, .stride = 1};
        EBB_TRY((c->transposed ? ebb_axis_deconv : ebb_axis_conv)(&k->axis[i], size[i], &axis[i],
                                                                  axis_names[i], e));
    }
    return EBB_OK;
}

ebb_status ebb_conv_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const ebb_conv *c = st;
    ebb_conv_case k;
    EBB_TRY(ebb_conv_resolve(c, in->in, &k, e));
    out[0].rank = k.vector ? 1 : c->spatial + 1;
    out[0].dim[0] = k.oc;
    for (int i = 1; i < out[0].rank; i++) out[0].dim[i] = k.axis[2 - c->spatial + i].out;
    if (k.w.narrow) out[0].dtype = EBB_I8;
    return EBB_OK;
}

// Multiply-adds: every output reads each tap, or, transposed, every input writes it.
double ebb_conv_macs(const ebb_conv_case *k, bool transposed)
{
    double n = (double)k->oc * k->w.ic * k->w.taps;
    for (int i = 0; i < 3; i++) n *= transposed ? k->axis[i].in : k->axis[i].out;
    return n;
}
