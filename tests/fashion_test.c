// SPDX-License-Identifier: BSD-3-Clause
// fashion_test.c - the bundled trained model on the first 200 pictures of its test set: the same answers
// whatever kernels, threads and preferences, and 187 of them right.
#include "harness.h"
#include <stdio.h>

enum { PICTURES = 200, SIDE = 28, CLASSES = 10, RIGHT = 187 };

typedef struct record {
    uint8_t label, pixels[SIDE * SIDE];
} record;

static void read_records(record *r)
{
    FILE *f = fopen(EBB_SOURCE_DIR "/tests/data/fashion_200.bin", "rb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fread(r, sizeof *r, PICTURES, f), PICTURES);
    ck_assert_int_eq(fgetc(f), EOF);
    fclose(f);
}

#define must(call) ck_assert_msg((call) == EBB_OK, "%s", e.msg)

static int answer(ebb_extractor *x, const record *r)
{
    ebb_error e;
    ebb_blob *out;
    const ebb_picture p = {.pixel = EBB_GRAY, .width = SIDE, .height = SIDE, .data = r->pixels};
    const ebb_picture_fit fit = {.to = EBB_GRAY, .mean = {73}, .scale = {0.0111f}};
    ebb_extractor_reset(x);
    must(ebb_extractor_picture(x, "data", &p, &fit, &e));
    must(ebb_extractor_extract(x, "prob", EBB_TAKE_PLANAR, &out, &e));
    ck_assert_uint_eq(ebb_desc_count(ebb_blob_desc(out)), CLASSES);
    int best = 0;
    float sum = 0;
    for (int i = 0; i < CLASSES; i++) {
        sum += ebb_f32(out)[i];
        if (ebb_f32(out)[i] > ebb_f32(out)[best]) best = i;
    }
    ck_assert_float_eq_tol(sum, 1, 1e-5f);
    ebb_blob_drop(out);
    return best;
}

// The answers to all pictures go to `answers`, or must be those.
static void classify(const ebb_net_options *o, int threads, const record *r, int answers[PICTURES],
                     bool first)
{
    ebb_error e;
    ebb_net *net;
    ebb_extractor *x;
    must(ebb_net_new(o, &net, &e));
    must(ebb_net_load(net, EBB_SOURCE_DIR "/tools/fashion/fashion.param",
                      EBB_SOURCE_DIR "/tools/fashion/fashion.bin", &e));
    must(ebb_extractor_new(net, &(ebb_extractor_options){.threads = threads}, &x, &e));
    for (int i = 0; i < PICTURES; i++) {
        const int a = answer(x, &r[i]);
        if (first) answers[i] = a;
        ck_assert_msg(a == answers[i], "picture %d: %d with %s and %d threads, %d before", i, a, o->isa,
                      threads, answers[i]);
    }
    ebb_extractor_destroy(x);
    ebb_net_destroy(net);
}

START_TEST(right_answers)
{
    static record r[PICTURES];
    int answers[PICTURES], right = 0;
    bool first = true;
    read_records(r);
    for (int i = 0; ebb_isa_name(i); i++)
        for (int threads = 1; threads <= 2; threads++) {
            const ebb_net_options o = {.isa = ebb_isa_name(i),
                                       .prefer = threads == 1 ? EBB_PREFER_SMALL : EBB_PREFER_FAST};
            classify(&o, threads, r, answers, first);
            first = false;
        }
    for (int i = 0; i < PICTURES; i++) right += answers[i] == r[i].label;
    ck_assert_int_eq(right, RIGHT);
}
END_TEST

int main(void) { return run_tests("fashion", (const test_entry[]){{"right answers", right_answers}, {0}}); }
