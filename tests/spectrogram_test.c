// SPDX-License-Identifier: BSD-3-Clause
// spectrogram_test.c - Spectrogram against sums of sines: lengths, windows, pads, powers, both sides.
#include "stft_ref.h"

static double sample(const layer_case *c, const tensor *in, int at)
{
    const int n = in->dim[0], pad = (int)case_param(c, 6, 2);
    if (at >= 0 && at < n) return in->v[at];
    if (pad == 0) return 0;
    return pad == 1 ? in->v[at < 0 ? 0 : n - 1] : in->v[at < 0 ? -at : 2 * (n - 1) - at];
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int n = (int)case_param(c, 0, 0), power = (int)case_param(c, 1, 0),
              hop = (int)case_param(c, 2, n / 4);
    const int half = case_param(c, 5, 1) ? n / 2 : 0, frames = (in->dim[0] + 2 * half - n) / hop + 1;
    const int freqs = case_param(c, 8, 1) ? n / 2 + 1 : n;
    out[0] = tensor_new(power ? 2 : 3, (const int[]){freqs, frames, 2});
    for (int f = 0; f < freqs; f++)
        for (int t = 0; t < frames; t++) {
            double re = 0, im = 0;
            for (int i = 0; i < n; i++) {
                const double x = sample(c, in, t * hop + i - half) * window_at(c, i),
                             a = 2 * acos(-1) * f * i / n;
                re += x * cos(a);
                im -= x * sin(a);
            }
            re /= norm_of(c);
            im /= norm_of(c);
            if (power == 0) tensor_at(out, f, t, 0) = re, tensor_at(out, f, t, 1) = im;
            else tensor_at(out, f, t) = power == 1 ? sqrt(re * re + im * im) : re * re + im * im;
        }
}

static layer_case make(const char *params, int samples)
{
    return (layer_case){.type = "Spectrogram",
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 1e-5,
                        .reference = reference,
                        .in = {{.rank = 1, .dim = {samples}}}};
}

START_TEST(forms)
{
    static const struct { const char *params; int samples;
    } rows[] = {{"0=1 2=1", 3},
                {"0=8", 33},
                {"0=17 1=1 2=14 4=2 5=0 8=1", 100},
                {"0=30 1=2 2=7 3=21 4=1 6=0 7=1", 50},
                {"0=16 1=0 2=5 3=9 4=1 6=1 7=2 8=0", 17},
                {"0=13 1=1 2=3 5=0 8=0", 13},
                {"0=64 2=16 4=1", 65}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const layer_case c = make(rows[i].params, rows[i].samples);
        layer_check(&c);
    }
}
END_TEST

START_TEST(refusals)
{
    layer_case c = make("0=0", 9);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "n_fft is 0");
    c.params = "0=3";
    layer_refuses(&c, EBB_E_PARAM, "hoplen is 0");
    c.params = "0=8 3=9";
    layer_refuses(&c, EBB_E_PARAM, "winlen is 9, must be from 1 to n_fft 8");
    c.params = "0=20";
    layer_refuses(&c, EBB_E_SHAPE, "9 samples are too few for n_fft 20 with center 1 and pad_type 2");
    c.params = "0=10 5=0";
    layer_refuses(&c, EBB_E_SHAPE, "9 samples are too few");
    c.in[0].rank = 2;
    c.in[0].dim[1] = 3;
    layer_refuses(&c, EBB_E_SHAPE, "must be one row of samples");
}
END_TEST

int main(void)
{
    return run_tests("spectrogram", (const test_entry[]){{"forms", forms}, {"refusals", refusals}, {0}});
}
