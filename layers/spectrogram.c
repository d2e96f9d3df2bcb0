// SPDX-License-Identifier: BSD-3-Clause
// spectrogram.c - Spectrogram: the spectrum of each frame of a signal. Rule: samples beyond the ends are
// found by position; no padded copy is made.
#include "parts/stft.h"
#include <math.h>

typedef struct spectrogram {
    ebb_stft stft;
    int power, pad_type, onesided;
} spectrogram;

enum { PAD_ZERO, PAD_EDGE, PAD_MIRROR };

static const ebb_param params[] = {
    EBB_STFT_ROWS,
    EBB_INT(spectrogram, 1, "power", power, .max = 2, .doc = "0 complex, 1 magnitude, 2 its square"),
    EBB_INT(spectrogram, 6, "pad_type", pad_type, .def = PAD_MIRROR, .max = PAD_MIRROR,
            .doc = "beyond the ends: 0 zeros, 1 the last sample, 2 mirrored"),
    EBB_INT(spectrogram, 8, "onesided", onesided, .def = 1, .max = 1),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    return ebb_stft_init(&((spectrogram *)st)->stft, e);
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    return ebb_stft_load(&((spectrogram *)st)->stft, l, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const spectrogram *p = st;
    const ebb_desc *x = &in->in[0];
    const int n = p->stft.n_fft, half = p->stft.center ? n / 2 : 0;
    if (x->rank != 1)
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, must be one row of samples",
                        EBB_SHAPE(x));
    const long long size = (long long)x->dim[0] + 2 * half;
    const int least = half == 0 || p->pad_type == PAD_ZERO ? 0 : p->pad_type == PAD_EDGE ? 1 : half + 1;
    if (size < n || x->dim[0] < least)
        return ebb_fail(e, EBB_E_SHAPE, "%d samples are too few for n_fft %d with center %d and pad_type %d",
                        x->dim[0], n, p->stft.center, p->pad_type);
    out->rank = p->power == 0 ? 3 : 2;
    out->dim[0] = p->onesided ? n / 2 + 1 : n;
    out->dim[1] = (int)((size - n) / p->stft.hoplen + 1);
    out->dim[2] = 2;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const spectrogram *p = st;
    plan->worker_scratch = ebb_size_mul((size_t)p->stft.n_fft, 6 * sizeof(float));
    plan->macs = (double)in->out[0].dim[1] * ebb_stft_macs(&p->stft);
    return EBB_OK;
}

static float sample(const spectrogram *p, const float *x, long long n, long long at)
{
    if (at >= 0 && at < n) return x[at];
    if (p->pad_type == PAD_ZERO) return 0.f;
    if (p->pad_type == PAD_EDGE) return x[at < 0 ? 0 : n - 1];
    return x[at < 0 ? -at : 2 * (n - 1) - at];
}

typedef struct job {
    const spectrogram *p;
    const ebb_cpu *c;
    const ebb_blob *x;
    ebb_blob *out;
} job;

static void one_frame(void *ctx, size_t frame, int worker)
{
    const job *j = ctx;
    const spectrogram *p = j->p;
    const ebb_stft *s = &p->stft;
    const int n = s->n_fft;
    const ebb_desc *d = ebb_blob_desc(j->out);
    float *x = ebb_worker_scratch(j->c, worker), *y = x + 2 * (size_t)n;
    const long long first = (long long)frame * s->hoplen - (s->center ? n / 2 : 0);
    for (int i = 0; i < n; i++) {
        x[2 * i] = sample(p, ebb_f32(j->x), ebb_blob_desc(j->x)->dim[0], first + i) * s->window[i];
        x[2 * i + 1] = 0.f;
    }
    ebb_stft_transform(s, y, x, y + 2 * (size_t)n, false);
    float *to = ebb_f32(j->out) + (ptrdiff_t)frame * d->stride[1];
    for (int i = 0; i < d->dim[0]; i++, to += d->stride[0]) {
        const float re = y[2 * i] / s->norm, im = y[2 * i + 1] / s->norm, square = re * re + im * im;
        to[0] = p->power == 0 ? re : p->power == 1 ? sqrtf(square) : square;
        if (p->power == 0) to[1] = im;
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    job j = {st, c, in[0], out[0]};
    ebb_parallel(c, ebb_blob_desc(out[0])->dim[1], one_frame, &j);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_spectrogram = {
    .size = sizeof(ebb_layer_type),
    .name = "Spectrogram",
    .doc = "the spectrum of each frame of a signal",
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(spectrogram),
    .params = params,
    .init = init,
    .load = load,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
