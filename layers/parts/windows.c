// SPDX-License-Identifier: BSD-3-Clause
// windows.c - where the windows of Unfold and Fold lie. Rule: 64-bit sums, so that no size overflows.
#include "windows.h"

enum { SAME_UPPER = -233, SAME_LOWER = -234 };

static bool same(const ebb_windows *p)
{
    return (p->pad_left == SAME_UPPER || p->pad_left == SAME_LOWER) && p->pad_right == p->pad_left &&
           p->pad_top == p->pad_left && p->pad_bottom == p->pad_left;
}

ebb_status ebb_windows_init(const ebb_windows *p, bool allow_same, ebb_error *e)
{
    if (p->kernel_w < 1 || p->kernel_h < 1 || p->dilation_w < 1 || p->dilation_h < 1 || p->stride_w < 1 ||
        p->stride_h < 1)
        return ebb_fail(e, EBB_E_PARAM, "kernel %dx%d, dilation %dx%d and stride %dx%d must be at least 1",
                        p->kernel_h, p->kernel_w, p->dilation_h, p->dilation_w, p->stride_h, p->stride_w);
    if (allow_same && same(p)) return EBB_OK;
    if (p->pad_left < 0 || p->pad_right < 0 || p->pad_top < 0 || p->pad_bottom < 0)
        return ebb_fail(e, EBB_E_PARAM, "pads left %d, right %d, top %d, bottom %d must not be negative",
                        p->pad_left, p->pad_right, p->pad_top, p->pad_bottom);
    return EBB_OK;
}

static bool along(const ebb_windows *p, long long size, int kernel, int dilation, int stride, int before,
                  int after, ebb_window_axis *a)
{
    const long long extent = (long long)dilation * (kernel - 1) + 1;
    long long first = before, all = size + before + after;
    if (size < 1) return false;
    if (same(p)) {
        const long long pad = extent + (size - 1) / stride * stride - size, more = pad > 0 ? pad : 0;
        first = p->pad_left == SAME_UPPER ? more / 2 : more - more / 2;
        all = size + more;
    }
    const long long n = (all - extent) / stride + 1;
    if (all < extent || n > INT32_MAX) return false;
    *a = (ebb_window_axis){(int)n, (int)first};
    return true;
}

bool ebb_windows_x(const ebb_windows *p, int size, ebb_window_axis *a)
{
    return along(p, size, p->kernel_w, p->dilation_w, p->stride_w, p->pad_left, p->pad_right, a);
}

bool ebb_windows_y(const ebb_windows *p, int size, ebb_window_axis *a)
{
    return along(p, size, p->kernel_h, p->dilation_h, p->stride_h, p->pad_top, p->pad_bottom, a);
}
