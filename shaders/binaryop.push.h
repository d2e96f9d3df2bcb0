// SPDX-License-Identifier: BSD-3-Clause
// binaryop.push.h - one struct for C and GLSL. Axes stand outermost first and are filled up with sizes of 1.
struct binaryop_push {
    int count;
    int op;                // as layers/kernels/ops.h numbers them
    int swap, has_number;  // b op a; b is the number
    int dim[4];
    int y_stride[4], a_stride[4], b_stride[4];
    int y_offset, a_offset, b_offset;
    float number;
};
