// SPDX-License-Identifier: BSD-3-Clause
// gridsample_test.c - GridSample: kinds of sampling, pads and alignment, pictures and volumes, against a walk
// by pixel.
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double clamp(double x, double hi) { return x < 0 ? 0 : x > hi ? hi : x; }

// One mirror at a time, where they can be counted.
static double fold_back(double x, double lo, double hi)
{
    if (!(lo < hi)) return lo;
    if (fabs(x - lo) > 1e6 * (hi - lo)) x = lo + fmod(x - lo, 2 * (hi - lo));
    while (x < lo || x > hi) x = x < lo ? 2 * lo - x : 2 * hi - x;
    return x;
}

static double padded(const layer_case *c, double x, int n)
{
    const int pad = (int)case_param(c, 1, 1);
    if (pad == 1) return x;
    if (pad == 2) return clamp(x, n - 1);
    return case_param(c, 2, 0) ? fold_back(x, 0, n - 1) : clamp(fold_back(x, -0.5, n - 0.5), n - 1);
}

static double weight(const layer_case *c, double distance)
{
    const double d = fabs(distance), a = -0.75;
    if (case_param(c, 0, 1) == 1) return d < 1 ? 1 - d : 0;
    return d <= 1  ? ((a + 2) * d - (a + 3)) * d * d + 1
           : d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                   : 0;
}

static double pixel(const tensor *in, const int *at)
{
    for (int i = 1; i < in->rank; i++)
        if (at[i] < 0 || at[i] >= in->dim[i]) return 0;
    return *tensor_at_(in, at);
}

// The value of channel ch at place x (x[axis] for axes 1 to rank - 1), one axis after the other.
// A place as an int: what is far outside is outside.
static int whole(double x) { return fabs(x) < 1e9 ? (int)x : -1; }

static double value(const layer_case *c, const tensor *in, const double *x, int *at, int axis)
{
    if (axis == in->rank) return pixel(in, at);
    const int kind = (int)case_param(c, 0, 1), n = in->dim[axis];
    const double p = kind == 3 ? x[axis] : padded(c, x[axis], n);
    if (kind == 2) {
        at[axis] = whole(p - floor(p) == 0.5 ? 2 * floor(p / 2 + 0.5) : floor(p + 0.5));
        return value(c, in, x, at, axis + 1);
    }
    double sum = 0;
    for (int k = -1; k <= 2; k++) {
        const double i = floor(p) + k;
        if (weight(c, p - i) == 0) continue;
        at[axis] = whole(kind == 3 ? padded(c, i, n) : i);
        sum += weight(c, p - i) * value(c, in, x, at, axis + 1);
    }
    return sum;
}

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int axes = in->rank - 1, first = case_param(c, 3, 0) != 0;
    int dim[4] = {in->dim[0]};
    for (int i = 0; i < axes; i++) dim[1 + i] = in[1].dim[first + i];
    out[0] = tensor_new(in->rank, dim);
    const size_t places = tensor_count(out) / (size_t)dim[0];
    for (size_t i = 0; i < tensor_count(out); i++) {
        double x[4];
        int at[4] = {(int)(i / places)};
        for (int a = 0; a < axes; a++) {
            const size_t place = i % places;
            const double g = in[1].v[first ? (size_t)a * places + place : place * (size_t)axes + (size_t)a];
            const int n = in->dim[axes - a];
            x[axes - a] = case_param(c, 2, 0) ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
        }
        out[0].v[i] = value(c, in, x, at, 1);
    }
}

static layer_case make(const char *params, bool first, const int *in, int rank, const int *size)
{
    layer_case c = {
        .type = "GridSample", .params = params, .n_in = 2, .n_out = 1, .tol = 1e-4, .reference = reference};
    c.in[0].rank = c.in[1].rank = rank;
    memcpy(c.in[0].dim, in, (size_t)rank * sizeof *in);
    memcpy(c.in[1].dim + first, size, (size_t)(rank - 1) * sizeof *size);
    c.in[1].dim[first ? 0 : rank - 1] = rank - 1;
    c.in[1].lo = -1.6;
    c.in[1].hi = 1.6;
    return c;
}

