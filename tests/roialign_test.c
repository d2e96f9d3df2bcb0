// SPDX-License-Identifier: BSD-3-Clause
// roialign_test.c - ROIAlign: both versions, aligned or not, fixed and automatic sampling, regions that hang
// over.
#include "harness.h"
#include <math.h>
#include <string.h>

static double clamp(double x, double hi) { return x < 0 ? 0 : x > hi ? hi : x; }

static double interpolated(const tensor *in, int ch, double x, double y)
{
    const double px = clamp(x, in->dim[2] - 1), py = clamp(y, in->dim[1] - 1);
    const int x0 = (int)px, y0 = (int)py, x1 = x0 + (x0 + 1 < in->dim[2]), y1 = y0 + (y0 + 1 < in->dim[1]);
    const double a = px - x0, b = py - y0;
    return (1 - b) * ((1 - a) * tensor_at(in, ch, y0, x0) + a * tensor_at(in, ch, y0, x1)) +
           b * ((1 - a) * tensor_at(in, ch, y1, x0) + a * tensor_at(in, ch, y1, x1));
}

static double bin(const layer_case *c, const tensor *in, int ch, const double *start, const double *step,
                  const int *at)
{
    const int ratio = (int)case_param(c, 3, 0), old = case_param(c, 5, 0) == 0;
    double from[2], length[2];
    int n[2];
    for (int i = 0; i < 2; i++) {
        from[i] = start[i] + at[i] * step[i];
        length[i] = step[i];
        if (old) {
            const double end = clamp(start[i] + (at[i] + 1) * step[i], in->dim[2 - i]);
            from[i] = clamp(from[i], in->dim[2 - i]);
            length[i] = end - from[i];
            if (length[i] <= 0) return 0;
        }
        n[i] = ratio > 0 ? ratio : (int)ceil(length[i]);
    }
    double sum = 0;
    for (int b = 0; b < n[1]; b++)
        for (int a = 0; a < n[0]; a++) {
            const double x = from[0] + (a + 0.5) * step[0] / n[0], y = from[1] + (b + 0.5) * step[1] / n[1];
            if (!old && (x < -1 || y < -1 || x > in->dim[2] || y > in->dim[1])) continue;
            sum += interpolated(in, ch, x, y);
        }
    return n[0] > 0 && n[1] > 0 ? sum / (n[0] * n[1]) : 0;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int pw = (int)case_param(c, 0, 0), ph = (int)case_param(c, 1, 0),
              aligned = (int)case_param(c, 4, 0);
    const double scale = case_param(c, 2, 1), *r = in[1].v;
    double start[2], step[2];
    for (int i = 0; i < 2; i++) {
        const double length = (r[2 + i] - r[i]) * scale;
        start[i] = r[i] * scale - (aligned ? 0.5 : 0);
        step[i] = (aligned || length > 1 ? length : 1) / (i ? ph : pw);
    }
    out[0] = tensor_new(3, (const int[]){in->dim[0], ph, pw});
    for (int ch = 0; ch < in->dim[0]; ch++)
        for (int y = 0; y < ph; y++)
            for (int x = 0; x < pw; x++)
                tensor_at(out, ch, y, x) = bin(c, in, ch, start, step, (const int[]){x, y});
}

static const double regions[][4] = {
    {1, 2, 9, 7}, {0, 0, 0.25, 0.25}, {-3, -2, 5, 20}, {3.5, 1.25, 30, 4}, {7, 6, 2, 1}};
static const double *region;

static void set_region(const layer_case *c, int i, tensor *in)
{
    (void)c;
    if (i == 1) memcpy(in->v, region, 4 * sizeof *region);
}

START_TEST(forms)
{
    static const char *const rows[] = {"0=3 1=2 2=1.0",      "0=3 1=2 3=2",     "0=2 1=4 2=0.5 3=3 4=1",
                                       "0=3 1=2 5=1",        "0=3 1=3 3=2 5=1", "0=2 1=2 2=0.5 4=1 5=1",
                                       "0=1 1=1 3=1 4=1 5=1"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof regions / sizeof *regions; k++) {
            region = regions[k];
            const layer_case c = {.type = "ROIAlign", .params = rows[i], .n_in = 2, .n_out = 1, .tol = 1e-4,
                                  .reference = reference, .fill = set_region,
                                  .in = {{.rank = 3, .dim = {5, 8, 10}}, {.rank = 1, .dim = {4}}}};
            layer_check(&c);
        }
}
END_TEST

int main(void) { return run_tests("roialign", (const test_entry[]){{"forms", forms}, {0}}); }
