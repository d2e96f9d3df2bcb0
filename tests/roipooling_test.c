// SPDX-License-Identifier: BSD-3-Clause
// roipooling_test.c - ROIPooling: regions inside, outside and hanging over, against a walk by pixel.
#include "harness.h"
#include <math.h>
#include <string.h>

static int clamp(double x, int hi) { return x < 0 ? 0 : x > hi ? hi : (int)x; }

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int n[] = {(int)case_param(c, 0, 0), (int)case_param(c, 1, 0)};
    double from[2], step[2];
    for (int i = 0; i < 2; i++) {
        from[i] = round(in[1].v[i] * case_param(c, 2, 1));
        const double length = round(in[1].v[2 + i] * case_param(c, 2, 1)) - from[i] + 1;
        step[i] = (length < 1 ? 1 : length) / n[i];
    }
    out[0] = tensor_new(3, (const int[]){in->dim[0], n[1], n[0]});
    for (int ch = 0; ch < in->dim[0]; ch++)
        for (int by = 0; by < n[1]; by++)
            for (int bx = 0; bx < n[0]; bx++) {
                const int y0 = clamp(from[1] + floor(by * step[1]), in->dim[1]),
                          y1 = clamp(from[1] + ceil((by + 1) * step[1]), in->dim[1]);
                const int x0 = clamp(from[0] + floor(bx * step[0]), in->dim[2]),
                          x1 = clamp(from[0] + ceil((bx + 1) * step[0]), in->dim[2]);
                double most = y1 > y0 && x1 > x0 ? tensor_at(in, ch, y0, x0) : 0;
                for (int y = y0; y < y1; y++)
                    for (int x = x0; x < x1; x++)
                        most = tensor_at(in, ch, y, x) > most ? tensor_at(in, ch, y, x) : most;
                tensor_at(out, ch, by, bx) = most;
            }
}

static const double regions[][4] = {
    {1, 2, 9, 7}, {0, 0, 0, 0}, {-3, -2, 5, 20}, {30, 30, 40, 40}, {7, 6, 2, 1}};
static const double *region;

static void set_region(const layer_case *c, int i, tensor *in)
{
    (void)c;
    if (i == 1) memcpy(in->v, region, 4 * sizeof *region);
}

START_TEST(forms)
{
    static const char *const rows[] = {"0=3 1=2", "0=1 1=1 2=0.5", "0=4 1=5 2=1.0"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof regions / sizeof *regions; k++) {
            region = regions[k];
            const layer_case c = {.type = "ROIPooling",
                                  .params = rows[i],
                                  .n_in = 2,
                                  .n_out = 1,
                                  .reference = reference,
                                  .fill = set_region,
                                  .in = {{.rank = 3, .dim = {5, 8, 10}}, {.rank = 2, .dim = {1, 4}}}};
            layer_check(&c);
        }
}
END_TEST

int main(void) { return run_tests("roipooling", (const test_entry[]){{"forms", forms}, {0}}); }
