// SPDX-License-Identifier: BSD-3-Clause
// copyto_test.c - CopyTo.
#include "shapes.h"

typedef struct row {
    layer_case c;  // first, so that the reference finds the row
    const char *params, *in, *part, *at, *lifted;  // lifted: the part with as many axes as in; NULL: as it is
} row;

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const row *r = (const row *)c;
    int at[4], index[4];
    ck_assert_int_eq(read_shape(r->at, at), in[0].rank);
    tensor part = reshaped(&in[1], r->lifted ? r->lifted : r->part);
    out[0] = reshaped(&in[0], r->in);
    for (size_t i = 0; i < tensor_count(&part); i++) {
        place_of(&part, i, index);
        for (int k = 0; k < part.rank; k++) index[k] += at[k];
        *tensor_at_(&out[0], index) = part.v[i];
    }
    free(part.v);
}

static void fill_in(row *r)
{
    r->c = (layer_case){
        .type = "CopyTo", .params = r->params, .n_out = 1, .reference = r->at ? reference : NULL};
    add_input(&r->c, r->in);
    add_input(&r->c, r->part);
}

static void check(row r)
{
    fill_in(&r);
    layer_check(&r.c);
}

static void refuses(ebb_status s, const char *words, row r)
{
    fill_in(&r);
    layer_refuses(&r.c, s, words);
}

START_TEST(offsets)
{
    check((row){.params = "0=3", .in = "17", .part = "5", .at = "3"});
    check((row){.params = "0=3 1=1", .in = "5x17", .part = "3x7", .at = "1x3"});
    check((row){.params = "0=3 1=1 2=2", .in = "9x5x17", .part = "4x3x7", .at = "2x1x3"});
    check((row){.params = "0=1 1=2 2=1 13=1", .in = "3x4x5x7", .part = "2x3x1x5", .at = "1x1x2x1"});
    check((row){.params = "", .in = "3x5x7", .part = "3x5x7", .at = "0x0x0"});
    check((row){.params = "0=17", .in = "17", .part = "0", .at = "17"});
}
END_TEST

START_TEST(starts)
{
    check((row){.params = "-23309=1,3", .in = "17", .part = "5", .at = "3"});
    check((row){.params = "-23309=1,-5 -23311=1,-1", .in = "5x17", .part = "5x3", .at = "0x12"});
    check((row){.params = "-23309=2,1,2 -23311=2,2,0", .in = "9x5x17", .part = "3x5x4", .at = "2x0x1"});
    check((row){.params = "-23309=3,-233,1,0", .in = "9x5x17", .part = "3x2x4", .at = "0x1x0"});
    check((row){.params = "9=1,1 11=1,-2", .in = "3x4x5x7", .part = "3x1x2x7", .at = "0x1x1x0"});
}
END_TEST

START_TEST(parts_with_fewer_axes)
{
    check((row){.params = "0=3 1=2", .in = "5x17", .part = "6", .at = "2x3", .lifted = "1x6"});
    check((row){.params = "2=1", .in = "3x5x7", .part = "4x6", .at = "1x0x0", .lifted = "1x4x6"});
    check((row){.params = "13=1", .in = "3x2x5x7", .part = "2x4x6", .at = "0x1x0x0", .lifted = "2x1x4x6"});
}
END_TEST

START_TEST(whole_numbers_pass)
{
    row r = {.params = "0=3 1=1", .in = "5x17", .part = "3x7", .at = "1x3"};
    fill_in(&r);
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        r.c.in[0].dtype = r.c.in[1].dtype = (ebb_dtype)t;
        layer_check(&r.c);
    }
}
END_TEST

START_TEST(parts_outside_are_refused)
{
    refuses(EBB_E_SHAPE, "input 1, 5, does not lie inside of input 0, 17",
            (row){.params = "0=13", .in = "17", .part = "5"});
    refuses(EBB_E_SHAPE, "inside", (row){.params = "0=-1", .in = "17", .part = "5"});
    refuses(EBB_E_SHAPE, "inside", (row){.params = "0=2147483647", .in = "17", .part = "5"});
    refuses(EBB_E_SHAPE, "inside", (row){.params = "", .in = "17", .part = "1x17"});
    refuses(EBB_E_SHAPE, "inside", (row){.params = "-23309=1,-20", .in = "17", .part = "5"});
    refuses(EBB_E_SHAPE, "inside", (row){.params = "0=3", .in = "17", .part = "17"});
    refuses(EBB_E_SHAPE, "inside",
            (row){.params = "-23309=1,1073741824 -23311=1,0", .in = "3x5x7", .part = "3x5x7"});
    refuses(EBB_E_SHAPE, "axis", (row){.params = "-23309=1,1 -23311=1,2", .in = "5x17", .part = "1x1"});
    refuses(EBB_E_PARAM, "2 starts, but 1 axes",
            (row){.params = "-23309=2,1,1 -23311=1,0", .in = "5x17", .part = "1x1"});
}
END_TEST

int main(void)
{
    return run_tests("copyto", (const test_entry[]){
                                   {"offsets", offsets},
                                   {"starts", starts},
                                   {"parts_with_fewer_axes", parts_with_fewer_axes},
                                   {"whole_numbers_pass", whole_numbers_pass},
                                   {"parts_outside_are_refused", parts_outside_are_refused},
                                   {0},
                               });
}
