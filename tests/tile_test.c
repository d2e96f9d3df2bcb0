// SPDX-License-Identifier: BSD-3-Clause
// tile_test.c - Tile.
#include "shapes.h"

typedef struct row {
    layer_case c;  // first, so that the reference finds the row
    const char *params, *in, *lifted, *want;  // lifted: in with as many axes as want; NULL: as it is
} row;

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const row *r = (const row *)c;
    int dim[4], index[4];
    tensor x = reshaped(&in[0], r->lifted ? r->lifted : r->in);
    const int rank = read_shape(r->want, dim);
    ck_assert_int_eq(rank, x.rank);
    out[0] = tensor_new(rank, dim);
    for (size_t i = 0; i < tensor_count(&out[0]); i++) {
        place_of(&out[0], i, index);
        for (int k = 0; k < rank; k++) index[k] %= x.dim[k];
        out[0].v[i] = *tensor_at_(&x, index);
    }
    free(x.v);
}

static void fill_in(row *r)
{
    r->c = (layer_case){
        .type = "Tile", .params = r->params, .n_out = 1, .reference = r->want ? reference : NULL};
    add_input(&r->c, r->in);
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

START_TEST(along_one_axis)
{
    check((row){.params = "", .in = "3x5x7", .want = "3x5x7"});
    check((row){.params = "1=3", .in = "17", .want = "51"});
    check((row){.params = "0=1 1=3", .in = "5x7", .want = "5x21"});
    check((row){.params = "0=-1 1=2", .in = "3x5x7", .want = "3x5x14"});
    check((row){.params = "0=0 1=2", .in = "3x5x7", .want = "6x5x7"});
    check((row){.params = "0=1 1=5", .in = "3x1x5x7", .want = "3x5x5x7"});
    check((row){.params = "0=1 1=0", .in = "3x5x7", .want = "3x0x7"});
}
END_TEST

START_TEST(repeats)
{
    check((row){.params = "-23302=1,3", .in = "5x7", .want = "5x21"});
    check((row){.params = "-23302=2,2,3", .in = "3x5x7", .want = "3x10x21"});
    check((row){.params = "-23302=3,2,3,2", .in = "3x5x7", .want = "6x15x14"});
    check((row){.params = "-23302=3,2,1,3", .in = "3x2x5x7", .want = "3x4x5x21"});
    check((row){.params = "-23302=4,2,3,2,3", .in = "2x3x2x3", .want = "4x9x4x9"});
    check((row){.params = "-23302=3,4,5,6", .in = "1x1x1", .want = "4x5x6"});
    check((row){.params = "-23302=3,1,1,1", .in = "3x5x7", .want = "3x5x7"});
    check((row){.params = "2=2,2", .in = "33x17", .want = "66x34"});
    check((row){.params = "-23302=2,2,0", .in = "3x5", .want = "6x0"});
    check((row){.params = "-23302=2,2,3", .in = "0x5", .want = "0x15"});
}
END_TEST

START_TEST(more_repeats_make_axes)
{
    check((row){.params = "-23302=2,2,3", .in = "17", .lifted = "1x17", .want = "2x51"});
    check((row){.params = "-23302=3,1,1,1", .in = "17", .lifted = "1x1x17", .want = "1x1x17"});
    check((row){.params = "-23302=4,2,3,2,1", .in = "5x7", .lifted = "1x1x5x7", .want = "2x3x10x7"});
    check((row){.params = "-23302=4,2,3,2,3", .in = "3x5x7", .lifted = "3x1x5x7", .want = "6x3x10x21"});
    check((row){.params = "-23302=4,1,1,1,1", .in = "3x5x7", .lifted = "3x1x5x7", .want = "3x1x5x7"});
}
END_TEST

START_TEST(whole_numbers_pass)
{
    row r = {.params = "-23302=2,2,3", .in = "3x5x7", .want = "3x10x21"};
    fill_in(&r);
    for (int t = EBB_I8; t <= EBB_I32; t++) {
        r.c.in[0].dtype = (ebb_dtype)t;
        layer_check(&r.c);
    }
}
END_TEST

START_TEST(impossible_tiles_are_refused)
{
    refuses(EBB_E_PARAM, "tiles", (row){.params = "1=-1", .in = "3x5"});
    refuses(EBB_E_PARAM, "repeats", (row){.params = "-23302=2,1,-1", .in = "3x5"});
    refuses(EBB_E_PARAM, "5 repeats", (row){.params = "-23302=5,1,1,1,1,1", .in = "3x5"});
    refuses(EBB_E_SHAPE, "axis", (row){.params = "0=2 1=2", .in = "3x5"});
    refuses(EBB_E_SHAPE, "too many", (row){.params = "1=2147483647", .in = "3x5"});
}
END_TEST

int main(void)
{
    return run_tests("tile", (const test_entry[]){
                                 {"along_one_axis", along_one_axis},
                                 {"repeats", repeats},
                                 {"more_repeats_make_axes", more_repeats_make_axes},
                                 {"whole_numbers_pass", whole_numbers_pass},
                                 {"impossible_tiles_are_refused", impossible_tiles_are_refused},
                                 {0},
                             });
}
