// SPDX-License-Identifier: BSD-3-Clause
// bychannel.c - the load, shape and walk of layers with constants by channel. Rule: all sets are as long as
// the longest, so that one index serves them.
#include "bychannel.h"
#include "elementwise.h"

ebb_status ebb_by_channel_load(ebb_by_channel *p, const ebb_load *l, const ebb_channel_set *sets, int n,
                               ebb_error *e)
{
    p->n = 1;
    for (int i = 0; i < n; i++)
        if (sets[i].size > p->n) p->n = sets[i].size;
    for (int i = 0; i < n; i++) {
        if (sets[i].size > 1 && sets[i].size != p->n)
            return ebb_fail(e, EBB_E_PARAM,
                            "%s is %d, beside it stands %d: both must be 1 or the number of channels",
                            sets[i].name, sets[i].size, p->n);
        ebb_weights w = {0};
        if (sets[i].size > 0) EBB_TRY(ebb_load_weights(l, (size_t)sets[i].size, EBB_RAW, &w, e));
        void *to;
        EBB_TRY(ebb_load_alloc(l, ebb_size_mul((size_t)p->n, sizeof(float)), &to, e));
        float *v = to;
        for (int c = 0; c < p->n && w.n; c++) v[c] = ebb_weight_f32(&w, w.n == 1 ? 0 : (size_t)c);
        p->v[i] = v;
    }
    return EBB_OK;
}

ebb_status ebb_by_channel_shape(const ebb_by_channel *p, const ebb_desc *in, ebb_dtype t, ebb_desc *out,
                                ebb_error *e)
{
    if (p->n > 1 && (in->rank < 1 || in->dim[0] != p->n))
        return ebb_fail(e, EBB_E_SHAPE, "the input %s needs constants for its %d channels, there are %d",
                        EBB_SHAPE(in), in->rank ? in->dim[0] : 1, p->n);
    out->dtype = t;
    out->rank = in->rank;
    for (int i = 0; i < in->rank; i++) out->dim[i] = in->dim[i];
    return EBB_OK;
}

typedef struct work {
    const void *st;
    const ebb_kernels *k;
    char *y;
    const char *x;
    size_t y_bytes, x_bytes;  // of an element
    ebb_by_channel_fn *run;
    ebb_loop loop;            // operands: y, x, the channel
} work;

static void part(const void *ctx, const ptrdiff_t first[EBB_LOOP_MAX], size_t n, int worker)
{
    (void)worker;
    const work *w = ctx;
    ptrdiff_t at[3], step[3];
    for (int k = 0; k < 3; k++) at[k] = first[k], step[k] = ebb_loop_step(&w->loop, k);
    const size_t count = step[0] == 1 && step[1] == 1 && step[2] <= 1 ? n : 1;  // at once
    for (size_t j = 0; j < n; j += count) {
        w->run(w->st, w->k, w->y + at[0] * (ptrdiff_t)w->y_bytes, w->x + at[1] * (ptrdiff_t)w->x_bytes, count,
               (size_t)at[2], step[2] == 1);
        for (int k = 0; k < 3; k++) at[k] += step[k];
    }
}

void ebb_by_channel_run(const void *st, const ebb_by_channel *p, const ebb_cpu *c, const ebb_blob *in,
                        ebb_blob *out, ebb_by_channel_fn *run)
{
    const ebb_desc *x = ebb_blob_desc(in), *y = ebb_blob_desc(out);
    ebb_desc channel = {.dtype = EBB_F32, .rank = y->rank, .dim = {1, 1, 1, 1}};
    channel.dim[0] = p->n;
    channel.stride[0] = 1;
    work w = {.st = st,
              .k = c->k,
              .y = ebb_blob_data(out),
              .x = ebb_blob_data(in),
              .y_bytes = ebb_dtype_bytes(y->dtype),
              .x_bytes = ebb_dtype_bytes(x->dtype),
              .run = run};
    ebb_loop_init(&w.loop, 3, (const ebb_desc *[]){y, x, &channel});
    ebb_loop_run(c, &w.loop, EBB_PIECE, part, &w);
}
