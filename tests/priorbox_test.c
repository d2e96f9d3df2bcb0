// SPDX-License-Identifier: BSD-3-Clause
// priorbox_test.c - PriorBox against its formulas in double precision, both kinds, all parameters.
#include "harness.h"
#include <math.h>

enum { ROOM = 16 };

typedef struct sizes {
    int n_min, n_max, n_ratio;
    double min[ROOM], max[ROOM], ratio[ROOM];
} sizes;

static double *put(double *to, double clip, double cx, double cy, double w, double h, double iw, double ih)
{
    const double v[4] = {(cx - w / 2) / iw, (cy - h / 2) / ih, (cx + w / 2) / iw, (cy + h / 2) / ih};
    for (int i = 0; i < 4; i++) to[i] = clip != 0 ? fmin(fmax(v[i], 0), 1) : v[i];
    return to + 4;
}

static double step_of(const layer_case *c, int id, double image, double cells)
{
    const double given = case_param(c, id, -233);
    if (given != -233) return given;
    return case_param(c, 14, 0) != 0 ? ceil(image / cells) : image / cells;
}

static void ssd(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    sizes s;
    s.n_min = case_array(c, 0, s.min, ROOM), s.n_max = case_array(c, 1, s.max, ROOM),
    s.n_ratio = case_array(c, 2, s.ratio, ROOM);
    const int r = in[0].rank, w = in[0].dim[r - 1], h = in[0].dim[r - 2];
    const double flip = case_param(c, 7, 1), clip = case_param(c, 8, 0), offset = case_param(c, 13, 0);
    double iw = case_param(c, 9, 0), ih = case_param(c, 10, 0);
    if (iw == -233) iw = in[1].dim[in[1].rank - 1];
    if (ih == -233) ih = in[1].dim[in[1].rank - 2];
    const double sw = step_of(c, 11, iw, w), sh = step_of(c, 12, ih, h), less = case_param(c, 15, 0) != 0;
    const int boxes = s.n_min + s.n_max + s.n_min * s.n_ratio * (flip != 0 ? 2 : 1);
    out[0] = tensor_new(2, (const int[]){2, boxes * w * h * 4});
    double *to = out[0].v;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int i = 0; i < s.n_min; i++) {
                const double cx = offset * (sw - less) + x * sw, cy = offset * (sh - less) + y * sh,
                             m = s.min[i];
                to = put(to, clip, cx, cy, m, m, iw, ih);
                if (s.n_max) to = put(to, clip, cx, cy, sqrt(m * s.max[i]), sqrt(m * s.max[i]), iw, ih);
                for (int k = 0; k < s.n_ratio; k++) {
                    to = put(to, clip, cx, cy, m * sqrt(s.ratio[k]), m / sqrt(s.ratio[k]), iw, ih);
                    if (flip != 0)
                        to = put(to, clip, cx, cy, m / sqrt(s.ratio[k]), m * sqrt(s.ratio[k]), iw, ih);
                }
            }
    static const double usual[] = {0.1, 0.1, 0.2, 0.2};
    for (int i = 0; i < boxes * w * h * 4; i++) *to++ = case_param(c, 3 + i % 4, usual[i % 4]);
}

static void multibox(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    sizes s;
    s.n_min = case_array(c, 0, s.min, ROOM), s.n_ratio = case_array(c, 2, s.ratio, ROOM);
    const int w = in[0].dim[2], h = in[0].dim[1], boxes = s.n_min + s.n_ratio - 1;
    const double clip = case_param(c, 8, 0), offset = case_param(c, 13, 0);
    double sw = case_param(c, 11, -233), sh = case_param(c, 12, -233);
    if (sw == -233) sw = 1. / w;
    if (sh == -233) sh = 1. / h;
    out[0] = tensor_new(1, (const int[]){boxes * w * h * 4});
    double *to = out[0].v;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < boxes; k++) {
                const double size = s.min[k < s.n_min ? k : 0],
                             root = sqrt(k < s.n_min ? 1 : s.ratio[k - s.n_min + 1]);
                to = put(to, clip, (offset + 0) * sw + x * sw, offset * sh + y * sh, size * h / w * root,
                         size / root, 1, 1);
            }
}

static void each(const char *const *params, int n, const layer_case *like)
{
    for (int i = 0; i < n; i++) {
        layer_case c = *like;
        c.params = params[i];
        layer_check(&c);
    }
}
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

