// SPDX-License-Identifier: BSD-3-Clause
// windows.c - where the windows of Unfold and Fold lie. Rule: as axis.c says, so that no size overflows.
#include "windows.h"

static bool same(const ebb_windows *p)
{
    return (p->pad_left == EBB_PAD_SAME_UPPER || p->pad_left == EBB_PAD_SAME_LOWER) &&
           p->pad_right == p->pad_left && p->pad_top == p->pad_left && p->pad_bottom == p->pad_left;
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

bool ebb_windows_x(const ebb_windows *p, int size, ebb_axis *a)
{
    const ebb_axis_params x = {.kernel = p->kernel_w, .dilation = p->dilation_w, .stride = p->stride_w,
                               .before = p->pad_left, .after = p->pad_right};
    return size > 0 && ebb_axis_conv(a, size, &x, "width", NULL) == EBB_OK;
}

bool ebb_windows_y(const ebb_windows *p, int size, ebb_axis *a)
{
    const ebb_axis_params y = {.kernel = p->kernel_h, .dilation = p->dilation_h, .stride = p->stride_h,
                               .before = p->pad_top, .after = p->pad_bottom};
    return size > 0 && ebb_axis_conv(a, size, &y, "height", NULL) == EBB_OK;
}
