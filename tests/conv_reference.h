// SPDX-License-Identifier: BSD-3-Clause
// conv_reference.h - all convolutions by their definition, in double precision: one loop for each index; and rows of
// cases.
#pragma once
#include "harness.h"
#include "net.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct conv_axis {
    int in, out, kernel, dilation, stride, before;
} conv_axis;

typedef struct conv_model {
    int spatial, ic, oc, group;
    bool transposed, vector;
    conv_axis axis[3];  // d, h, w
} conv_model;

static int conv_id(const layer_case *c, int id, int otherwise) { return (int)case_param(c, id, otherwise); }

static void conv_size(const layer_case *c, conv_model *m, int i, int after, int output_pad, int output,
                      bool cut)
{
    conv_axis *a = &m->axis[i];
    const int extent = a->dilation * (a->kernel - 1) + 1;
    (void)c;
    if (m->transposed) {
        const int full = (a->in - 1) * a->stride + extent + output_pad, all = cut ? full - output : 0;
        if (a->before < 0) {
            after = a->before == -233 ? all - all / 2 : all / 2;
            a->before = all - after;
        }
        a->out = full - a->before - after;
        return;
    }
    if (a->before < 0) {
        int all = extent + (a->in - 1) / a->stride * a->stride - a->in;
        if (all < 0) all = 0;
        after = a->before == -233 ? all - all / 2 : all / 2;
        a->before = all - after;
    }
    a->out = (a->in + a->before + after - extent) / a->stride + 1;
}

static conv_model conv_model_of(const layer_case *c, const tensor *in)
{
    conv_model m = {.spatial = strstr(c->type, "1D") ? 1 : strstr(c->type, "3D") ? 3 : 2, .group = 1};
    m.transposed = strncmp(c->type, "Deconvolution", 13) == 0;
    if (strstr(c->type, "DepthWise")) m.group = conv_id(c, 7, 1);
    const bool dynamic = conv_id(c, m.transposed ? 28 : 19, 0), channels = in[0].rank == m.spatial + 1;
    m.oc = conv_id(c, 0, 0);
    m.ic = channels ? in[0].dim[0] : 1;
    int size[3] = {1, 1, 1};
    for (int i = 0; i < in[0].rank - channels; i++)
        size[3 - (in[0].rank - channels) + i] = in[0].dim[channels + i];
    const int kernel = conv_id(c, 1, 0);
    m.vector = !strcmp(c->type, "Convolution") && in[0].rank == 1 && kernel == 1 &&
               c->weights[0].n == (size_t)(m.oc * in[0].dim[0]);
    if (m.vector) m.ic = in[0].dim[0], size[2] = 1;
    const int k[3] = {conv_id(c, 21, kernel), conv_id(c, 11, kernel), kernel};
    const int dilation[3] = {conv_id(c, 22, conv_id(c, 2, 1)), conv_id(c, 12, conv_id(c, 2, 1)),
                             conv_id(c, 2, 1)};
    const int stride[3] = {conv_id(c, 23, conv_id(c, 3, 1)), conv_id(c, 13, conv_id(c, 3, 1)),
                           conv_id(c, 3, 1)};
    const int left = conv_id(c, 4, 0), top = conv_id(c, 14, left), front = conv_id(c, 24, left);
    const int before[3] = {front, top, left},
              after[3] = {conv_id(c, 17, front), conv_id(c, 16, top), conv_id(c, 15, left)};
    const int pad_w = conv_id(c, 18, 0), pad_h = conv_id(c, 19, pad_w), pad_d = conv_id(c, 20, pad_w);
    const int extra[3] = {pad_d, pad_h, pad_w};
    const int first = m.spatial == 3 ? 25 : 20, out_w = conv_id(c, first, 0);
    const int wanted[3] = {conv_id(c, 27, out_w), m.spatial == 1 ? out_w : conv_id(c, first + 1, out_w),
                           out_w};
    const bool cut = wanted[2] > 0 && wanted[1] > 0 && (m.spatial < 3 || wanted[0] > 0);
    if (dynamic) m.oc = m.transposed ? in[1].dim[1] * m.group : in[1].dim[0];
    for (int i = 0; i < 3; i++) {
        m.axis[i] = (conv_axis){size[i], 1, 1, 1, 1, 0};
        if (i < 3 - m.spatial || m.vector) continue;
        m.axis[i] = (conv_axis){size[i], 0, k[i], dilation[i], stride[i], before[i]};
        if (dynamic) m.axis[i].kernel = in[1].dim[2 + i - (3 - m.spatial)];
        conv_size(c, &m, i, after[i], extra[i], wanted[i], cut);
    }
    return m;
}

