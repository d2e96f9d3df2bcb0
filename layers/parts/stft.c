// SPDX-License-Identifier: BSD-3-Clause
// stft.c - windows and Fourier transforms. Rule: n is split into its prime factors, smallest first; a prime
// costs its square.
#include "stft.h"
#include <math.h>

static const double pi = 3.14159265358979323846;

ebb_status ebb_stft_init(ebb_stft *p, ebb_error *e)
{
    enum { LONGEST = 1 << 24 };
    if (p->n_fft < 1 || p->n_fft > LONGEST)
        return ebb_fail(e, EBB_E_PARAM, "n_fft is %d, must be from 1 to %d", p->n_fft, LONGEST);
    if (p->hoplen == -1) p->hoplen = p->n_fft / 4;
    if (p->hoplen < 1) return ebb_fail(e, EBB_E_PARAM, "hoplen is %d, must be at least 1", p->hoplen);
    if (p->winlen < 1 || p->winlen > p->n_fft)
        return ebb_fail(e, EBB_E_PARAM, "winlen is %d, must be from 1 to n_fft %d", p->winlen, p->n_fft);
    return EBB_OK;
}

static double window_at(const ebb_stft *p, int i)
{
    const double turn = cos(2 * pi * i / p->winlen);
    return p->window_type == 1 ? 0.5 * (1 - turn) : p->window_type == 2 ? 0.54 - 0.46 * turn : 1;
}

ebb_status ebb_stft_load(ebb_stft *p, const ebb_load *l, ebb_error *e)
{
    const size_t n = (size_t)p->n_fft;
    void *room;
    EBB_TRY(ebb_load_alloc(l, ebb_size_mul(n, 3 * sizeof(float)), &room, e));
    float *window = room, *twiddles = window + n;
    const int before = (p->n_fft - p->winlen) / 2;
    double energy = 0;
    for (int i = 0; i < p->winlen; i++) {
        window[before + i] = (float)window_at(p, i);
        energy += (double)window[before + i] * window[before + i];
    }
    for (size_t i = 0; i < n; i++) {
        twiddles[2 * i] = (float)cos(2 * pi * (double)i / p->n_fft);
        twiddles[2 * i + 1] = (float)-sin(2 * pi * (double)i / p->n_fft);
    }
    p->window = window;
    p->twiddles = twiddles;
    p->norm = (float)(p->normalized == 1                 ? sqrt(p->n_fft)
                      : p->normalized == 2 && energy > 0 ? sqrt(energy)
                                                         : 1);
    return EBB_OK;
}

static int smallest_factor(int n)
{
    for (int f = 2; (long long)f * f <= n; f++)
        if (n % f == 0) return f;
    return n;
}

typedef struct transform {
    const ebb_stft *p;
    float *work;
    float sign;  // of the imaginary part of the twiddles
} transform;

// sum += x * twiddle i
static inline void add_turned(const transform *f, float sum[2], const float *x, long long i)
{
    const float re = f->p->twiddles[2 * i], im = f->sign * f->p->twiddles[2 * i + 1];
    sum[0] += x[0] * re - x[1] * im;
    sum[1] += x[0] * im + x[1] * re;
}

// n pairs of x, `step` apart; step * n = n_fft.
static void transform_part(const transform *f, float *y, const float *x, int n, int step)
{
    if (n == 1) {
        y[0] = x[0];
        y[1] = x[1];
        return;
    }
    const int factor = smallest_factor(n), m = n / factor;
    for (int q = 0; q < factor; q++)
        transform_part(f, y + 2 * q * m, x + 2 * (ptrdiff_t)q * step, m, step * factor);
    for (int k = 0; k < m; k++) {
        for (int q = 0; q < factor; q++) {
            float *t = f->work + 2 * q;
            t[0] = t[1] = 0.f;
            add_turned(f, t, y + 2 * (q * m + k), (long long)q * k * step);
        }
        for (int j = 0; j < factor; j++) {
            float sum[2] = {0};
            for (int q = 0; q < factor; q++)
                add_turned(f, sum, f->work + 2 * q, (long long)q * j % factor * m * step);
            y[2 * (k + j * m)] = sum[0];
            y[2 * (k + j * m) + 1] = sum[1];
        }
    }
}

void ebb_stft_transform(const ebb_stft *p, float *y, const float *x, float *work, bool inverse)
{
    const transform f = {p, work, inverse ? -1.f : 1.f};
    transform_part(&f, y, x, p->n_fft, 1);
}

double ebb_stft_macs(const ebb_stft *p)
{
    double sums = 0;
    for (int n = p->n_fft, f; n > 1; n /= f) {
        f = smallest_factor(n);
        sums += f + 1;
    }
    return 4 * sums * p->n_fft;
}
