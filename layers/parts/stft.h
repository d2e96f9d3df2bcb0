// SPDX-License-Identifier: BSD-3-Clause
// stft.h - what Spectrogram and InverseSpectrogram share: the window, and a Fourier transform of any length.
#pragma once
#include "ebb_layer.h"

// The head of the state of both layers.
typedef struct ebb_stft {
    int n_fft, hoplen, winlen, window_type, center, normalized;
    const float *window;    // n_fft
    const float *twiddles;  // n_fft pairs: exp(-2 pi i k / n_fft)
    float norm;             // what `normalized` divides by
} ebb_stft;

#define EBB_STFT_ROW(key, field, ...)                                                                        \
    EBB_INT(ebb_stft, key, #field, field, __VA_ARGS__)
#define EBB_STFT_ROWS                                                                                        \
    EBB_STFT_ROW(0, n_fft, .doc = "samples of a frame"),                                                     \
        EBB_STFT_ROW(2, hoplen, .def = -1, .doc = "default n_fft / 4"),                                      \
        EBB_STFT_ROW(3, winlen, .like = EBB_LIKE(0)),                                                        \
        EBB_STFT_ROW(4, window_type, .max = 2, .doc = "0 ones, 1 Hann, 2 Hamming"),                          \
        EBB_STFT_ROW(5, center, .def = 1, .max = 1, .doc = "1: frames are centred on their sample"),         \
        EBB_STFT_ROW(7, normalized, .max = 2, .doc = "1: by sqrt(n_fft), 2: by the energy of the window")

ebb_status ebb_stft_init(ebb_stft *p, ebb_error *e);
ebb_status ebb_stft_load(ebb_stft *p, const ebb_load *l, ebb_error *e);
// y = the transform of n_fft pairs x; inverse: with the other sign, not divided. work: n_fft pairs.
void ebb_stft_transform(const ebb_stft *p, float *y, const float *x, float *work, bool inverse);
// Multiply-adds of one transform.
double ebb_stft_macs(const ebb_stft *p);
