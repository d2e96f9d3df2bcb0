// SPDX-License-Identifier: BSD-3-Clause
// softmax_test.c - Softmax along every axis of every rank; large, infinite and NaN inputs; old files.
#include "harness.h"
#include <math.h>
#include <string.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)w;
    const int given = (int)case_param(c, 0, 0), axis = given < 0 ? given + in[0].rank : given,
              n = in[0].dim[axis];
    out[0] = tensor_new(in[0].rank, in[0].dim);
    int inner = 1;
    for (int i = axis + 1; i < in[0].rank; i++) inner *= in[0].dim[i];
    for (size_t line = 0; line < tensor_count(&in[0]) / (size_t)(n ? n : 1); line++) {
        const size_t at = line / (size_t)inner * (size_t)inner * (size_t)n + line % (size_t)inner;
        const double *x = in[0].v + at;
        double top = -INFINITY, sum = 0;
        for (int i = 0; i < n; i++) top = fmax(top, x[i * inner]);
        for (int i = 0; i < n; i++) sum += exp(x[i * inner] - top);
        for (int i = 0; i < n; i++) out[0].v[at + (size_t)(i * inner)] = exp(x[i * inner] - top) / sum;
    }
}

static layer_case make(const char *params, int rank, int a, int b, int d, int e)
{
    return (layer_case){.type = "Softmax",
                        .params = params,
                        .n_in = 1,
                        .n_out = 1,
                        .tol = 1e-6,
                        .reference = reference,
                        .in = {{.rank = rank, .dim = {a, b, d, e}, .lo = -6, .hi = 6}}};
}

START_TEST(every_axis)
{
    static const char *const params[] = {"0=0 1=1", "0=1 1=1", "0=2 1=1", "0=3 1=1", "0=-1 1=1", "0=-2 1=1"};
    for (int rank = 1; rank <= 4; rank++)
        for (int p = 0; p < 6; p++) {
            if (p < 4 ? p >= rank : p - 3 > rank) continue;
            const layer_case a = make(params[p], rank, 5, rank == 2 ? 33 : 3, 17, 2),
                             b = make(params[p], rank, 1, 1, 1, 1);
            layer_check(&a);
            layer_check(&b);
        }
    const layer_case longer = make("0=0", 1, 1003, 0, 0, 0), empty = make("0=1 1=1", 3, 3, 2, 0, 0),
                     none = make("0=-1 1=1", 2, 3, 0, 0, 0);
    layer_check(&longer);
    layer_check(&empty);
    layer_check(&none);
}
END_TEST

// Rows far below 0, with tails: what a tail is filled with must not be their largest value.
START_TEST(far_below_zero)
{
    static const int widths[] = {1, 3, 5, 17, 33};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int axis = 0; axis < 2; axis++) {
            layer_case c =
                make(axis ? "0=1 1=1" : "0=0 1=1", 2, axis ? 3 : widths[i], axis ? widths[i] : 3, 0, 0);
            c.in[0].lo = -306, c.in[0].hi = -300;
            layer_check(&c);
        }
}
END_TEST

static void large(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (size_t j = 0; j < tensor_count(in); j++) in->v[j] = 16 * in->v[j] + (j % 17 < 3 ? -INFINITY : 1000);
}

// Line 0: one NaN. Line 1: all minus infinity, which is 0 over 0: 0. Line 2: one plus infinity.
static void broken(const layer_case *c, int i, tensor *in)
{
    (void)c, (void)i;
    for (int x = 0; x < in->dim[1]; x++) tensor_at(in, 1, x) = -INFINITY;
    tensor_at(in, 0, in->dim[1] / 2) = NAN;
    tensor_at(in, 2, in->dim[1] - 1) = INFINITY;
}

static void all_of_the_line(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    reference(c, in, w, out);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < in[0].dim[1]; x++) tensor_at(&out[0], y, x) = y == 1 ? 0 : NAN;
}

START_TEST(large_infinite_and_nan_values)
{
    layer_case c = make("0=1 1=1", 2, 5, 37, 0, 0);
    c.fill = large;
    layer_check(&c);
    c.fill = broken, c.reference = all_of_the_line;
    layer_check(&c);
    c.in[0].dim[1] = 3;
    layer_check(&c);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
    layer_case c = make("0=1", 2, 5, 3, 0, 0);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_PARAM, "lacks 1=1 (fixbug0)");
    layer_refuses(&c, EBB_E_PARAM, "make it 0=0 where that is so");
    c.params = "0=-1";
    layer_refuses(&c, EBB_E_PARAM, "axis -1 lacks 1=1 (fixbug0)");
    layer_refuses(&c, EBB_E_PARAM, "make it 0=-1 where that is so");
    c.params = "0=2 1=1";
    layer_refuses(&c, EBB_E_SHAPE, "there is no axis 2 in a blob with 2 axes");
    c.params = "0=-3 1=1";
    layer_refuses(&c, EBB_E_SHAPE, "there is no axis -3");
}
END_TEST

int main(void)
{
    return run_tests("softmax", (const test_entry[]){{"every_axis", every_axis}, {"far_below_zero", far_below_zero},
                                                     {"extremes", large_infinite_and_nan_values},
                                                     {"errors", errors_say_what_is_wrong},
                                                     {0}});
}
