// SPDX-License-Identifier: BSD-3-Clause
// conv.c - parameters, weights and shapes of all convolutions. Rule: what the parameters promise is checked
// against what the file and the inputs bring, before anything is computed.
#include "conv_way.h"
#include "quant.h"
#include <limits.h>
#include <string.h>

static const char *const axis_names[3] = {"depth", "height", "width"};

int ebb_conv_taps(const ebb_conv *c)
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
    const int64_t each = (int64_t)c->num_output * ebb_conv_taps(c);
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

// ------------------------------------------------------------------------------------------- shapes

bool ebb_conv_is_pointwise(const ebb_conv *c)
{
    bool every = true;
    for (int i = 1; i < 3; i++)
        every &= c->axis[i].kernel == 1 && c->axis[i].stride == 1 && c->axis[i].before <= 0 &&
                 c->axis[i].after <= 0;  // below 0: "same", which is nothing here
    return every && c->spatial == 2 && !c->transposed && !c->grouped && !c->dynamic_weight &&
           !c->int8_scale_term;
}

// Weights come as {out, in of a group, [depth,] [height,] width}; transposed: {in, out of a group, …}.
static ebb_status resolve_dynamic(const ebb_conv *c, const ebb_desc *in, int ic, ebb_axis_params axis[3],
                                  ebb_conv_weights *w, ebb_error *e)
{
    const ebb_desc *d = &in[1];
    if (d->rank != c->spatial + 2)
        return ebb_fail(e, EBB_E_SHAPE, "the weights have shape %s, rank %d is needed",
                        EBB_SHAPE(d), c->spatial + 2);
    int taps = 1;
    for (int i = 0; i < c->spatial; i++) {
        axis[3 - c->spatial + i].kernel = d->dim[2 + i];
        if (d->dim[2 + i] < 1 || taps > INT_MAX / d->dim[2 + i])
            return ebb_fail(e, EBB_E_SHAPE, "the weights have shape %s: no kernel",
                            EBB_SHAPE(d));
        taps *= d->dim[2 + i];  // fits: just looked
    }
    const int oc = c->transposed ? d->dim[1] : d->dim[0] / c->group;
    const bool fits = c->transposed
                          ? d->dim[0] == ic && ic % c->group == 0 && oc <= INT_MAX / c->group
                          : d->dim[0] % c->group == 0 && ic % c->group == 0 && d->dim[1] == ic / c->group;
    if (!fits || oc < 1)
        return ebb_fail(e, EBB_E_SHAPE, "weights of shape %s do not fit %d channels in %d groups",
                        EBB_SHAPE(d), ic, c->group);
    if (c->bias_term && ebb_desc_count(&in[2]) != (size_t)oc * (size_t)c->group)
        return ebb_fail(e, EBB_E_SHAPE, "the bias has shape %s, %d values are needed",
                        EBB_SHAPE(&in[2]), oc * c->group);
    w->dtype = EBB_F32;
    ebb_conv_size_weights(w, c->group, ic / c->group, oc, taps);
    return EBB_OK;
}

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
    *k = (ebb_conv_case){.vector = is_vector(c, &in[0]), .w = c->weights};
    if (in[0].rank < 1 || in[0].rank > c->spatial + 1)
        return ebb_fail(e, EBB_E_SHAPE, "the input has shape %s: rank %d, at most %d fits",
                        EBB_SHAPE(&in[0]), in[0].rank, c->spatial + 1);
    int size[3];
    ebb_axis_params axis[3] = {c->axis[0], c->axis[1], c->axis[2]};
    sizes_of(&in[0], k->vector || in[0].rank == c->spatial + 1, &k->ic, size);
    const int kernel = c->axis[2].kernel;
    if (c->dynamic_weight) {
        EBB_TRY(resolve_dynamic(c, in, k->ic, axis, &k->w, e));
    } else if (c->raw.data && k->ic % k->w.group == 0 &&
               (int64_t)k->ic * kernel == (int64_t)k->w.group * k->w.ic) {
        ebb_conv_size_weights(&k->w, k->w.group, k->w.ic / kernel, k->w.oc, k->w.taps);
    } else if (k->ic != k->w.group * k->w.ic) {
        return ebb_fail(e, EBB_E_SHAPE, "the input %s has %d channels, the weights are for %d",
                        EBB_SHAPE(&in[0]), k->ic, k->w.group * k->w.ic);
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

// ------------------------------------------------------------------------------------------- plan and cpu

// Whether the input may be read one channel at a time.
static bool reads_planar(const ebb_conv *c, const ebb_conv_case *k)
{
    return k->ic <= 4 && !k->w.way->by_channel && k->w.group == 1 && !c->transposed;
}

// The order that the input will have: its own where that is accepted.
static unsigned order_read(const ebb_desc *d, bool planar)
{
    const unsigned accepted = EBB_PIXEL | (planar ? EBB_PLANAR : 0), own = ebb_desc_order(d) & accepted;
    return own ? own : planar ? EBB_PLANAR : EBB_PIXEL;
}

static ebb_conv_job job_of(const ebb_conv *c, const ebb_conv_case *k, const ebb_desc *in,
                           const ebb_kernels *kernels)
{
    ebb_conv_job j = {.k = kernels,
                      .w = k->w,
                      .act = c->act,
                      .axis = {k->axis[0], k->axis[1], k->axis[2]},
                      .in_dtype = k->w.dtype == EBB_I8 && in->dtype == EBB_I8 ? EBB_I8 : EBB_F32,
                      .ic = k->ic,
                      .taps = k->w.taps,
                      .region = {k->axis[0].out, 0, k->axis[1].out, 0, k->axis[2].out}};
    const bool planar = !(order_read(in, reads_planar(c, k)) & EBB_PIXEL) && k->ic > 1;
    const bool pairs = !k->w.way->by_channel && k->w.ic % 2;
    if (k->w.dtype == EBB_I8)
        j.window = j.in_dtype != EBB_I8 || planar || pairs;
    else
        j.gather = reads_planar(c, k) && (planar || (k->ic == 1 && k->w.taps > 1));
    if (c->transposed) j.taps = ebb_conv_phase_taps(&j);
    return j;
}

ebb_status ebb_conv_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    const ebb_conv *c = st;
    ebb_conv_work *w = plan->work;
    ebb_conv_case k;
    EBB_TRY(ebb_conv_resolve(c, in->in, &k, e));
    plan->in[0].orders = EBB_PIXEL | (reads_planar(c, &k) ? EBB_PLANAR : 0);
    plan->in[0].dtypes = EBB_BIT(EBB_F32) | (k.w.dtype == EBB_I8 ? EBB_BIT(EBB_I8) : 0);
    for (int i = 1; i < in->n_in; i++) plan->in[i].orders = EBB_ANY_ORDER;
    plan->out[0].order = EBB_PIXEL;
    plan->macs = ebb_conv_macs(&k, c->transposed);
    plan->algorithm = k.w.way == &ebb_conv_gemm && k.w.taps == 1 ? "pointwise gemm" : k.w.way->name;
    w->job = job_of(c, &k, &in->in[0], in->k);
    w->vector = k.vector;
    w->weights = ebb_size_mul(ebb_size_add(ebb_size_mul((size_t)k.ic + 1, sizeof(float)), 63) / 64, 64);
    w->taps = ebb_size_add(w->weights, ebb_conv_late_bytes(c, &k.w, in->k));
    plan->scratch = ebb_size_add(w->taps, c->transposed ? ebb_size_mul((size_t)k.w.taps, sizeof(int)) : 0);
    const size_t left = in->memory_limit > plan->scratch ? in->memory_limit - plan->scratch : 0;
    w->job.pixels = ebb_conv_block_pixels(&w->job, in->threads, left / (size_t)in->threads);
    plan->worker_scratch = ebb_conv_block_bytes(&w->job, w->job.pixels);
    return EBB_OK;
}

