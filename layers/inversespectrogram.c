// SPDX-License-Identifier: BSD-3-Clause
// inversespectrogram.c - InverseSpectrogram: a signal from the spectra of its frames. Rule: overlapping
// frames are added and divided by the sum of their squared windows.
#include "parts/stft.h"
#include "parts/ratio.h"
#include <string.h>

typedef struct inverse {
    ebb_stft stft;
    int returns;
} inverse;

enum { COMPLEX, REAL, IMAGINARY };

static const ebb_param params[] = {
    EBB_STFT_ROWS,
    EBB_INT(inverse, 1, "returns", returns, .max = IMAGINARY,
            .doc = "0 complex, 1 the real part, 2 the imaginary part"),
    {0},
};

static ebb_status init(void *st, const ebb_init *in, ebb_error *e)
{
    (void)in;
    return ebb_stft_init(&((inverse *)st)->stft, e);
}

static ebb_status load(void *st, const ebb_load *l, ebb_error *e)
{
    return ebb_stft_load(&((inverse *)st)->stft, l, e);
}

static ebb_status shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    const inverse *p = st;
    const ebb_desc *x = &in->in[0];
    const int n = p->stft.n_fft;
    if (x->rank != 3 || x->dim[2] != 2 || x->dim[1] < 1 || (x->dim[0] != n && x->dim[0] != n / 2 + 1))
        return ebb_fail(e, EBB_E_SHAPE, "the input is %s, must be %d or %d frequencies x frames x 2",
                        EBB_SHAPE(x), n, n / 2 + 1);
    const long long size = (long long)(x->dim[1] - 1) * p->stft.hoplen + (p->stft.center ? n % 2 : n);
    if (size > INT32_MAX) return ebb_fail(e, EBB_E_SHAPE, "the signal would have %lld samples", size);
    out->rank = p->returns == COMPLEX ? 2 : 1;
    out->dim[0] = (int)size;
    out->dim[1] = 2;
    return EBB_OK;
}

static ebb_status plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e)
{
    (void)e;
    const inverse *p = st;
    const size_t n = (size_t)p->stft.n_fft, size = (size_t)in->out[0].dim[0];
    plan->scratch = ebb_size_mul(ebb_size_add(ebb_size_mul(6, n), size), sizeof(float));
    plan->macs = (double)in->in[0].dim[1] * ebb_stft_macs(&p->stft);
    return EBB_OK;
}

// The n_fft pairs of a frame; the upper half of a one-sided spectrum mirrors the lower one.
static void collect(const ebb_stft *s, const ebb_blob *in, int frame, float *x)
{
    const ebb_desc *d = ebb_blob_desc(in);
    const float *from = ebb_f32(in) + frame * d->stride[1];
    for (int k = 0; k < s->n_fft; k++) {
        const bool mirrored = k >= d->dim[0];
        const float *v = from + (mirrored ? s->n_fft - k : k) * d->stride[0];
        x[2 * k] = v[0] * s->norm;
        x[2 * k + 1] = (mirrored ? -v[1] : v[1]) * s->norm;
    }
}

static ebb_status cpu(const void *st, const ebb_cpu *c, const ebb_blob *const *in, ebb_blob *const *out,
                      ebb_error *e)
{
    (void)e;
    const inverse *p = st;
    const ebb_stft *s = &p->stft;
    const int n = s->n_fft, size = ebb_blob_desc(out[0])->dim[0], parts = p->returns == COMPLEX ? 2 : 1;
    const ptrdiff_t step = ebb_blob_desc(out[0])->stride[0];
    float *x = c->scratch, *y = x + 2 * (size_t)n, *square = y + 4 * (size_t)n, *to = ebb_f32(out[0]);
    memset(square, 0, (size_t)size * sizeof(float));
    for (int i = 0; i < size; i++) memset(to + i * step, 0, (size_t)parts * sizeof(float));
    for (int frame = 0; frame < ebb_blob_desc(in[0])->dim[1]; frame++) {
        collect(s, in[0], frame, x);
        ebb_stft_transform(s, y, x, y + 2 * (size_t)n, true);
        const long long first = (long long)frame * s->hoplen - (s->center ? n / 2 : 0);
        for (int i = 0; i < n; i++) {
            const long long at = first + i;
            if (at < 0 || at >= size) continue;
            square[at] += s->window[i] * s->window[i];
            for (int k = 0; k < parts; k++)
                to[at * step + k] += y[2 * i + (p->returns == IMAGINARY ? 1 : k)] / (float)n * s->window[i];
        }
    }
    for (int i = 0; i < size; i++)
        for (int k = 0; k < parts; k++) to[i * step + k] = ebb_ratio(to[i * step + k], square[i]);
    return EBB_OK;
}

const ebb_layer_type ebb_layer_inversespectrogram = {
    .size = sizeof(ebb_layer_type),
    .name = "InverseSpectrogram",
    .doc = "a signal from the spectra of its frames",
    .reads = EBB_PLANAR,
    .in_min = 1,
    .in_max = 1,
    .out_min = 1,
    .out_max = 1,
    .state_size = sizeof(inverse),
    .params = params,
    .init = init,
    .load = load,
    .shape = shape,
    .plan = plan,
    .cpu = cpu,
};
