// SPDX-License-Identifier: BSD-3-Clause
// psroipooling_test.c - PSROIPooling against sums in double precision.
#include "harness.h"
#include <math.h>
#include <string.h>

// Bin edges are computed in float, as they decide which elements count.
static void edges(float from, float size, int bins, int i, int len, int *a, int *b)
{
    const float bin = fmaxf(size, 0.1f) / (float)bins;
    *a = (int)fmax(0, fmin(len, floorf(from + (float)i * bin)));
    *b = (int)fmax(0, fmin(len, ceilf(from + (float)(i + 1) * bin)));
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)weights;
    const int pw = (int)case_param(c, 0, 7), ph = (int)case_param(c, 1, 7), n = (int)case_param(c, 3, 0);
    const float scale = (float)case_param(c, 2, 0.0625);
    const double *r = in[1].v;
    const float x0 = roundf((float)r[0]) * scale, y0 = roundf((float)r[1]) * scale;
    const float w = roundf((float)r[2] + 1) * scale - x0, h = roundf((float)r[3] + 1) * scale - y0;
    out[0] = tensor_new(3, (const int[]){n, ph, pw});
    for (int q = 0; q < n; q++)
        for (int i = 0; i < ph; i++)
            for (int j = 0; j < pw; j++) {
                int ya, yb, xa, xb, count = 0;
                edges(y0, h, ph, i, in[0].dim[1], &ya, &yb);
                edges(x0, w, pw, j, in[0].dim[2], &xa, &xb);
                double sum = 0;
                for (int y = ya; y < yb; y++)
                    for (int x = xa; x < xb; x++, count++)
                        sum += tensor_at(&in[0], (q * ph + i) * pw + j, y, x);
                tensor_at(&out[0], q, i, j) = count ? sum / count : 0;
            }
}

static const double regions[][4] = {
    {0, 0, 16, 16}, {3, 5, 20, 9}, {-40, 8, 8, 200}, {8, 4, 2, 1}, {1e30, -INFINITY, NAN, 4}};
static int region;

static void fill(const layer_case *c, int i, tensor *in)
{
    (void)c;
    if (i == 1) memcpy(in->v, regions[region], sizeof regions[region]);
}

START_TEST(bins)
{
    for (region = 0; region < 4; region++) {
        layer_check(&(layer_case){.type = "PSROIPooling",
                                  .params = "0=3 1=2 2=0.25 3=5",
                                  .n_in = 2,
                                  .n_out = 1,
                                  .tol = 2e-6,
                                  .reference = reference,
                                  .fill = fill,
                                  .in = {{.rank = 3, .dim = {30, 5, 7}}, {.rank = 1, .dim = {4}}}});
        layer_check(&(layer_case){.type = "PSROIPooling",
                                  .params = "2=1.0 3=1",
                                  .n_in = 2,
                                  .n_out = 1,
                                  .tol = 2e-6,
                                  .reference = reference,
                                  .fill = fill,
                                  .in = {{.rank = 3, .dim = {49, 17, 33}}, {.rank = 3, .dim = {1, 1, 4}}}});
    }
}
END_TEST

static void zeros(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    (void)c, (void)in, (void)weights;
    out[0] = tensor_new(3, (const int[]){2, 2, 2});
}

// A region that is no region has no elements.
START_TEST(bins_of_nothing)
{
    region = 4;
    layer_check(&(layer_case){.type = "PSROIPooling",
                              .params = "0=2 1=2 3=2",
                              .n_in = 2,
                              .n_out = 1,
                              .reference = zeros,
                              .fill = fill,
                              .in = {{.rank = 3, .dim = {8, 5, 7}}, {.rank = 1, .dim = {4}}}});
}
END_TEST

START_TEST(mistakes_are_explained)
{
    layer_case c = {.type = "PSROIPooling", .params = "0=2 1=2 3=2", .n_in = 2, .n_out = 1,
                    .in = {{.rank = 3, .dim = {9, 5, 7}}, {.rank = 1, .dim = {4}}}};
    layer_refuses(&c, EBB_E_SHAPE, "map and region are 9x5x7 and 4; 2 * 2 * 2 channels");
    c.in[0].dim[0] = 8, c.in[1].dim[0] = 3;
    layer_refuses(&c, EBB_E_SHAPE, "4 numbers expected");
}
END_TEST

int main(void)
{
    const test_entry tests[] = {
        {"bins", bins}, {"bins_of_nothing", bins_of_nothing}, {"mistakes_are_explained",
         mistakes_are_explained}, {0}};
    return run_tests("psroipooling", tests);
}
