// SPDX-License-Identifier: BSD-3-Clause
// deformableconv2d_test.c - DeformableConv2D against its definition, with offsets that leave the image.
#include "conv_reference.h"

static double pixel(const tensor *x, int c, int i, int j)
{
    return i < 0 || j < 0 || i >= x->dim[1] || j >= x->dim[2] ? 0 : tensor_at(x, c, i, j);
}

static double bilinear(const tensor *x, int c, double i, double j)
{
    if (!(i > -1 && j > -1 && i < x->dim[1] && j < x->dim[2])) return 0;
    const int i0 = (int)floor(i), j0 = (int)floor(j);
    const double u = i - i0, v = j - j0;
    return (1 - u) * ((1 - v) * pixel(x, c, i0, j0) + v * pixel(x, c, i0, j0 + 1)) +
           u * ((1 - v) * pixel(x, c, i0 + 1, j0) + v * pixel(x, c, i0 + 1, j0 + 1));
}

static void reference(const layer_case *c, const tensor *in, const tensor *weights, tensor *out)
{
    const conv_model m = conv_model_of(c, in);
    const conv_axis *v = &m.axis[1], *u = &m.axis[2];
    const int taps = v->kernel * u->kernel;
    out[0] = tensor_new(3, (int[]){m.oc, v->out, u->out});
    for (int o = 0; o < m.oc; o++)
        for (int y = 0; y < v->out; y++)
            for (int x = 0; x < u->out; x++) {
                double sum = conv_id(c, 5, 0) ? weights[1].v[o] : 0;
                for (int t = 0; t < taps; t++) {
                    const double i = y * v->stride - v->before + t / u->kernel * v->dilation +
                                     tensor_at(&in[1], 2 * t, y, x);
                    const double j = x * u->stride - u->before + t % u->kernel * u->dilation +
                                     tensor_at(&in[1], 2 * t + 1, y, x);
                    const double mask = c->n_in > 2 ? tensor_at(&in[2], t, y, x) : 1;
                    for (int k = 0; k < m.ic; k++)
                        sum += mask * bilinear(&in[0], k, i, j) * weights[0].v[(o * m.ic + k) * taps + t];
                }
                tensor_at(&out[0], o, y, x) = conv_activate(c, sum);
            }
}

static layer_case case_of(const char *params, const int in[3], const int map[3], int weights, int bias,
                          bool mask)
{
    layer_case c = {.type = "DeformableConv2D", .params = params, .n_in = 2 + mask, .n_out = 1, .tol = 5e-5,
                    .reference = reference, .in = {{EBB_F32, 3, {in[0], in[1], in[2]}, 0, 0},
                                                   {EBB_F32, 3, {2 * map[0], map[1], map[2]}, -3, 3},
                                                   {EBB_F32, 3, {map[0], map[1], map[2]}, 0, 1}},
                    .weights = {{W_F32, (size_t)weights, 0, 0}}};
    if (bias) c.weights[1].kind = W_RAW, c.weights[1].n = (size_t)bias;
    return c;
}

START_TEST(shapes)
{
    layer_case c = case_of("0=3 1=1 6=3", (int[]){1, 1, 1}, (int[]){1, 1, 1}, 3, 0, false);
    layer_check(&c);
    c = case_of("0=5 1=3 5=1 4=1 6=225 9=1", (int[]){5, 4, 5}, (int[]){9, 4, 5}, 225, 5, true);
    layer_check(&c);
    c = case_of("0=18 1=2 11=3 3=2 2=2 4=-233 6=1836", (int[]){17, 5, 3}, (int[]){6, 3, 2}, 1836, 0, true);
    layer_check(&c);
}
END_TEST

START_TEST(half_weights)
{
    layer_case c = case_of("0=4 1=3 5=1 4=2 6=72", (int[]){2, 3, 3}, (int[]){9, 5, 5}, 72, 4, true);
    c.weights[0].kind = W_F16;
    layer_check(&c);
}
END_TEST

static void lost(const layer_case *c, int i, tensor *in)
{
    (void)c;
    if (i != 1) return;
    in->v[0] = 1e30, in->v[1] = -1e30, in->v[2] = NAN, in->v[3] = INFINITY;
}

START_TEST(far_offsets)
{
    layer_case c = case_of("0=2 1=1 6=4", (int[]){2, 2, 2}, (int[]){1, 2, 2}, 4, 0, false);
    c.fill = lost;
    layer_check(&c);
}
END_TEST

START_TEST(refusals)
{
    layer_case c = case_of("0=3 1=3 4=1 6=27", (int[]){1, 4, 4}, (int[]){9, 4, 3}, 27, 0, true);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "the offsets have shape 18x4x3, 18x4x4 is needed");
    c = case_of("0=3 1=3 4=1 6=27", (int[]){1, 4, 4}, (int[]){9, 4, 4}, 27, 0, true);
    c.reference = NULL;
    c.in[2].dim[0] = 1;
    layer_refuses(&c, EBB_E_SHAPE, "the masks have shape 1x4x4, 9x4x4 is needed");
}
END_TEST

int main(void)
{
    return run_tests("deformableconv2d", (const test_entry[]){{"shapes", shapes},
                                                              {"half_weights", half_weights},
                                                              {"far_offsets", far_offsets},
                                                              {"refusals", refusals},
                                                              {0}});
}
