// SPDX-License-Identifier: BSD-3-Clause
// quantize_test.c - Quantize: rounding at halves, the ends of the range, NaN, one scale and one a channel.
#include "bychannel_ref.h"
#include "quant_ref.h"
#include <stdio.h>

static void reference(const layer_case *c, const tensor *in, const tensor *w, tensor *out)
{
    (void)c;
    out[0] = tensor_new(in->rank, in->dim);
    for (size_t i = 0; i < tensor_count(in); i++)
        out[0].v[i] = isnan(in->v[i]) ? -127 : eight(in->v[i], constant_at(in, w, i));
}

static layer_case make(const shape_row *s, int scales, char *params)
{
    sprintf(params, "0=%d", scales);
    layer_case c = {.type = "Quantize", .params = params, .n_in = 1, .n_out = 1, .reference = reference,
                    .in = {{.lo = -4, .hi = 4}}, .weights = {{W_RAW, (size_t)scales, 16, 40}}};
    set_shape(&c, s);
    return c;
}

START_TEST(all_shapes)
{
    char params[16];
    for (int s = 0; s < SHAPES; s++) {
        layer_case c = make(&shapes[s], 1, params);
        layer_check(&c);
        c = make(&shapes[s], shapes[s].dim[0], params);
        layer_check(&c);
    }
}
END_TEST

static void edges(const layer_case *c, int i, tensor *in)
{
    static const double v[] = {0.5,         -0.5,      1.5,    -1.5,   2.5, 0.49999997,
                               -0.49999997, 126.5,     -126.5, 127.49, 1e9, -1e9,
                               INFINITY,    -INFINITY, NAN,    0,      -0.0};
    (void)c, (void)i;
    memcpy(in->v, v, sizeof v);
}

START_TEST(halves_go_away_from_zero)
{
    char params[16];
    layer_case c = make(&shapes[0], 1, params);
    c.weights[0].lo = c.weights[0].hi = 1;
    c.fill = edges;
    layer_check(&c);
}
END_TEST

START_TEST(refusals)
{
    char params[16];
    layer_case c = make(&shapes[3], 5, params);
    c.reference = NULL;
    layer_refuses(&c, EBB_E_SHAPE, "the input 7x3x5 needs constants for its 7 channels, there are 5");
    c.params = "0=0";
    layer_refuses(&c, EBB_E_PARAM, "scale_data_size");
}
END_TEST

int main(void)
{
    return run_tests("quantize", (const test_entry[]){
        {"shapes", all_shapes}, {"halves", halves_go_away_from_zero}, {"refusals", refusals}, {0}});
}
