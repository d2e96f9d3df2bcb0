// SPDX-License-Identifier: BSD-3-Clause
// convolution_1x1.push.h - one struct for C and GLSL.
struct convolution_1x1_push {
    int tiles, across;              // all, and along the outputs
    int pixels, width;              // of the image, of a row
    int ic, oc;
    int has_bias;                   // behind the weights
    int activation;                 // as layers/parts/activation.h numbers them
    float p, q;                     // its values
    int x_channel, x_row, x_pixel;  // strides
    int y_channel, y_row, y_pixel;
    int x_offset, y_offset;
};
