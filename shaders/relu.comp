// SPDX-License-Identifier: BSD-3-Clause
// relu.comp - y = x < 0 ? slope * x : x, by strides. Rule: NaN stays NaN.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "relu.push.h"

layout(local_size_x = 64) in;
layout(push_constant) uniform push_block { relu_push k; };
layout(binding = 0) writeonly buffer to { float y[]; };
layout(binding = 1) readonly buffer from { float x[]; };

void main()
{
    const int step = int(gl_NumWorkGroups.x * gl_WorkGroupSize.x);
    for (int i = int(gl_GlobalInvocationID.x); i < k.count; i += step) {
        int at_y = k.y_offset, at_x = k.x_offset, rest = i;
        for (int axis = 3; axis >= 0; axis--) {
            const int j = rest % k.dim[axis];
            rest /= k.dim[axis];
            at_y += j * k.y_stride[axis];
            at_x += j * k.x_stride[axis];
        }
        const float v = x[at_x];
        y[at_y] = v < 0.0 ? k.slope * v : v;
    }
}
