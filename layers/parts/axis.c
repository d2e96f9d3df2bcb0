// SPDX-License-Identifier: BSD-3-Clause
// axis.c - windows along one axis. Rule: computed in 64 bits, and refused where they leave int.
#include "axis.h"
#include <limits.h>

static ebb_status check(const ebb_axis_params *p, int in, const char *name, ebb_error *e)
{
    if (in < 0 || p->kernel < 1 || p->dilation < 1 || p->stride < 1)
        return ebb_fail(e, EBB_E_PARAM, "kernel %d, dilation %d and stride %d of the %s must be at least 1",
                        p->kernel, p->dilation, p->stride, name);
    return EBB_OK;
}

static int64_t extent(const ebb_axis_params *p) { return (int64_t)p->dilation * (p->kernel - 1) + 1; }
static bool same(int pad) { return pad == EBB_PAD_SAME_UPPER || pad == EBB_PAD_SAME_LOWER; }

static ebb_status finish(ebb_axis *a, int in, const ebb_axis_params *p, int64_t before, int64_t out,
                         const char *name, ebb_error *e)
{
    if (out > INT_MAX || before > INT_MAX || extent(p) > INT_MAX)
        return ebb_fail(e, EBB_E_SHAPE, "the %s would become %lld, which is more than this machine can count",
                        name, (long long)out);
    *a = (ebb_axis){.in = in,
                    .out = (int)out,
                    .kernel = p->kernel,
                    .dilation = p->dilation,
                    .stride = p->stride,
                    .before = (int)before};
    return EBB_OK;
}

ebb_status ebb_axis_conv(ebb_axis *a, int in, const ebb_axis_params *p, const char *name, ebb_error *e)
{
    EBB_TRY(check(p, in, name, e));
    int64_t before = p->before, after = p->after;
    if (same(p->before)) {
        int64_t all = in ? extent(p) + (int64_t)((in - 1) / p->stride) * p->stride - in : 0;
        if (all < 0) all = 0;
        before = p->before == EBB_PAD_SAME_UPPER ? all / 2 : all - all / 2;
        after = all - before;
    }
    const int64_t room = before + in + after - extent(p);
    if (room < 0)
        return ebb_fail(e, EBB_E_SHAPE,
                        "the %s of the input, %d with padding %lld and %lld, is smaller than the kernel, "
                        "which covers %lld",
                        name, in, (long long)before, (long long)after, (long long)extent(p));
    return finish(a, in, p, before, room / p->stride + 1, name, e);
}

ebb_status ebb_axis_deconv(ebb_axis *a, int in, const ebb_axis_params *p, const char *name, ebb_error *e)
{
    EBB_TRY(check(p, in, name, e));
    const int64_t full = in ? (int64_t)(in - 1) * p->stride + extent(p) + p->output_pad : 0;
    int64_t before = p->before, out = full - p->before - p->after;
    if (same(p->before)) {
        const int64_t cut = p->output > 0 ? full - p->output : 0;
        if (cut < 0)
            return ebb_fail(e, EBB_E_SHAPE, "the %s of the output is at most %lld, %d is wanted", name,
                            (long long)full, p->output);
        before = p->before == EBB_PAD_SAME_UPPER ? cut / 2 : cut - cut / 2;
        out = full - cut;
    }
    if (out < 0 || (out == 0 && in > 0))
        return ebb_fail(e, EBB_E_SHAPE, "the %s of the output, %lld, is cut by %d and %d: nothing is left",
                        name, (long long)full, p->before, p->after);
    return finish(a, in, p, before, out, name, e);
}

// The least o >= 0 with o * stride >= x.
static int64_t ceil_div(int64_t x, int stride) { return x <= 0 ? 0 : (x + stride - 1) / stride; }

void ebb_axis_inside(const ebb_axis *a, int k, int limit, int *from, int *to)
{
    const int64_t shift = (int64_t)a->before - (int64_t)k * a->dilation;
    const int64_t lo = ceil_div(shift, a->stride), hi = ceil_div(shift + a->in, a->stride);
    *to = (int)(hi < limit ? hi : limit);
    *from = (int)(lo < *to ? lo : *to);
}
