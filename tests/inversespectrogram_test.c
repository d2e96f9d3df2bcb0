// SPDX-License-Identifier: BSD-3-Clause
// inversespectrogram_test.c - InverseSpectrogram against sums of sines and overlapping frames.
#include "stft_ref.h"
#include <stdlib.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int n = (int)case_param(c, 0, 0), hop = (int)case_param(c, 2, n / 4),
              center = (int)case_param(c, 5, 1);
    const int what = (int)case_param(c, 1, 0), frames = in->dim[1],
              size = (frames - 1) * hop + (center ? n % 2 : n);
    tensor sum = tensor_new(2, (const int[]){size, 2}), square = tensor_new(1, &size);
    for (int t = 0; t < frames; t++)
        for (int i = 0; i < n; i++) {
            const int at = t * hop + i - (center ? n / 2 : 0);
            if (at < 0 || at >= size) continue;
            double re = 0, im = 0;
            for (int f = 0; f < n; f++) {
                const bool mirrored = f >= in->dim[0];
                const double a = 2 * acos(-1) * f * i / n, x = tensor_at(in, mirrored ? n - f : f, t, 0);
                const double y = tensor_at(in, mirrored ? n - f : f, t, 1) * (mirrored ? -1 : 1);
                re += x * cos(a) - y * sin(a);
                im += x * sin(a) + y * cos(a);
            }
            const double win = window_at(c, i), scale = norm_of(c) / n * win;
            tensor_at(&sum, at, 0) += re * scale;
            tensor_at(&sum, at, 1) += im * scale;
            square.v[at] += win * win;
        }
    out[0] = what ? tensor_new(1, &size) : tensor_new(2, (const int[]){size, 2});
    for (int i = 0; i < size; i++)
        for (int k = 0; k < (what ? 1 : 2); k++)
            out[0].v[what ? i : 2 * i + k] = square.v[i] ? tensor_at(&sum, i, what ? what - 1 : k) / square.v[i] : 0;
    free(sum.v);
    free(square.v);
}

static layer_case make(const char *params, int freqs, int frames)
{
    return (layer_case){.type = "InverseSpectrogram", .params = params, .n_in = 1, .n_out = 1, .tol = 1e-5,
                        .reference = reference, .in = {{.rank = 3, .dim = {freqs, frames, 2}}}};
}

START_TEST(forms)
{
    static const struct { const char *params; int freqs, frames; } rows[] = {
        {"0=1 2=1", 1, 5}, {"0=8 1=1", 5, 9}, {"0=9 1=2 2=3", 5, 7}, {"0=16 1=0 2=5 4=2 5=0 7=1", 16, 4},
        {"0=30 1=1 2=7 3=30 4=2 7=2", 16, 5}, {"0=8 1=1", 5, 1}, {"0=8 5=0 4=1 1=1", 8, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = make(rows[i].params, rows[i].freqs, rows[i].frames);
        layer_check(&c);
    }
}
END_TEST

START_TEST(refusals)
{
    layer_case c = make("0=8", 4, 3);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 4x3x2, must be 8 or 5 frequencies x frames x 2");
    c.in[0].dim[0] = 5;
    c.in[0].dim[1] = 0;
    layer_refuses(&c, EBB_E_SHAPE, "5x0x2");
    c.in[0].dim[1] = 3, c.in[0].dim[2] = 3;
    layer_refuses(&c, EBB_E_SHAPE, "5x3x3");
    c.in[0].rank = 2;
    layer_refuses(&c, EBB_E_SHAPE, "the input is 5x3, must be");
    c.in[0].rank = 3, c.in[0].dim[1] = 0, c.in[0].dim[2] = 2;
    c.params = "0=8 1=3";
    layer_refuses(&c, EBB_E_PARAM, "returns");
}
END_TEST

int main(void)
{
    return run_tests("inversespectrogram",
                     (const test_entry[]){{"forms", forms}, {"refusals", refusals}, {0}});
}
