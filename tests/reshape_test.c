// SPDX-License-Identifier: BSD-3-Clause
// reshape_test.c - Reshape.
#include "shapes.h"

typedef struct row {
    layer_case c;  // first, so that the reference finds the row
    const char *params, *in, *want, *other;
} row;

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    out[0] = reshaped(&in[0], ((const row *)c)->want);
}

static void fill_in(row *r)
{
    r->c = (layer_case){
        .type = "Reshape", .params = r->params, .n_out = 1, .reference = r->want ? reference : NULL};
    add_input(&r->c, r->in);
    if (r->other) add_input(&r->c, r->other);
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
    check((row){.params = "0=35", .in = "5x7", .want = "35"});
    check((row){.params = "0=5 1=7", .in = "35", .want = "7x5"});
    check((row){.params = "0=7 1=5 2=3", .in = "105", .want = "3x5x7"});
    check((row){.params = "0=7 1=5 2=3 11=2", .in = "30x7", .want = "3x2x5x7"});
    check((row){.params = "0=8 1=15", .in = "12x10", .want = "15x8"});
    check((row){.params = "0=1 1=1 2=17", .in = "17x1x1", .want = "17x1x1"});
}
END_TEST

START_TEST(minus_one_takes_what_is_left)
{
    check((row){.params = "0=-1", .in = "3x5x7", .want = "105"});
    check((row){.params = "0=-1 1=5", .in = "3x5x7", .want = "5x21"});
    check((row){.params = "0=7 1=-1 2=5", .in = "3x5x7", .want = "5x3x7"});
    check((row){.params = "0=7 1=1 2=-1", .in = "3x5x7", .want = "15x1x7"});
    check((row){.params = "0=7 1=1 2=3 11=-1", .in = "3x5x7", .want = "3x5x1x7"});
    check((row){.params = "0=-1", .in = "3x0x7", .want = "0"});
}
END_TEST

START_TEST(zero_keeps)
{
    check((row){.params = "0=0 1=-1", .in = "3x5x7", .want = "15x7"});
    check((row){.params = "0=-1 1=0", .in = "3x5x7", .want = "5x21"});
    check((row){.params = "0=-1 1=1 2=0", .in = "3x5x7", .want = "3x1x35"});
    check((row){.params = "0=-1 1=1 2=0 11=0", .in = "3x2x5x7", .want = "3x2x1x35"});
    check((row){.params = "0=0 1=0 2=-1", .in = "17", .want = "1x1x17"});
}
END_TEST

START_TEST(expressions)
{
    check((row){.params = "6=\"-1\"", .in = "3x5x7", .want = "105"});
    check((row){.params = "6=\"0w,*(0h,0c)\"", .in = "3x5x7", .want = "15x7"});
    check((row){.params = "6=\"*(0w,0h),0d,0c\"", .in = "3x2x5x7", .want = "3x2x35"});
    check((row){.params = "6=\"1w,1h,-1\"", .in = "210", .other = "2x5x7", .want = "6x5x7"});
    check((row){.params = "6=\"0w,1,1,-1\"", .in = "3x5x7", .want = "15x1x1x7"});
}
END_TEST

// Where element i stands when the outermost axis is counted innermost.
static double *turned(const tensor *t, size_t i)
{
    const size_t c = (size_t)t->dim[0];
    return &t->v[i % c * (tensor_count(t) / c) + i / c];
}

static void permuted(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    out[0] = reshaped(&in[0], ((const row *)c)->want);
    for (size_t i = 0; i < tensor_count(out); i++) *turned(out, i) = *turned(in, i);
}

START_TEST(elements_in_h_w_c_order)
{
    static const row rows[] = {{.params = "0=-1 3=1", .in = "3x5x7", .want = "105"},
                               {.params = "0=35 3=1", .in = "5x7", .want = "35"},
                               {.params = "0=17 3=1", .in = "17", .want = "17"},
                               {.params = "0=21 1=-1 3=1", .in = "3x5x7", .want = "5x21"},
                               {.params = "0=3 1=-1 3=1", .in = "3x5x7", .want = "35x3"},
                               {.params = "0=35 1=1 2=-1 3=1", .in = "3x5x7", .want = "3x1x35"},
                               {.params = "0=5 1=7 2=3 3=1", .in = "105", .want = "3x7x5"},
                               {.params = "0=7 1=2 2=3 3=1", .in = "6x7", .want = "3x2x7"},
                               {.params = "0=7 1=10 2=3 3=1", .in = "3x2x5x7", .want = "3x10x7"},
                               {.params = "0=7 1=5 2=3 3=0", .in = "105", .want = "3x5x7"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        row r = rows[i];
        fill_in(&r);
        r.c.reference = i + 1 < sizeof rows / sizeof *rows ? permuted : reference;
        layer_check(&r.c);
    }
    refuses(EBB_E_PARAM, "parameter 3 (permute) is 2; it goes from 0 to 1", (row){.params = "0=-1 3=2", .in = "17"});
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    refuses(EBB_E_SHAPE, "105 elements of 3x5x7 do not fit into 20x5",
            (row){.params = "0=5 1=20", .in = "3x5x7"});
    refuses(EBB_E_SHAPE, "do not fit", (row){.params = "0=4 1=-1", .in = "3x5x7"});
    refuses(EBB_E_SHAPE, "one may be -1", (row){.params = "0=-1 1=-1", .in = "3x5x7"});
    refuses(EBB_E_SHAPE, "no shape", (row){.params = "0=-5 1=-21", .in = "3x5x7"});
    refuses(EBB_E_SHAPE, "divides by zero", (row){.params = "6=\"//(0w,-(0h,5))\"", .in = "3x5x7"});
    refuses(EBB_E_SHAPE, "do not fit", (row){.params = "0=-1 1=0", .in = "3x0x7"});
    refuses(EBB_E_PARAM, "0 sizes", (row){.params = "", .in = "3x5x7"});
    refuses(EBB_E_PARAM, "5 sizes", (row){.params = "6=\"1,1,1,1,-1\"", .in = "3x5x7"});
    refuses(EBB_E_PARAM, "no input 1", (row){.params = "6=\"1w,-1\"", .in = "3x5x7"});
    refuses(EBB_E_UNSUPPORTED, "batch", (row){.params = "0=-1 12=0", .in = "3x5x7"});
}
END_TEST

int main(void)
{
    return run_tests("reshape", (const test_entry[]){
                                    {"sizes", sizes},
                                    {"minus_one_takes_what_is_left", minus_one_takes_what_is_left},
                                    {"zero_keeps", zero_keeps},
                                    {"expressions", expressions},
                                    {"elements_in_h_w_c_order", elements_in_h_w_c_order},
                                    {"what_does_not_fit_is_refused", what_does_not_fit_is_refused},
                                    {0},
                                });
}
