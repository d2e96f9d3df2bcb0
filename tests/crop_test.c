// SPDX-License-Identifier: BSD-3-Clause
// crop_test.c - Crop.
#include "shapes.h"

typedef struct row {
    layer_case c;  // first, so that the reference finds the row
    const char *params, *in, *at, *want, *like;  // at: the first element of the window
} row;

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    int dim[4], at[4], index[4];
    const int rank = read_shape(((const row *)c)->want, dim);
    ck_assert_int_eq(read_shape(((const row *)c)->at, at), rank);
    out[0] = tensor_new(rank, dim);
    for (size_t i = 0; i < tensor_count(&out[0]); i++) {
        size_t rest = i;
        for (int k = rank - 1; k >= 0; k--)
            index[k] = at[k] + (int)(rest % (size_t)dim[k]), rest /= (size_t)dim[k];
        out[0].v[i] = *tensor_at_(&in[0], index);
    }
}

static void fill_in(row *r)
{
    r->c = (layer_case){
        .type = "Crop", .params = r->params, .n_out = 1, .reference = r->want ? reference : NULL};
    add_input(&r->c, r->in);
    if (r->like) add_input(&r->c, r->like);
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

START_TEST(offsets_and_sizes)
{
    check((row){.params = "0=3 3=5", .in = "17", .at = "3", .want = "5"});
    check((row){.params = "0=3 3=-233", .in = "17", .at = "3", .want = "14"});
    check((row){.params = "0=3 3=-233 6=2", .in = "17", .at = "3", .want = "12"});
    check((row){.params = "0=3 3=100", .in = "17", .at = "3", .want = "14"});
    check((row){.params = "0=1 1=2 3=3 4=4", .in = "9x8", .at = "2x1", .want = "4x3"});
    check((row){.params = "0=1 1=2 2=3 3=4 4=5 5=6", .in = "9x10x11", .at = "3x2x1", .want = "6x5x4"});
    check((row){.params = "0=1 1=2 2=3 13=1 3=4 4=5 5=6 14=2",
                .in = "9x4x10x11",
                .at = "3x1x2x1",
                .want = "6x2x5x4"});
    check((row){.params = "1=1 2=3 3=-233 4=-233 5=-233 6=1 7=2 8=3",
                .in = "9x10x11",
                .at = "3x1x0",
                .want = "3x7x10"});
    check((row){
        .params = "3=-233 4=-233 5=-233 14=-233 15=1", .in = "3x4x5x6", .at = "0x0x0x0", .want = "3x3x5x6"});
}
END_TEST

START_TEST(fewer_offsets_mean_the_outer_axes)
{
    check((row){.params = "0=2 1=-233 3=4", .in = "9x8", .at = "2x0", .want = "4x8"});
    check((row){.params = "0=2 1=-233 2=-233 3=-233 6=1", .in = "9x8x7", .at = "2x0x0", .want = "6x8x7"});
    check((row){.params = "0=2 1=3 2=-233 3=4 4=5", .in = "9x8x7", .at = "3x2x0", .want = "5x4x7"});
    check((row){
        .params = "0=2 1=3 13=-233 2=-233 3=4 4=5", .in = "9x8x7x6", .at = "3x2x0x0", .want = "5x4x7x6"});
}
END_TEST

START_TEST(the_shape_of_a_second_input)
{
    check((row){.params = "0=3", .in = "17", .like = "5", .at = "3", .want = "5"});
    check((row){.params = "0=3 1=2", .in = "17x19", .like = "5x6", .at = "2x3", .want = "5x6"});
    check((row){.params = "0=3 1=2 2=1", .in = "9x17x19", .like = "4x5x6", .at = "1x2x3", .want = "4x5x6"});
    check((row){.params = "0=3 1=2", .in = "9x17x19", .like = "5x6", .at = "0x2x3", .want = "9x5x6"});
    check((row){
        .params = "0=3 1=2 13=1", .in = "9x3x17x19", .like = "4x2x5x6", .at = "0x1x2x3", .want = "4x2x5x6"});
    check((row){.params = "", .in = "3x17x19", .like = "3x17x19", .at = "0x0x0", .want = "3x17x19"});
}
END_TEST

START_TEST(starts_and_ends)
{
    check((row){.params = "-23309=1,3 -23310=1,8", .in = "17", .at = "3", .want = "5"});
    check((row){.params = "9=1,2 10=4,-1", .in = "9x8", .at = "1x2", .want = "3x5"});
    check((row){.params = "-23309=2,1,2 -23310=2,-233,-2 -23311=2,0,-1",
                .in = "9x8x7",
                .at = "1x0x2",
                .want = "8x8x3"});
    check((row){
        .params = "-23309=1,-3 -23310=1,-233 -23311=1,-2", .in = "9x8x7", .at = "0x5x0", .want = "9x3x7"});
    check((row){
        .params = "-23309=1,-233 -23310=1,0 -23311=1,1", .in = "9x8x7", .at = "0x0x0", .want = "9x8x7"});
    check((row){.params = "-23309=1,-100 -23310=1,100 -23311=1,3",
                .in = "3x2x8x7",
                .at = "0x0x0x0",
                .want = "3x2x8x7"});
    check((row){.params = "-23309=1,5 -23310=1,5", .in = "17", .at = "5", .want = "0"});
    check((row){.params = "-23309=1,20 -23310=1,30 -23311=1,1", .in = "3x17", .at = "0x17", .want = "3x0"});
    check((row){.params = "-23309=1,5 -23310=1,-20", .in = "17", .at = "5", .want = "0"});
}
END_TEST

START_TEST(expressions)
{
    check((row){.params = "19=\"16,//(0h,4),2\" 20=\"32,-1,-(0w,2)\" 21=\"0,1,2\"",
                .in = "33x12x13",
                .at = "16x3x2",
                .want = "16x8x9"});
    check((row){.params = "19=\"1w\" 20=\"-233\" 21=\"-1\"",
                .in = "3x17",
                .like = "2x5",
                .at = "0x5",
                .want = "3x12"});
    check((row){.params = "19=\"1,2\" 20=\"0h,0w\"", .in = "3x17", .at = "1x2", .want = "2x15"});
}
END_TEST

START_TEST(whole_numbers_pass)
{
    row r = {.params = "0=3 1=2 3=4 4=5 5=-233", .in = "3x9x8", .at = "0x2x3", .want = "3x5x4"};
    fill_in(&r);
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        r.c.in[0].dtype = (ebb_dtype)t;
        layer_check(&r.c);
    }
}
END_TEST