static double conv_round(double v) { return fmax(-127, fmin(127, v < 0 ? ceil(v - 0.5) : floor(v + 0.5))); }

static double conv_activate(const layer_case *c, double x)
{
    double p[2] = {0};
    case_array(c, 10, p, 2);
    switch (conv_id(c, 9, 0)) {
    case 1: return x < 0 ? 0 : x;
    case 2: return x < 0 ? p[0] * x : x;
    case 3: return x < p[0] ? p[0] : x > p[1] ? p[1] : x;
    case 4: return 1 / (1 + exp(-x));
    case 5: return x * tanh(log1p(exp(x)));
    case 6: return x * fmin(1, fmax(0, p[0] * x + p[1]));
    default: return x;
    }
}

// Weight of output o (of all), input i (of its group), tap (z, y, x).
static double conv_weight(const conv_model *m, const tensor *w, bool in_first, int o, int i, int t, int taps)
{
    const int icg = m->ic / m->group, ocg = m->oc / m->group;
    if (in_first)
        return w
            ->v[((size_t)((o / ocg) * icg + i) * (size_t)ocg + (size_t)(o % ocg)) * (size_t)taps + (size_t)t];
    return w->v[((size_t)o * (size_t)icg + (size_t)i) * (size_t)taps + (size_t)t];
}

// The scales of an int8 layer: 0 where there are none.
typedef struct conv_scales {
    const tensor *weight;
    int per;
    double in, out;
} conv_scales;

static conv_scales conv_scales_of(const layer_case *c, const conv_model *m, const tensor *weights)
{
    const int term = conv_id(c, 8, 0), first = 1 + conv_id(c, 5, 0);
    conv_scales s = {0};
    if (!term) return s;
    s.weight = &weights[first];
    s.per = m->oc / (int)c->weights[first].n;
    s.in = weights[first + 1].v[0];
    if (term > 100) s.out = weights[first + 2].v[0];
    return s;
}

static double conv_term(const layer_case *c, const conv_scales *s, double x, bool pad, double w, int o)
{
    if (!s->weight) return x * w;
    const double scale = s->weight->v[o / s->per];
    if (scale == 0) return 0;
    if (pad || c->in[0].dtype != EBB_I8) x = conv_round(x * s->in);
    if (c->weights[0].kind != W_I8) w = conv_round(w * scale);
    return x * w / (s->in * scale);
}

// Input of channel i for output (z, y, x) and tap (kz, ky, kx).
typedef enum conv_place { CONV_NOWHERE, CONV_PAD, CONV_INSIDE } conv_place;
static conv_place conv_input(const layer_case *c, const conv_model *m, const tensor *in, int i,
                             const int o[3], const int k[3], double *x)
{
    size_t at = (size_t)i;
    bool inside = true;
    for (int a = 0; a < 3; a++) {
        const conv_axis *p = &m->axis[a];
        int j = o[a] * p->stride + k[a] * p->dilation - p->before;
        if (m->transposed) {
            j = o[a] + p->before - k[a] * p->dilation;
            if (j % p->stride) return CONV_NOWHERE;
            j /= p->stride;
        }
        inside &= j >= 0 && j < p->in;
        at = at * (size_t)p->in + (size_t)j;
    }
    *x = inside ? in->v[at] : m->transposed ? 0 : case_param(c, 18, 0);
    return inside ? CONV_INSIDE : CONV_PAD;
}

