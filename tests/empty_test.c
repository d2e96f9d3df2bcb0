// SPDX-License-Identifier: BSD-3-Clause
// empty_test.c - inputs with an axis of size 0 beside axes and strides as large as can be: every call ends in words or in a
// result, and nothing overflows (the asan preset watches).
#include "small_layers.h"
#include <stdio.h>

static const char *const bodies[] = {
    "ReLU a 1 1 x y",        "Reshape a 1 1 x y 0=-1",        "Reshape a 1 1 x y 0=0 1=-1",
    "Permute a 1 1 x y 0=1", "Flatten a 1 1 x y",             "Slice a 1 2 x y z -23300=2,-233,-233 1=1",
    "Concat a 2 1 x x y",    "Softmax a 1 1 x y 0=0",         "BinaryOp a 2 1 x x y 0=0",
    "Split a 1 2 x y z",     "ExpandDims a 1 1 x y -23303=1,0", "Squeeze a 1 1 x y",
    "Diag a 1 1 x y",        "Tile a 1 1 x y -23302=1,2",     "CumulativeSum a 1 1 x y",
    "Eltwise a 2 1 x x y 0=1", "PixelShuffle a 1 1 x y 0=2",  "Crop a 1 1 x y -23309=1,0 -23310=1,-233 -23311=1,0"};

enum { WIDEST, ODD, REPEATED, STRIDES };

static void try_one(const char *body, int rank, int zero, int strides)
{
    char text[256];
    snprintf(text, sizeof text, "Input in 0 1 x\n%s\n", body);
    ebb_net *net = small_net(text, NULL, 0);
    ebb_extractor *x = open_on(net, NULL);
    ebb_desc d = {.dtype = EBB_F32, .rank = rank};
    for (int i = 0; i < rank; i++) {
        d.dim[i] = i == zero ? 0 : INT32_MAX - i;
        d.stride[i] = strides == WIDEST ? PTRDIFF_MAX - i : strides == ODD ? 1 + (i == 0) : 0;
    }
    const float nothing[1] = {0};
    ebb_error e = {0};
    ebb_blob *b = NULL;
    ebb_prediction p;
    if (ebb_extractor_borrow(x, "x", &d, nothing, &e) == EBB_OK &&
        ebb_extractor_predict(x, ONE("y"), 1, NULL, &p, &e) == EBB_OK && p.joint_peak < 1 << 20) {
        ck_assert_msg(ebb_extractor_extract(x, "y", EBB_TAKE_PLANAR, &b, &e) == EBB_OK, "%s: %s", body, e.msg);
        ebb_blob_drop(b);
    } else {
        ck_assert_str_ne(e.msg, "");
    }
    ebb_extractor_destroy(x);
    walk_net_end(net);
}

START_TEST(strides_beside_an_empty_axis_mean_nothing)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int rank = 1; rank <= EBB_MAX_RANK; rank++)
            for (int zero = 0; zero < rank; zero++)
                for (int strides = 0; strides < STRIDES; strides++) try_one(bodies[i], rank, zero, strides);
}
END_TEST

int main(void)
{
    return run_tests("empty", (const test_entry[]){{"strides beside an empty axis mean nothing",
                                                    strides_beside_an_empty_axis_mean_nothing},
                                                   {0}});
}