START_TEST(windows_outside_are_refused)
{
    refuses(EBB_E_SHAPE, "5 elements from 14 on are outside of axis 0, which has 17",
            (row){.params = "0=14", .in = "17", .like = "5"});
    refuses(EBB_E_SHAPE, "outside of axis 0", (row){.params = "0=18 3=-233", .in = "17"});
    refuses(EBB_E_SHAPE, "outside of axis 0", (row){.params = "0=-1 3=4", .in = "17"});
    refuses(EBB_E_SHAPE, "outside of axis 1",
            (row){.params = "0=2147483647 3=4 4=-233 6=2147483647", .in = "3x17"});
    refuses(EBB_E_SHAPE, "outside of axis 0", (row){.params = "3=-5", .in = "17"});
    refuses(EBB_E_SHAPE, "none left", (row){.params = "0=17 3=-233", .in = "17"});
    refuses(EBB_E_SHAPE, "none left", (row){.params = "3=4 4=4", .in = "3x17x9"});
    refuses(EBB_E_SHAPE, "axis", (row){.params = "-23309=1,1 -23310=1,2 -23311=1,3", .in = "3x17x9"});
    refuses(EBB_E_SHAPE, "axis", (row){.params = "-23309=1,1 -23310=1,2 -23311=1,-4", .in = "3x17x9"});
}
END_TEST

START_TEST(missing_parameters_are_refused)
{
    refuses(EBB_E_PARAM, "no second input", (row){.params = "0=3", .in = "17"});
    refuses(EBB_E_PARAM, "starts and ends come together", (row){.params = "9=1,2 3=4", .in = "17x18"});
    refuses(EBB_E_PARAM, "2 starts, 1 ends, 0 axes",
            (row){.params = "-23309=2,1,2 -23310=1,4", .in = "17x18"});
    refuses(EBB_E_PARAM, "2 starts, 2 ends, 1 axes",
            (row){.params = "-23309=2,1,2 -23310=2,4,5 -23311=1,0", .in = "17x18"});
    refuses(EBB_E_UNSUPPORTED, "shapes that come from data",
            (row){.params = "0=-233", .in = "17", .like = "6"});
    refuses(EBB_E_PARAM, "expression", (row){.params = "19=\"1w\" 20=\"2\"", .in = "17"});
}
END_TEST

int main(void)
{
    return run_tests("crop", (const test_entry[]){
                                 {"offsets_and_sizes", offsets_and_sizes},
                                 {"fewer_offsets_mean_the_outer_axes", fewer_offsets_mean_the_outer_axes},
                                 {"the_shape_of_a_second_input", the_shape_of_a_second_input},
                                 {"starts_and_ends", starts_and_ends},
                                 {"expressions", expressions},
                                 {"whole_numbers_pass", whole_numbers_pass},
                                 {"windows_outside_are_refused", windows_outside_are_refused},
                                 {"missing_parameters_are_refused", missing_parameters_are_refused},
                                 {0},
                             });
}