static void conv_reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    const conv_model m = conv_model_of(c, in);
    const bool dynamic = conv_id(c, m.transposed ? 28 : 19, 0);
    const tensor *w = dynamic ? &in[1] : &weights[0], *bias = dynamic ? &in[2] : &weights[1];
    const conv_scales s = conv_scales_of(c, &m, weights);
    const int all[4] = {m.oc, m.axis[0].out, m.axis[1].out, m.axis[2].out};
    int dim[4] = {m.oc};
    for (int i = 0; i < m.spatial; i++) dim[1 + i] = all[4 - m.spatial + i];
    out[0] = tensor_new(m.vector ? 1 : m.spatial + 1, dim);
    const int icg = m.ic / m.group, ocg = m.oc / m.group;
    const int kd = m.axis[0].kernel, kh = m.axis[1].kernel, kw = m.axis[2].kernel, taps = kd * kh * kw;
    size_t n = 0;
    int o[3], k[3];
    for (int oc = 0; oc < m.oc; oc++)
        for (o[0] = 0; o[0] < all[1]; o[0]++)
            for (o[1] = 0; o[1] < all[2]; o[1]++)
                for (o[2] = 0; o[2] < all[3]; o[2]++, n++) {
                    double sum = conv_id(c, 5, 0) ? bias->v[oc] : 0, x;
                    for (int i = 0; i < icg; i++)
                        for (int t = 0; t < taps; t++) {
                            k[0] = t / kw / kh, k[1] = t / kw % kh, k[2] = t % kw;
                            const conv_place at = conv_input(c, &m, &in[0], oc / ocg * icg + i, o, k, &x);
                            const double f = conv_weight(&m, w, dynamic && m.transposed, oc, i, t, taps);
                            if (at != CONV_NOWHERE) sum += conv_term(c, &s, x, at == CONV_PAD, f, oc);
                        }
                    sum = conv_activate(c, sum);
                    out[0].v[n] = s.out != 0 ? conv_round(sum * s.out) : sum;
                }
}

typedef struct conv_row {
    const char *params;
    int rank, dim[4];   // of the input
    int weights, bias;  // elements in the file
} conv_row;

static inline layer_case conv_case(const char *type, const conv_row *r, weight_kind kind)
{
    layer_case c = {.type = type,
                    .params = r->params,
                    .n_in = 1,
                    .n_out = 1,
                    .tol = 2e-5,
                    .reference = conv_reference,
                    .weights = {{kind, (size_t)r->weights, 0, 0}}};
    c.in[0].rank = r->rank;
    memcpy(c.in[0].dim, r->dim, sizeof c.in[0].dim);
    if (r->bias) c.weights[1].kind = W_RAW, c.weights[1].n = (size_t)r->bias;
    return c;
}

static inline void conv_check(const char *type, weight_kind kind, const conv_row *r)
{
    for (; r->params; r++) {
        const layer_case c = conv_case(type, r, kind);
        layer_check(&c);
    }
}

// w: the shape of the weights; bias: its elements, 0 for none.
static inline void conv_check_dynamic(const char *type, const char *params, int rank, const int *in,
                                      const int *w, int bias)
{
    layer_case c = {
        .type = type,
        .params = params,
        .n_in = 2 + (bias != 0),
        .n_out = 1,
        .tol = 2e-5,
        .reference = conv_reference,
        .in = {{EBB_F32, rank, {0}, 0, 0}, {EBB_F32, rank + 1, {0}, 0, 0}, {EBB_F32, 1, {bias}, 0, 0}}};
    memcpy(c.in[0].dim, in, (size_t)rank * sizeof *in);
    memcpy(c.in[1].dim, w, (size_t)(rank + 1) * sizeof *w);
    layer_check(&c);
}

static inline void conv_refuses(const char *type, const conv_row *r, ebb_status s, const char *words)
{
    layer_case c = conv_case(type, r, W_F32);
    c.reference = NULL;
    layer_refuses(&c, s, words);
}

// A net of one layer whose weights are all zero, behind this tag.
static inline bool conv_read_zeros(void *user, void *to, size_t bytes)
{
    unsigned *tag = user;
    memset(to, 0, bytes);
    if (bytes == sizeof *tag) memcpy(to, tag, sizeof *tag), *tag = 0;
    return true;
}

static inline ebb_net *conv_net(const char *isa, const char *layer, unsigned tag)
{
    char text[300];
    snprintf(text, sizeof text, "7767517\n2 2\nInput in 0 1 a\n%s\n", layer);
    const ebb_net_options opt = {.isa = isa};
    const ebb_reader r = {conv_read_zeros, &tag};
    ebb_net *net;
    ebb_error e = {0};
    if (ebb_net_new(&opt, &net, &e) || ebb_net_load_param_mem(net, text, strlen(text), &e) ||
        ebb_net_load_weights_reader(net, &r, &e))
        ck_abort_msg("%s: %s", layer, e.msg);
    return net;
}
