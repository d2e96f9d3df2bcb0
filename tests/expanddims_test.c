// SPDX-License-Identifier: BSD-3-Clause
// expanddims_test.c - ExpandDims.
#include "shapes.h"

typedef struct row {
    layer_case c;  // first, so that the reference finds the row
    const char *params, *in, *want;
} row;

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    out[0] = reshaped(&in[0], ((const row *)c)->want);
}

static void check(row r)
{
    r.c = (layer_case){.type = "ExpandDims", .params = r.params, .n_out = 1, .reference = reference};
    add_input(&r.c, r.in);
    layer_check(&r.c);
}

START_TEST(new_axes)
{
    check((row){.params = "-23303=1,0", .in = "5x7", .want = "1x5x7"});
    check((row){.params = "-23303=1,1", .in = "5x7", .want = "5x1x7"});
    check((row){.params = "-23303=1,-1", .in = "5x7", .want = "5x7x1"});
    check((row){.params = "-23303=2,0,2", .in = "5x7", .want = "1x5x1x7"});
    check((row){.params = "-23303=2,-4,-1", .in = "5x7", .want = "1x5x7x1"});
    check((row){.params = "3=0,1,2", .in = "17", .want = "1x1x1x17"});
    check((row){.params = "-23303=1,-2", .in = "5x4x3", .want = "5x4x1x3"});
}
END_TEST

START_TEST(what_names_no_axis_is_ignored)
{
    check((row){.params = "", .in = "5x7", .want = "5x7"});
    check((row){.params = "-23303=1,2", .in = "17", .want = "17"});
    check((row){.params = "-23303=1,0", .in = "3x2x5x7", .want = "3x2x5x7"});
    check((row){.params = "-23303=3,0,1,2", .in = "5x7", .want = "5x7"});
    check((row){.params = "-23303=2,0,3", .in = "17", .want = "1x1x17"});
    check((row){.params = "-23303=2,2,3", .in = "17", .want = "1x17x1"});
    check((row){.params = "-23303=2,1,1", .in = "17", .want = "1x1x17"});
}
END_TEST

int main(void)
{
    return run_tests("expanddims", (const test_entry[]){
                                       {"new_axes", new_axes},
                                       {"what_names_no_axis_is_ignored", what_names_no_axis_is_ignored},
                                       {0},
                                   });
}
