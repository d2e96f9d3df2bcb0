// SPDX-License-Identifier: BSD-3-Clause
// conv.h - what all convolutions share: parameters, weights, shapes, and the run. A layer adds its rows and says how
// many axes it has.
#pragma once
#include "activation.h"
#include "conv_geometry.h"
#include "pack.h"

typedef struct ebb_conv_way ebb_conv_way;  // conv_way.h

// Weights as the kernels read them, packed by their way.
typedef struct ebb_conv_weights {
    const ebb_conv_way *way;
    ebb_dtype dtype;      // f32, f16 or i8
    int group, ic, oc;    // groups; channels in and out of one group
    int taps;
    const void *b;
    size_t group_bytes;   // from the panels of one group to the next
    const float *bias;    // group * oc, or NULL
    const float *scale;   // i8: factors of the sums, group * oc
    float in_scale;       // i8: of the input
    bool narrow;          // the output is i8
    float narrow_scale;
} ebb_conv_weights;

typedef struct ebb_conv {
    // From the rows.
    int num_output, bias_term, weight_data_size, group, int8_scale_term, dynamic_weight, activation_type;
    ebb_floats activation_params;
    float pad_value;
    ebb_axis_params axis[3];  // d, h, w
    // From init and load.
    int spatial;              // axes the layer has
    bool transposed, grouped; // what kind of layer it is; set before init
    ebb_activation act;
    ebb_conv_weights weights;
    ebb_weights raw;  // as they stand in the file: for a device, or where only the input tells how to pack
} ebb_conv;

// Rows of the parameters, by axis; after them a table may add its own.
#define EBB_CONV_INT(key, text, field, ...)                                                                  \
    EBB_INT(ebb_conv, key, text, field, __VA_ARGS__)
#define EBB_CONV_COMMON                                                                                      \
    EBB_CONV_INT(0, "num_output", num_output, .doc = "channels of the output"),                              \
        EBB_CONV_INT(1, "kernel_w", axis[2].kernel, .doc = "taps"),                                          \
        EBB_CONV_INT(2, "dilation_w", axis[2].dilation, .def = 1, .doc = "pixels from tap to tap"),          \
        EBB_CONV_INT(3, "stride_w", axis[2].stride, .def = 1),                                               \
        EBB_CONV_INT(4, "pad_left", axis[2].before,                                                          \
                     .doc = "-233: same, more at the end; -234: at the start"),                              \
        EBB_CONV_INT(5, "bias_term", bias_term, .doc = "1: the file has a bias"),                            \
        EBB_CONV_INT(6, "weight_data_size", weight_data_size, .doc = "elements"),                            \
        EBB_CONV_INT(9, "activation_type", activation_type,                                                  \
                     .doc = "0 none, 1 relu, 2 leaky, 3 clip, 4 sigmoid, "                                   \
                            "5 mish, 6 hard swish"),                                                         \
        EBB_FLOATS(ebb_conv, 10, "activation_params", activation_params),                                    \
        EBB_CONV_INT(15, "pad_right", axis[2].after, .like = EBB_LIKE(4))
#define EBB_CONV_HEIGHT                                                                                      \
    EBB_CONV_INT(11, "kernel_h", axis[1].kernel, .like = EBB_LIKE(1)),                                       \
    EBB_CONV_INT(12, "dilation_h", axis[1].dilation, .like = EBB_LIKE(2)),                                   \
    EBB_CONV_INT(13, "stride_h", axis[1].stride, .like = EBB_LIKE(3)),                                       \
    EBB_CONV_INT(14, "pad_top", axis[1].before, .like = EBB_LIKE(4)),                                        \
    EBB_CONV_INT(16, "pad_bottom", axis[1].after, .like = EBB_LIKE(14))
#define EBB_CONV_DEPTH                                                                                       \
    EBB_CONV_INT(21, "kernel_d", axis[0].kernel, .like = EBB_LIKE(1)),                                       \
    EBB_CONV_INT(22, "dilation_d", axis[0].dilation, .like = EBB_LIKE(2)),                                   \
    EBB_CONV_INT(23, "stride_d", axis[0].stride, .like = EBB_LIKE(3)),                                       \
    EBB_CONV_INT(24, "pad_front", axis[0].before, .like = EBB_LIKE(4)),                                      \
    EBB_CONV_INT(17, "pad_behind", axis[0].after, .like = EBB_LIKE(24))
#define EBB_CONV_PAD_VALUE                                                                                   \
    EBB_FLOAT(ebb_conv, 18, "pad_value", pad_value)