START_TEST(sizes_of_an_image)
{
    static const char *const params[] = {
        "-23300=1,60.0 -23302=1,2.0 9=-233 10=-233 13=0.5",
        "-23300=1,105.0 -23301=1,150.0 -23302=2,2.0,3.0 9=-233 10=-233",
        "-23300=2,16.0,32.0 7=0 9=-233 10=-233 11=8.0 12=4.0 13=0.5 3=0.2 4=0.3 5=0.4 6=0.5",
        "-23300=2,16.0,32.0 -23301=2,20.0,40.0 -23302=1,3.0 7=0 8=1 9=-233 10=50 13=0.5",
        "-23300=1,20.0 9=-233 10=-233 13=0.5 14=1 15=1",
        "-23300=1,20.0 -23302=1,2.0 9=-233 10=-233 13=0.25 15=1 12=3.0",
    };
    static const int maps[][3] = {{1, 1, 1}, {4, 3, 5}, {1, 9, 2}};
    for (int m = 0; m < COUNT(maps); m++)
        each(params, COUNT(params),
             &(layer_case){.type = "PriorBox",
                           .n_in = 2,
                           .n_out = 1,
                           .tol = 2e-6,
                           .reference = ssd,
                           .in = {{.rank = 3, .dim = {maps[m][0], maps[m][1], maps[m][2]}},
                                  {.rank = 3, .dim = {3, 61, 47}}}});
    // An empty map has no boxes.
    each(params, 1, &(layer_case){.type = "PriorBox", .n_in = 2, .n_out = 1, .reference = ssd,
         .in = {{.rank = 3, .dim = {4, 0, 5}}, {.rank = 3, .dim = {3, 61, 47}}}});
}
END_TEST

START_TEST(sizes_that_are_given)
{
    static const char *const params[] = {
        "-23300=1,30.0 -23302=1,2.0 9=300 10=200 13=0.5",
        "-23300=2,30.0,40.0 -23301=2,60.0,70.0 9=300 10=200 11=16.0 12=16.0 8=1",
        "-23300=1,30.0 9=301 10=203 13=0.5 14=1",
        "0=30.0,40.0 2=2.0, 9=300 10=200",
    };
    each(params, COUNT(params),
         &(layer_case){.type = "PriorBox",
                       .n_in = 1,
                       .n_out = 1,
                       .tol = 2e-6,
                       .reference = ssd,
                       .in = {{.rank = 3, .dim = {2, 5, 3}}}});
    each(params, COUNT(params),
         &(layer_case){.type = "PriorBox",
                       .n_in = 1,
                       .n_out = 1,
                       .tol = 2e-6,
                       .reference = ssd,
                       .in = {{.rank = 2, .dim = {5, 3}}}});
}
END_TEST

START_TEST(fractions_without_an_image)
{
    static const char *const params[] = {
        "-23300=2,0.15,0.2121 -23301=0 -23302=5,1.0,2.0,0.5,3.0,0.333333 7=0 9=-233 10=-233 13=0.5",
        "-23300=1,0.5 -23302=1,1.0 9=-233 10=-233 8=1",
        "-23300=3,0.1,0.2,0.9 -23302=2,1.0,4.0 9=-233 10=-233 11=0.1 12=0.2 13=0.25",
    };
    each(params, COUNT(params),
         &(layer_case){.type = "PriorBox",
                       .n_in = 1,
                       .n_out = 1,
                       .tol = 2e-6,
                       .reference = multibox,
                       .in = {{.rank = 3, .dim = {2, 17, 5}}}});
    each(params, COUNT(params),
         &(layer_case){.type = "PriorBox",
                       .n_in = 1,
                       .n_out = 1,
                       .tol = 2e-6,
                       .reference = multibox,
                       .in = {{.rank = 3, .dim = {1, 1, 3}}}});
}
END_TEST

START_TEST(mistakes_are_explained)
{
    static const struct {
        int n_in;
        const char *params, *words;
    } bad[] = {
        {2, "9=-233 10=-233", "min_sizes is empty"},
        {2, "-23300=1,10.0 9=0 10=100", "give its size"},
        {1, "-23300=1,10.0 9=-233 10=100", "as a second input"},
        {1, "-23300=1,0.5 9=-233 10=-233", "aspect_ratios is empty"},
        {2, "-23300=2,10.0,20.0 -23301=1,30.0 9=-233 10=-233", "max_sizes has 1 values and min_sizes 2"},
    };
    for (int i = 0; i < COUNT(bad); i++)
        layer_refuses(&(layer_case){.type = "PriorBox",
                                    .params = bad[i].params,
                                    .n_in = bad[i].n_in,
                                    .n_out = 1,
                                    .in = {{.rank = 3, .dim = {2, 3, 4}}, {.rank = 3, .dim = {3, 8, 8}}}},
                      EBB_E_PARAM, bad[i].words);
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"sizes_of_an_image", sizes_of_an_image},
        {"sizes_that_are_given", sizes_that_are_given},
        {"fractions_without_an_image", fractions_without_an_image},
        {"mistakes_are_explained", mistakes_are_explained},
        {0},
    };
    return run_tests("priorbox", tests);
}
