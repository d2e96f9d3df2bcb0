// SPDX-License-Identifier: BSD-3-Clause
// relu.push.h - one struct for C and GLSL. Axes stand outermost first and are filled up with sizes of 1.
struct relu_push {
    int count;
    int dim[4];
    int y_stride[4], x_stride[4];
    int y_offset, x_offset;
    float slope;
};
