// SPDX-License-Identifier: BSD-3-Clause
// roi_test.c - what ROIAlign and ROIPooling refuse.
#include "harness.h"

START_TEST(refusals)
{
    layer_case c = {.type = "ROIPooling", .params = "0=0 1=2", .n_in = 2, .n_out = 1,
                    .in = {{.rank = 3, .dim = {2, 3, 4}}, {.rank = 1, .dim = {4}}}};
    layer_refuses(&c, EBB_E_PARAM, "pooled_height is 2 and pooled_width 0");
    c.params = "0=2 1=2";
    c.in[1].dim[0] = 5;
    layer_refuses(&c, EBB_E_SHAPE,
                  "the inputs are 2x3x4 and 5, must be channels x height x width and a region of 4");
    c.type = "ROIAlign";
    c.in[1].rank = 2;
    c.in[1].dim[0] = c.in[1].dim[1] = 2;
    layer_refuses(&c, EBB_E_SHAPE, "a region of 4");
    c.in[1].dim[0] = 1;
    c.in[1].dim[1] = 4;
    c.in[0].dim[1] = 0;
    layer_refuses(&c, EBB_E_SHAPE, "2x0x4");
}
END_TEST

int main(void) { return run_tests("roi", (const test_entry[]){{"refusals", refusals}, {0}}); }