static ebb_volume volume_of(const ebb_desc *d, bool channels, void *data)
{
    const ptrdiff_t each = (ptrdiff_t)ebb_dtype_bytes(d->dtype);
    ebb_volume v = {.data = data, .channel = channels ? d->stride[0] * each : each};
    const int n = d->rank - channels;
    for (int i = 0; i < n; i++) v.stride[3 - n + i] = d->stride[channels + i] * each;
    return v;
}

static const void *fill_pad(const ebb_conv *c, const ebb_conv_job *j, void *to)
{
    if (j->w.dtype == EBB_I8) return memset(to, ebb_quantize(c->pad_value, j->w.in_scale), (size_t)j->ic + 1);
    for (int i = 0; i < j->ic; i++) ((float *)to)[i] = c->pad_value;
    return to;
}

ebb_status ebb_conv_cpu(const void *st, const ebb_cpu *cpu, const ebb_blob *const *in, ebb_blob *const *out,
                        ebb_error *e)
{
    (void)e;
    const ebb_conv *c = st;
    const ebb_conv_work *w = cpu->work;
    const ebb_desc *from = &cpu->in[0], *to = &cpu->out[0];
    char *scratch = cpu->scratch;
    ebb_conv_job j = w->job;
    j.cpu = cpu;
    j.pad = fill_pad(c, &j, scratch);
    if (!j.w.b) ebb_conv_pack_late(c, &j.w, cpu, in, scratch + w->weights);
    j.in = volume_of(from, w->vector || from->rank == c->spatial + 1, ebb_blob_data(in[0]));
    j.out = volume_of(to, true, ebb_blob_data(out[0]));
    if (to->rank > 2) j.region.y0 = cpu->y0, j.region.y1 = cpu->y1;
    if (c->transposed)
        ebb_conv_run_phases(&j, (int *)(void *)(scratch + w->taps));
    else
        ebb_conv_run(&j);
    return EBB_OK;
}
