// SPDX-License-Identifier: BSD-3-Clause
// slice_test.c - Slice.
#include "shapes.h"

typedef struct row {
    layer_case c;  // first, so that the reference finds the row
    const char *params, *in;
    int axis, n, sizes[CASE_OUT];
} row;

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const row *r = (const row *)c;
    int at = 0;
    for (int k = 0; k < c->n_out; k++) {
        int dim[4], index[4];
        for (int i = 0; i < in[0].rank; i++) dim[i] = i == r->axis ? r->sizes[k] : in[0].dim[i];
        out[k] = tensor_new(in[0].rank, dim);
        for (size_t i = 0; i < tensor_count(&out[k]); i++) {
            size_t rest = i;
            for (int a = in[0].rank - 1; a >= 0; a--) {
                index[a] = (int)(rest % (size_t)dim[a]) + (a == r->axis ? at : 0);
                rest /= (size_t)dim[a];
            }
            out[k].v[i] = *tensor_at_(&in[0], index);
        }
        at += r->sizes[k];
    }
}

static void fill_in(row *r)
{
    r->c = (layer_case){
        .type = "Slice", .params = r->params, .n_out = r->n, .reference = r->sizes[0] ? reference : NULL};
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

START_TEST(sizes)
{
    check((row){.params = "-23300=2,5,12", .in = "17", .n = 2, .sizes = {5, 12}});
    check((row){.params = "-23300=3,2,3,-233 1=1", .in = "5x17", .axis = 1, .n = 3, .sizes = {2, 3, 12}});
    check((row){
        .params = "-23300=3,-233,-233,-233 1=-1", .in = "3x5x17", .axis = 2, .n = 3, .sizes = {5, 6, 6}});
    check((row){.params = "-23300=2,-233,-233", .in = "6x5x17", .n = 2, .sizes = {3, 3}});
    check((row){.params = "0=3,-233,-233 1=-2", .in = "2x3x9x5", .axis = 2, .n = 3, .sizes = {3, 3, 3}});
    check((row){.params = "-23300=2,1,1 1=1", .in = "2x3x9x5", .axis = 1, .n = 2, .sizes = {1, 1}});
    check((row){.params = "-23300=1,17", .in = "17", .n = 1, .sizes = {17}});
    check((row){.params = "-23300=3,2,0,-233", .in = "6x5x17", .n = 3, .sizes = {2, 0, 4}});
}
END_TEST

START_TEST(indices)
{
    check((row){.params = "-23302=1,5", .in = "17", .n = 2, .sizes = {5, 12}});
    check((row){.params = "1=1 -23302=3,2,-10,-8", .in = "5x17", .axis = 1, .n = 3, .sizes = {2, 5, 10}});
    check((row){.params = "1=-3 -23302=2,1,-3", .in = "6x5x17", .axis = 0, .n = 3, .sizes = {1, 2, 3}});
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    refuses(EBB_E_SHAPE, "output 1 would be 13 elements from 5 on, of 17 on axis 0",
            (row){.params = "-23300=2,5,13", .in = "17", .n = 2});
    refuses(EBB_E_SHAPE, "-4 elements", (row){.params = "-23300=2,-4,-233", .in = "17", .n = 2});
    refuses(EBB_E_SHAPE, "output 1", (row){.params = "-23302=2,5,3", .in = "17", .n = 3});
    refuses(EBB_E_SHAPE, "axis", (row){.params = "-23300=2,1,-233 1=2", .in = "5x17", .n = 2});
    refuses(EBB_E_SHAPE, "axis", (row){.params = "-23300=2,1,-233 1=-3", .in = "5x17", .n = 2});
    refuses(EBB_E_PARAM, "3 outputs, but only 2 slices",
            (row){.params = "-23300=2,5,-233", .in = "17", .n = 3});
    refuses(EBB_E_PARAM, "3 outputs, but only 1 indices", (row){.params = "-23302=1,5", .in = "17", .n = 3});
    refuses(EBB_E_PARAM, "0 slices", (row){.params = "", .in = "17", .n = 2});
}
END_TEST

int main(void)
{
    return run_tests("slice", (const test_entry[]){
                                  {"sizes", sizes},
                                  {"indices", indices},
                                  {"what_does_not_fit_is_refused", what_does_not_fit_is_refused},
                                  {0},
                              });
}