#define EBB_CONV_GROUP EBB_CONV_INT(7, "group", group, .def = 1)
#define EBB_CONV_INT8                                                                                        \
    EBB_CONV_INT(8, "int8_scale_term", int8_scale_term,                                                      \
                 .doc = "the file has scales; above 100 the output is i8 too")
// Transposed: elements behind the last, and the size that "same" padding cuts to.
#define EBB_CONV_OUTPUT_PAD(key, text, axis_, ...)                                                           \
    EBB_CONV_INT(key, text, axis[axis_].output_pad, __VA_ARGS__)
#define EBB_CONV_OUTPUT(key, text, axis_, ...) EBB_CONV_INT(key, text, axis[axis_].output, __VA_ARGS__)
#define EBB_CONV_DYNAMIC(key)                                                                                \
    EBB_CONV_INT(key, "dynamic_weight", dynamic_weight, .doc = "weights, then bias, come as inputs")

// What shape, plan and run all need to know of the inputs.
typedef struct ebb_conv_case {
    int ic, oc;        // of the whole blob
    ebb_axis axis[3];
    bool vector;       // a rank-1 input that is one pixel
    ebb_conv_weights w;  // b, bias and scale are NULL where the weights come as inputs
} ebb_conv_case;
ebb_status ebb_conv_resolve(const ebb_conv *c, const ebb_desc *in, ebb_conv_case *k, ebb_error *e);
double ebb_conv_macs(const ebb_conv_case *k, bool transposed);
// 1 x 1 taps at every pixel of an image, all channels in one group, floats: what devices compute.
bool ebb_conv_is_pointwise(const ebb_conv *c);

// One pass over the output; a transposed convolution makes one for each phase of its strides.
typedef struct ebb_conv_job {
    // What shapes and orders tell.
    const ebb_kernels *k;
    ebb_conv_weights w;
    ebb_activation act;
    ebb_axis axis[3];
    ebb_dtype in_dtype;
    int ic;
    int taps;             // that take part
    bool gather;          // planar, or one channel: what a block reads is gathered, product by product
    bool window;          // the input is quantised, or put in order, block by block
    int pixels;           // in a block
    ebb_region region;
    // What the run brings.
    const ebb_cpu *cpu;
    const int *tap;       // of the weights, in the order of the axes' taps; NULL: all
    ebb_volume in, out;
    const void *pad;      // a pixel of padding
    int parts;            // the columns are shared out too
} ebb_conv_job;

// From plan to cpu: the job, and where in scratch its pieces begin: a pixel of padding, weights that are packed now, taps.
typedef struct ebb_conv_work {
    ebb_conv_job job;
    bool vector;
    size_t weights, taps;
} ebb_conv_work;

// The slots of the layers; init wants the number of axes, and `grouped` and `transposed` set before.
ebb_status ebb_conv_init(ebb_conv *c, const ebb_init *in, int spatial, ebb_error *e);
ebb_status ebb_conv_load(void *st, const ebb_load *l, ebb_error *e);
ebb_status ebb_conv_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e);
ebb_status ebb_conv_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e);
ebb_status ebb_conv_cpu(const void *st, const ebb_cpu *cpu, const ebb_blob *const *in, ebb_blob *const *out,
                        ebb_error *e);

// A type: how many spatial axes, its rows, what kind it is, inputs at most, words, and further slots.
#define EBB_CONV_TYPE(sym, text, axes, rows, in_groups, is_transposed, inputs, words, ...)                   \
    static ebb_status init_##sym(void *st, const ebb_init *in, ebb_error *e)                                 \
    {                                                                                                        \
        ((ebb_conv *)st)->grouped = in_groups;                                                               \
        ((ebb_conv *)st)->transposed = is_transposed;                                                        \
        return ebb_conv_init(st, in, axes, e);                                                               \
    }                                                                                                        \
    const ebb_layer_type ebb_layer_##sym = {                                                                 \
        .size = sizeof(ebb_layer_type), .name = text, .doc = words, .reads = EBB_PIXEL,                      \
        .in_min = 1, .in_max = inputs, .out_min = 1, .out_max = 1,                                           \
        .state_size = sizeof(ebb_conv), .work_size = sizeof(ebb_conv_work), .params = rows,                  \
        .init = init_##sym, .load = ebb_conv_load,                                                           \
        .shape = ebb_conv_shape, .plan = ebb_conv_plan, .cpu = ebb_conv_cpu, __VA_ARGS__                     \
    };
