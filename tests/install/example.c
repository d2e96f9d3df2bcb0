// SPDX-License-Identifier: BSD-3-Clause
// example.c - a custom layer, a model from memory, one inference: all that a program outside of the tree needs.
#include <ebb_layer.h>
#include <stdio.h>

static ebb_status same_shape(const void *st, const ebb_shape_in *in, ebb_desc *out, ebb_error *e)
{
    (void)st, (void)e;
    *out = in->in[0];
    return EBB_OK;
}

// Whatever strides the blobs have, ebb_loop walks them in runs along one axis.
static ebb_status twice(const void *st, const ebb_cpu *cpu, const ebb_blob *const *in, ebb_blob *const *out,
                        ebb_error *e)
{
    const ebb_desc *desc[] = {ebb_blob_desc(out[0]), ebb_blob_desc(in[0])};
    ebb_loop l;
    (void)st, (void)cpu, (void)e;
    ebb_loop_init(&l, 2, desc);
    for (size_t i = 0; i < l.outer; i++) {
        ptrdiff_t at[EBB_LOOP_MAX];
        ebb_loop_at(&l, i, at);
        for (int x = 0; x < l.dim[l.rank - 1]; x++)
            ebb_f32(out[0])[at[0] + x * l.stride[0][l.rank - 1]] =
                2 * ebb_f32(in[0])[at[1] + x * l.stride[1][l.rank - 1]];
    }
    return EBB_OK;
}

static const ebb_layer_type type = {.size = sizeof type,
                                    .name = "Twice",
                                    .in_min = 1,
                                    .in_max = 1,
                                    .out_min = 1,
                                    .out_max = 1,
                                    .shape = same_shape,
                                    .cpu = twice};

static const char model[] = "7767517\n2 2\nInput data 0 1 data\nTwice twice 1 1 data out\n";

static ebb_status infer(ebb_net *net, float *value, ebb_error *e)
{
    ebb_extractor *x = NULL;
    ebb_blob *out = NULL;
    const ebb_desc d = ebb_desc_planar(EBB_F32, 1, (const int[]){1});
    EBB_TRY(ebb_net_add_layer(net, &type, e));
    EBB_TRY(ebb_net_load_param_mem(net, model, sizeof model - 1, e));
    EBB_TRY(ebb_net_load_weights_mem(net, "", 0, e));
    ebb_status s = ebb_extractor_new(net, NULL, &x, e);
    if (s == EBB_OK) s = ebb_extractor_copy(x, "data", &d, value, e);
    if (s == EBB_OK) s = ebb_extractor_extract(x, "out", EBB_TAKE_PLANAR, &out, e);
    if (s == EBB_OK) *value = *ebb_f32(out);
    ebb_blob_drop(out);
    ebb_extractor_destroy(x);
    return s;
}

int main(void)
{
    ebb_error e;
    ebb_net *net;
    float value = 21;
    if (ebb_net_new(NULL, &net, &e) != EBB_OK) return fprintf(stderr, "%s\n", e.msg), 1;
    const ebb_status s = infer(net, &value, &e);
    if (s != EBB_OK) fprintf(stderr, "%s\n", e.msg);
    else printf("%g\n", (double)value);
    ebb_net_destroy(net);
    return s != EBB_OK;
}
