// SPDX-License-Identifier: BSD-3-Clause
// squeeze_test.c - Squeeze.
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
    r.c = (layer_case){.type = "Squeeze", .params = r.params, .n_out = 1, .reference = reference};
    add_input(&r.c, r.in);
    layer_check(&r.c);
}

START_TEST(by_axes)
{
    check((row){.params = "-23303=1,0", .in = "1x5x7", .want = "5x7"});
    check((row){.params = "-23303=1,1", .in = "3x1x7", .want = "3x7"});
    check((row){.params = "-23303=1,-1", .in = "3x7x1", .want = "3x7"});
    check((row){.params = "-23303=1,-2", .in = "3x1x7", .want = "3x7"});
    check((row){.params = "-23303=2,0,-1", .in = "1x5x7x1", .want = "5x7"});
    check((row){.params = "3=1,2", .in = "5x1x1x7", .want = "5x7"});
    check((row){.params = "-23303=4,0,1,2,3", .in = "1x1x1x1", .want = "1"});
    check((row){.params = "-23303=1,0", .in = "1", .want = "1"});
}
END_TEST

START_TEST(by_flags)
{
    check((row){.params = "0=1", .in = "5x7x1", .want = "5x7"});
    check((row){.params = "1=1", .in = "5x1x7", .want = "5x7"});
    check((row){.params = "2=1", .in = "1x5x7", .want = "5x7"});
    check((row){.params = "11=1", .in = "5x1x7x3", .want = "5x7x3"});
    check((row){.params = "0=1 1=1 2=1 11=1", .in = "17x1x1x1", .want = "17"});
    check((row){.params = "2=1 11=1", .in = "1x17", .want = "1x17"});  // its axes are h and w
    check((row){.params = "1=1", .in = "1x17", .want = "17"});
    check((row){.params = "", .in = "1x1x17", .want = "1x1x17"});
}
END_TEST

START_TEST(what_cannot_go_stays)
{
    check((row){.params = "-23303=2,0,1", .in = "3x1x7", .want = "3x7"});
    check((row){.params = "-23303=1,3", .in = "3x1x7", .want = "3x1x7"});
    check((row){.params = "-23303=1,-5", .in = "3x1x7", .want = "3x1x7"});
    check((row){.params = "0=1 1=1 2=1", .in = "3x5x7", .want = "3x5x7"});
    check((row){.params = "2=1", .in = "1x0x7", .want = "0x7"});
}
END_TEST

int main(void)
{
    return run_tests("squeeze", (const test_entry[]){
                                    {"by_axes", by_axes},
                                    {"by_flags", by_flags},
                                    {"what_cannot_go_stays", what_cannot_go_stays},
                                    {0},
                                });
}
