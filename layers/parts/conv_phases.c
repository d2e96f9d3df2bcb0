// SPDX-License-Identifier: BSD-3-Clause
// conv_phases.c - a transposed convolution as an ordinary one for each phase of its strides. Rule: every
// output belongs to one phase, so that nothing is added up twice.
#include "conv_way.h"

static int min_int(int a, int b) { return a < b ? a : b; }

// The outputs o = phase + i * stride of a transposed axis read every period-th tap, each at a fixed distance:
// an ordinary axis with stride 1.
typedef struct phase {
    ebb_axis axis;
    int tap0, period;
} phase;

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

// Rounded up.
static int parts_of(int n, int each) { return n > 0 ? (n - 1) / each + 1 : 0; }

static phase phase_of(const ebb_axis *a, int at)
{
    phase p = {.period = a->stride / gcd(a->dilation, a->stride)};
    const int64_t shift = (int64_t)at + a->before;
    while (p.tap0 < a->kernel && p.tap0 < p.period && (shift - (int64_t)p.tap0 * a->dilation) % a->stride)
        p.tap0++;
    const bool none = p.tap0 == p.period || p.tap0 >= a->kernel;
    p.axis = (ebb_axis){.in = a->in,
                        .out = parts_of(a->out - at, a->stride),
                        .stride = 1,
                        .kernel = none ? 0 : parts_of(a->kernel - p.tap0, p.period),
                        .dilation = -(int)((int64_t)a->dilation * p.period / a->stride),
                        .before = (int)-((shift - (int64_t)p.tap0 * a->dilation) / a->stride)};
    return p;
}

static int phase_row(int y, int at, int stride) { return parts_of(y - at, stride); }

// The pass of job j for one phase of each axis; taps has room for all taps.
static ebb_conv_job phase_job(const ebb_conv_job *j, const int at[3], int *taps)
{
    phase p[3];
    ebb_conv_job one = *j;
    one.taps = 0;
    for (int i = 0; i < 3; i++) {
        p[i] = phase_of(&j->axis[i], at[i]);
        one.axis[i] = p[i].axis;
        one.out.data += at[i] * j->out.stride[i];
        if (p[i].axis.out > 1) one.out.stride[i] *= j->axis[i].stride;
    }
    for (int z = 0; z < p[0].axis.kernel; z++)
        for (int y = 0; y < p[1].axis.kernel; y++)
            for (int x = 0; x < p[2].axis.kernel; x++)
                taps[one.taps++] =
                    ((p[0].tap0 + z * p[0].period) * j->axis[1].kernel + p[1].tap0 + y * p[1].period) *
                        j->axis[2].kernel +
                    p[2].tap0 + x * p[2].period;
    one.tap = taps;
    one.region = (ebb_region){p[0].axis.out, phase_row(j->region.y0, at[1], j->axis[1].stride),
                              phase_row(j->region.y1, at[1], j->axis[1].stride), 0, p[2].axis.out};
    return one;
}

void ebb_conv_run_phases(const ebb_conv_job *j, int *taps)
{
    int at[3];
    for (at[0] = 0; at[0] < min_int(j->axis[0].stride, j->axis[0].out); at[0]++)
        for (at[1] = 0; at[1] < min_int(j->axis[1].stride, j->axis[1].out); at[1]++)
            for (at[2] = 0; at[2] < min_int(j->axis[2].stride, j->axis[2].out); at[2]++) {
                ebb_conv_job one = phase_job(j, at, taps);
                ebb_conv_run(&one);
            }
}

int ebb_conv_phase_taps(const ebb_conv_job *j)
{
    int taps = j->w.taps;
    for (int i = 0; i < 3; i++) {
        const int kernel = j->axis[i].kernel, period = phase_of(&j->axis[i], 0).period;
        taps = taps / kernel * parts_of(kernel, period);
    }
    return taps;
}