START_TEST(pictures)
{
    char params[32];
    for (int form = 0; form < 36; form++) {
        const bool first = form / 2 % 2;
        snprintf(params, sizeof params, "0=%d 1=%d 2=%d 3=%d", 1 + form / 4 % 3, 1 + form / 12, form % 2,
                 first);
        const layer_case c = make(params, first, (const int[]){5, 4, 7}, 3, (const int[]){3, 5});
        layer_check(&c);
    }
}
END_TEST

START_TEST(volumes)
{
    char params[32];
    for (int form = 0; form < 24; form++) {
        const bool first = form / 2 % 2;
        snprintf(params, sizeof params, "0=%d 1=%d 2=%d 3=%d", 1 + form / 4 % 2, 1 + form / 8, form % 2,
                 first);
        const layer_case c = make(params, first, (const int[]){3, 2, 4, 3}, 4, (const int[]){2, 3, 2});
        layer_check(&c);
    }
}
END_TEST

START_TEST(sizes)
{
    layer_case c = make("0=1", false, (const int[]){1, 1, 1}, 3, (const int[]){1, 1});
    layer_check(&c);
    c = make("0=3", false, (const int[]){33, 3, 2}, 3, (const int[]){1, 17});
    layer_check(&c);
    c = make("0=1", false, (const int[]){3, 3, 2}, 3, (const int[]){0, 4});
    layer_check(&c);
}
END_TEST

// Up to ten pictures away.
START_TEST(far_outside)
{
    char params[32];
    for (int form = 0; form < 18; form++) {
        snprintf(params, sizeof params, "0=%d 1=%d 2=%d", 1 + form / 2 % 3, 1 + form / 6, form % 2);
        layer_case c = make(params, false, (const int[]){3, 4, 7}, 3, (const int[]){6, 5});
        c.in[1].lo = -20, c.in[1].hi = 20;
        layer_check(&c);
        c.in[0].dim[1] = 1, c.in[0].dim[2] = 2;
        layer_check(&c);
        if (form / 2 % 3 == 2) continue;
        c = make(params, false, (const int[]){3, 2, 4, 3}, 4, (const int[]){2, 3, 2});
        c.in[1].lo = -20, c.in[1].hi = 20;
        layer_check(&c);
    }
}
END_TEST

// Places in the middle between two pixels, and on mirrors.
static void halves(const layer_case *c, int i, tensor *in)
{
    const int n = c->in[0].dim[1], align = case_param(c, 2, 0) != 0;
    for (size_t k = 0; i == 1 && k < tensor_count(in); k++) {
        const double x = (double)k / 2 - 13;
        in->v[k] = align ? 2 * x / (n - 1) - 1 : (2 * x + 1) / n - 1;
    }
}

START_TEST(exact_halves)
{
    char params[32];
    for (int form = 0; form < 18; form++) {
        snprintf(params, sizeof params, "0=%d 1=%d 2=%d", 1 + form / 2 % 3, 1 + form / 6, form % 2);
        const int n = form % 2 ? 5 : 4;  // so that places are exact
        layer_case c = make(params, false, (const int[]){3, n, n}, 3, (const int[]){5, 6});
        c.fill = halves;
        layer_check(&c);
    }
}
END_TEST

START_TEST(refusals)
{
    layer_case c = make("0=3", false, (const int[]){3, 2, 4, 3}, 4, (const int[]){2, 3, 2});
    c.reference = NULL;
    layer_refuses(&c, EBB_E_UNSUPPORTED, "bicubic sampling of the volume 3x2x4x3");
    c = make("0=1", false, (const int[]){3, 4, 3}, 3, (const int[]){2, 3});
    c.reference = NULL;
    c.in[1].dim[2] = 3;
    layer_refuses(&c, EBB_E_SHAPE, "axis 2 of the grid must hold 2 coordinates");
    c.params = "0=4";
    layer_refuses(&c, EBB_E_PARAM, "sample_type");
    c.params = "0=1";
    c.in[1].dim[2] = 2;
    c.in[0].dim[1] = 0;
    layer_refuses(&c, EBB_E_SHAPE, "the input 3x0x3 is empty");
}
END_TEST

int main(void)
{
    return run_tests("gridsample", (const test_entry[]){
        {"pictures", pictures}, {"volumes", volumes}, {"sizes", sizes}, {"far_outside", far_outside},
        {"exact_halves", exact_halves}, {"refusals", refusals}, {0}});
}
