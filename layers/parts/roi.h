// SPDX-License-Identifier: BSD-3-Clause
// roi.h - the region that ROIAlign and ROIPooling look at.
#pragma once
#include "ebb_layer.h"

// The head of the state of both layers.
typedef struct ebb_roi {
    int pooled_width, pooled_height;
    float spatial_scale;
} ebb_roi;

#define EBB_ROI_ROWS                                                                                         \
    EBB_INT(ebb_roi, 0, "pooled_width", pooled_width), EBB_INT(ebb_roi, 1, "pooled_height", pooled_height),  \
        EBB_FLOAT(ebb_roi, 2, "spatial_scale", spatial_scale, .def = 1,                                      \
                  .doc = "from the region's pixels to the input's")

ebb_status ebb_roi_init(void *st, const ebb_init *in, ebb_error *e);
// A picture and a region of four numbers make channels x pooled_height x pooled_width.
ebb_status ebb_roi_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e);
ebb_status ebb_roi_plan(const void *st, const ebb_plan_in *in, ebb_plan *plan, ebb_error *e);
// x1, y1, x2, y2, scaled.
void ebb_roi_read(const ebb_roi *p, const ebb_blob *b, float box[4]);
